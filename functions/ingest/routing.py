"""Which queue an event belongs on, and as which messages."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Literal

from onthoud.errors import PermanentError
from onthoud.events.booking import Booking
from onthoud.events.comment import Comment, Unreadable, comments_of
from onthoud.events.edge import parse
from onthoud.events.envelope import BOOKING, COMMENTS, Unwrapped, group

Name = Literal["comments", "bookings"]


@dataclass(frozen=True, slots=True)
class Routed:
    """One message for a FIFO queue.

    Attributes:
        queue: the queue's short name.
        body: the bare event, as it came.
        group: the customer's message group.
        deduplication_id: the same for the same event, so that a repeated hand-over within SQS's five minutes is one.
    """

    queue: Name
    body: str
    group: str
    deduplication_id: str


def route(unwrapped: Unwrapped) -> tuple[list[Routed], list[Unreadable]]:
    """Return the messages of an event, and the comments of a batch that cannot be read.

    A batch of comments becomes one message per comment, each in its own customer's group.

    Raises:
        PermanentError: a booking that cannot be read; names the field.
    """
    if unwrapped.schema == BOOKING:
        parse(Booking, unwrapped.event)
        return [_routed("bookings", unwrapped.event)], []
    events = unwrapped.event["comments"] if unwrapped.schema == COMMENTS else [unwrapped.event]
    messages: list[Routed] = []
    unreadable: list[Unreadable] = []
    for event, comment in zip(events, comments_of(unwrapped.event), strict=True):
        if isinstance(comment, Comment):
            messages.append(_routed("comments", event))
        else:
            unreadable.append(comment)
    return messages, unreadable


def _routed(queue: Name, event: dict[str, Any]) -> Routed:
    body = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    if len(body.encode("utf-8", "surrogatepass")) > 250_000:
        raise PermanentError("the event is larger than a queue message may be")
    digest = hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
    return Routed(queue, body, group(event), digest)
