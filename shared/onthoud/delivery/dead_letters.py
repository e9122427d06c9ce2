"""Dead letters: what lies in the queues that nothing reads, why, sent back as it was, and cleared of a customer.

A look takes the messages and gives them back when it is over. SQS counts that as a receive, which is harmless here: a
dead-letter queue hands nothing on.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from onthoud.clock import from_iso
from onthoud.delivery.attempts import Attempts
from onthoud.delivery.quarantine import customer_of
from onthoud.errors import OnthoudError, PermanentError, RetryableError
from onthoud.events.envelope import BOOKING, COMMENTS, unwrap
from onthoud.ports.queue import QueueMessage, ReadableQueue
from onthoud.ports.table import Table
from onthoud.scope import Scope, Space

NO_REASON = "receive count exceeded"
"""The reason of what SQS itself has moved, where nobody has recorded a failure."""
MOST = 10_000
"""The most messages of one queue that one look takes."""
HELD_S = 120
"""How long a look may take, in seconds; after it others see the messages again, whatever becomes of the look."""
OF_A_GROUP = 10
"""SQS gives out no more messages of a FIFO group while so many of it are taken."""


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """One dead-letter queue.

    Attributes:
        name: the short name of the queue that it belongs to.
        queue: the dead-letter queue itself.
        source: where its messages came from; None for what no queue can take back (a failed run of a schedule).
    """

    name: str
    queue: ReadableQueue
    source: ReadableQueue | None = None


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One message that was given up; `at` is when it was sent to the dead-letter queue (ISO 8601, UTC)."""

    queue: str
    message_id: str
    reason: str
    body: str
    group: str
    at: str


@dataclass(frozen=True, slots=True)
class Redriven:
    """What a redrive of one queue did, in messages: sent back, too old to be meant, and not taken by the queue."""

    queue: str
    sent: int = 0
    left: int = 0
    failed: int = 0
    failure: str = ""


def lying(place: DeadLetters, table: Table, space: Space, since: datetime | None = None) -> list[DeadLetter]:
    """Return what lies in a dead-letter queue, oldest first, with the reason of each.

    The reason is what the function wrote on the message, else the last failure recorded of it.
    """
    with _taken(place.queue) as messages:
        found = [message for message in messages if _meant(message, since)]
    return [
        DeadLetter(
            place.name, message.message_id, _reason(message, table, space), message.body, message.group, message.sent_at
        )
        for message in sorted(found, key=lambda one: one.sent_at)
    ]


def redrive(place: DeadLetters, since: datetime | None = None, told: Callable[[int], None] | None = None) -> Redriven:
    """Send the messages back to the queue that they came from: the same bytes, in their group, in their order.

    They run through the same guards as any message. The deduplication id is the dead letter's own id, which is new
    each time a message dies: a redrive that was cut off sends nothing twice within SQS's five minutes, and a message
    that dies again at once can be sent again.

    Args:
        place: the dead-letter queue.
        since: only what was given up since then.
        told: called with the number sent so far, for a progress bar.
    """
    sent = failed = 0
    failure = ""
    kept: dict[str, QueueMessage] = {}
    stuck: set[str] = set()
    try:
        while fresh := [
            one for one in place.queue.receive(OF_A_GROUP, visibility_s=HELD_S) if one.message_id not in kept
        ]:
            for message in fresh:
                if not _meant(message, since):
                    kept[message.message_id] = message
                    continue
                refusal = _send_back(place, message) if message.group not in stuck else "behind one that was refused"
                if refusal is None:
                    sent += 1
                    if told is not None:
                        told(sent)
                    continue
                # What stands behind it in its group must not overtake it.
                kept[message.message_id] = message
                failed, failure = failed + 1, failure or refusal
                if message.group:
                    stuck.add(message.group)
    finally:
        for message in kept.values():
            place.queue.release(message)
    return Redriven(place.name, sent, len(kept) - failed, failed, failure)


class DeadBodies:
    """A dead-letter queue as a place from which a customer is erased; see `privacy.registry.Purgeable`."""

    def __init__(self, place: DeadLetters, space: Space) -> None:
        self._queue = place.queue
        self._space = space
        self.name = f"dead letters of {place.name}"

    def purge(self, scope: Scope) -> int:
        """Delete the messages that are about a customer, and take the customer's comments out of batches.

        A batch goes back to the dead letters without them: its other customers' comments are not lost.

        Raises:
            RetryableError: messages lie behind others of their FIFO group, where a look does not reach.
        """
        count, kept = 0, dict[str, QueueMessage]()
        try:
            while fresh := [
                one for one in self._queue.receive(MOST, visibility_s=HELD_S) if one.message_id not in kept
            ]:
                for message in fresh:
                    rest = without(message.body, scope, self._space)
                    if rest == message.body:
                        kept[message.message_id] = message
                        continue
                    if rest is not None:
                        self._put_back(message, rest)
                    self._queue.delete(message)
                    count += 1
            groups = Counter(message.group for message in kept.values() if message.group)
            hidden = self._queue.count() - len(kept) if groups and max(groups.values()) >= OF_A_GROUP else 0
        finally:
            for message in kept.values():
                self._queue.release(message)
        if hidden > 0:
            raise RetryableError(
                f"{self.name}: {hidden} lie behind others of their group and could not be looked at; everything else "
                "is erased: redrive this queue (onthoud dead-letters redrive), then erase again"
            )
        return count

    def _put_back(self, message: QueueMessage, body: str) -> None:
        attributes = {"reason": message.reason} if message.reason else {}
        self._queue.send(
            body, group=message.group, deduplication_id=f"erased-{message.message_id}", attributes=attributes
        )


def without(body: str, scope: Scope, space: Space) -> str | None:
    """Return a body without what is about a customer: as it is, None where nothing is left, else a smaller batch."""
    try:
        event = unwrap(body).event
    except PermanentError:
        return body  # nobody can say whose it is; it ends with the queue's own retention
    if event["schema"] != COMMENTS:
        person = "customer" if event["schema"] == BOOKING else "author"
        return None if customer_of(event, space, person) == scope.partition else body
    comments = event.get("comments")
    if not isinstance(comments, list):
        return body
    others: list[Any] = [one for one in comments if customer_of(one, space, "author") != scope.partition]
    if len(others) == len(comments):
        return body
    if not others:
        return None
    return json.dumps({**event, "comments": others}, ensure_ascii=False, separators=(",", ":"))


# -- inside ----------------------------------------------------------------------------------------------------------


@contextmanager
def _taken(queue: ReadableQueue) -> Iterator[Sequence[QueueMessage]]:
    messages = queue.receive(MOST, visibility_s=HELD_S)
    try:
        yield messages
    finally:
        for message in messages:
            queue.release(message)


def _meant(message: QueueMessage, since: datetime | None) -> bool:
    return since is None or from_iso(message.sent_at) >= since


def _reason(message: QueueMessage, table: Table, space: Space) -> str:
    if message.reason:
        return message.reason
    return str(Attempts(table, space, message.message_id).read().get("reason", NO_REASON))


def _send_back(place: DeadLetters, message: QueueMessage) -> str | None:
    """Send one message back; return why that failed, None where it did not."""
    if place.source is None:
        return f"{place.name} has no queue that takes it back"
    try:
        place.source.send(
            message.body, group=message.group or "default", deduplication_id=f"redrive-{message.message_id}"
        )
        # A crash here leaves it in both: it is found a duplicate by the ledger, and sent back again by the next call.
        place.queue.delete(message)
    except OnthoudError as error:
        return str(error)
    return None
