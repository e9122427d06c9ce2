"""From a Lambda SQS batch to messages, and from failures to the partial batch response that Lambda understands."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from onthoud.deadline import Deadline
from onthoud.delivery.worker import Message
from onthoud.errors import PermanentError, RetryableError
from onthoud.events.envelope import Unwrapped, unwrap

Work = Callable[[Message, Deadline], None]


@dataclass(frozen=True, slots=True)
class Batch:
    """One invocation's records."""

    event: dict[str, Any]
    context: LambdaContext

    @property
    def records(self) -> list[dict[str, Any]]:
        """The records that have an id, by which a failure can be reported."""
        return [record for record in self.event.get("Records") or [] if record.get("messageId")]

    @property
    def nameless(self) -> list[dict[str, Any]]:
        """Records without an id: worked off too, but their failure can only fail the whole batch."""
        return [record for record in self.event.get("Records") or [] if not record.get("messageId")]

    @property
    def is_fifo(self) -> bool:
        """Whether the batch comes from a FIFO queue, whose groups keep their order."""
        return any("MessageGroupId" in record.get("attributes", {}) for record in self.records)

    @property
    def deadline(self) -> Deadline:
        """The invocation's remaining time."""
        return Deadline(self.context.get_remaining_time_in_millis)

    def events(self) -> Iterator[Unwrapped]:
        """Yield the events that can be read, so that a bot can look ahead; the others get their own turn later."""
        for record in self.records:
            try:
                yield unwrap(record.get("body") or "")
            except PermanentError:
                continue  # its reason goes to quarantine when it is worked off


def message_of(record: dict[str, Any]) -> Message:
    """Read a record; a missing receive count counts as the first, and a missing id is made from the body.

    Under one id for all, nameless messages would count each other's attempts and replace each other in quarantine.
    """
    attributes = record.get("attributes") or {}
    body = record.get("body") or ""
    return Message(
        message_id=record.get("messageId") or f"no-id-{hashlib.sha256(body.encode('utf-8', 'replace')).hexdigest()}",
        body=body,
        group=attributes.get("MessageGroupId", "default"),
        receives=int(attributes.get("ApproximateReceiveCount", "1")),
    )


def answer(batch: Batch, work: Work) -> dict[str, Any]:
    """Work the records off and return `{"batchItemFailures": [...]}`.

    On a FIFO queue a failure also returns what stands behind it in its group, and no other group. (Powertools' batch
    processor does the same; it is not used because it brings asyncio and its own models of every event source, a
    fifth of a cold start.)
    """
    failed: list[dict[str, str]] = []
    stopped: set[str] = set()
    for message in map(message_of, batch.records):
        try:
            if message.group in stopped:
                raise RetryableError("a message before it in its group comes back")
            work(message, batch.deadline)
        except Exception:  # the worker has logged and recorded it; one message harms no other
            failed.append({"itemIdentifier": message.message_id})
            if batch.is_fifo:
                stopped.add(message.group)
    for record in batch.nameless:  # last: what fails here returns the whole batch, whose other messages are then done
        work(message_of(record), batch.deadline)
    return {"batchItemFailures": failed}
