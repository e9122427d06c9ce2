"""Which queue an event belongs on, and as which messages."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from onthoud.errors import PermanentError
from onthoud.events.booking import Booking
from onthoud.events.comment import Comment, Unreadable, comments_of
from onthoud.events.edge import parse
from onthoud.events.envelope import BOOKING, COMMENT, COMMENTS, Unwrapped, group

Name = Literal["comments", "bookings"]

# What SQS takes only as an escape; the other control characters are escaped by JSON itself.
_REFUSED = re.compile("[\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Routed:
    """One message for a FIFO queue.

    Attributes:
        queue: the queue's short name.
        event: the bare event.
        body: the bare event as a text that a queue takes.
        group: the customer's message group.
        deduplication_id: the same for the same event, so that a repeated hand-over within SQS's five minutes is one.
    """

    queue: Name
    event: dict[str, Any]
    body: str
    group: str
    deduplication_id: str


def route(unwrapped: Unwrapped) -> tuple[list[Routed], list[Unreadable]]:
    """Return the messages of an event, and what of it cannot be read.

    A batch of comments becomes one message per comment, each in its own customer's group.

    Raises:
        PermanentError: the event is a batch, and no list or empty.
    """
    if unwrapped.schema == BOOKING:
        try:
            parse(Booking, unwrapped.event)
        except PermanentError as error:
            return [], [Unreadable(unwrapped.event, str(error))]
        return [_routed("bookings", unwrapped.event)], []
    events = unwrapped.event["comments"] if unwrapped.schema == COMMENTS else [unwrapped.event]
    messages: list[Routed] = []
    unreadable: list[Unreadable] = []
    for event, comment in zip(events, comments_of(unwrapped.event), strict=True):
        if isinstance(comment, Comment):
            # Inside a batch the schema may be left out; alone on the queue it is what tells the event.
            messages.append(_routed("comments", {**event, "schema": COMMENT}))
        else:
            unreadable.append(comment)
    return messages, unreadable


def _routed(queue: Name, event: dict[str, Any]) -> Routed:
    body = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    body = _REFUSED.sub(lambda letter: f"\\u{ord(letter[0]):04x}", body)
    return Routed(queue, event, body, group(event), hashlib.sha256(body.encode()).hexdigest())
