"""`onthoud.comment.v1`: one comment that was created, edited or deleted on a platform."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from onthoud import keys
from onthoud.errors import PermanentError
from onthoud.events.edge import EdgeModel, Id, Moment, parse
from onthoud.events.envelope import COMMENT, COMMENTS
from onthoud.scope import Scope, Space
from onthoud.text.markup import storable

Verb = Literal["created", "edited", "deleted"]


MAX_NAME_CHARS = 500
MAX_URL_CHARS = 2048


def given(value: Any) -> Any:
    """Return an object without its null fields: null is the same as absent."""
    if isinstance(value, dict):
        return {name: inner for name, inner in value.items() if inner is not None}
    return value


class Author(EdgeModel):
    """Who wrote the comment. `is_self`: the operator's own account did."""

    id: Id
    name: str | None = Field(default=None, max_length=MAX_NAME_CHARS)
    is_self: bool = False

    @model_validator(mode="before")
    @classmethod
    def _absent_is_default(cls, value: Any) -> Any:
        return given(value)

    @field_validator("name", mode="before")
    @classmethod
    def _any_name(cls, value: Any) -> Any:
        # Names are what their owners type: an odd one costs nobody the answer.
        return storable(value)[:MAX_NAME_CHARS] if isinstance(value, str) else None


class Thread(EdgeModel):
    """Where the comment stands."""

    post_id: Id | None = None
    parent_id: Id | None = None


class Attachment(EdgeModel):
    """A picture or file beside the text. What cannot be read of it is left out."""

    type: str = Field(default="file", max_length=50)
    url: str | None = Field(default=None, max_length=MAX_URL_CHARS)
    bytes: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _what_can_be_read(cls, value: Any) -> Any:
        fields = given(value) if isinstance(value, dict) else {}
        kind, url, size = fields.get("type"), fields.get("url"), fields.get("bytes")
        readable: dict[str, Any] = {}
        if isinstance(kind, str):
            readable["type"] = storable(kind)[:50]
        if isinstance(url, str) and len(url) <= MAX_URL_CHARS:
            readable["url"] = storable(url)
        if isinstance(size, int) and not isinstance(size, bool) and 0 <= size < 2**63:
            readable["bytes"] = size
        return readable


class Comment(EdgeModel):
    """One comment event. Only what the bot needs is required; a deletion needs no author and no text."""

    schema_: Literal["onthoud.comment.v1"] = Field(alias="schema", default=COMMENT)
    comment_id: Id
    channel: Id
    account_id: Id
    verb: Verb = "created"
    author: Author | None = None
    thread: Thread = Thread()
    text: str | None = None
    attachments: tuple[Attachment, ...] = ()
    occurred_at: Moment

    @model_validator(mode="before")
    @classmethod
    def _absent_is_default(cls, value: Any) -> Any:
        return given(value)

    @field_validator("attachments", mode="before")
    @classmethod
    def _any_list(cls, value: Any) -> Any:
        return value if isinstance(value, (list, tuple)) else ()

    @property
    def words(self) -> str:
        """The text, empty where there is none."""
        return self.text or ""

    @property
    def text_hash(self) -> str:
        """The first half of SHA-256 of the text as it came: enough to tell a comment's texts apart."""
        return hashlib.sha256(self.words.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def scope(self, space: Space) -> Scope:
        """Return the customer whose comment this is.

        Raises:
            PermanentError: the event names no author; a missing id never means all.
        """
        if self.author is None:
            raise PermanentError("author.id: missing")
        return Scope(space, self.channel, self.account_id, self.author.id)

    @property
    def top_level(self) -> str:
        """The id of the comment that heads the thread. On Facebook a top-level comment's parent is the post itself."""
        parent = self.thread.parent_id
        return self.comment_id if parent is None or parent == self.thread.post_id else parent

    def thread_partition(self, space: Space) -> str:
        """Return the partition key of the thread (channel, account, post, top-level comment)."""
        return keys.join(
            "thread",
            space.tenant,
            space.context,
            self.channel,
            self.account_id,
            self.thread.post_id or "-",
            self.top_level,
        )


@dataclass(frozen=True, slots=True)
class Unreadable:
    """One comment of a batch that cannot be read, and why."""

    event: Any
    reason: str


def comments_of(event: dict[str, Any]) -> list[Comment | Unreadable]:
    """Return the comments of an `onthoud.comment.v1` or `onthoud.comments.v1` event, in order.

    One that cannot be read harms no other.

    Raises:
        PermanentError: the event is neither, or its batch is no list or empty.
    """
    if event.get("schema") == COMMENT:
        return [_read(event)]
    if event.get("schema") != COMMENTS:
        raise PermanentError("schema: not a comment")
    batch = event.get("comments")
    if not isinstance(batch, list) or not batch:
        raise PermanentError("comments: not a list, or empty")
    return [_read(one) for one in batch]


def _read(event: Any) -> Comment | Unreadable:
    if not isinstance(event, dict):
        return Unreadable(event, "a comment that is no object")
    try:
        comment = parse(Comment, event)
        if comment.verb != "deleted" and comment.author is None:
            return Unreadable(event, "author: missing")
    except PermanentError as error:
        return Unreadable(event, str(error))
    return comment
