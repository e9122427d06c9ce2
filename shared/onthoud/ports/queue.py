"""The queue port: what a function puts on a queue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class QueueMessage:
    """A message as it lies in a queue."""

    message_id: str
    body: str
    group: str
    reason: str
    sent_at: str
    receipt: str


class Queue(Protocol):
    """One SQS queue; FIFO where a group is given."""

    def send(
        self,
        body: str,
        *,
        group: str,
        deduplication_id: str,
        attributes: Mapping[str, str] | None = None,
        delay_s: int = 0,
    ) -> None:
        """Put a message on the queue, byte for byte, to be seen after `delay_s` (at most 900; not on a FIFO queue).

        Raises:
            RetryableError: it was not taken now.
            PermanentError: it can never be taken (empty, too large, characters that SQS refuses).
        """
        ...


class ReadableQueue(Queue, Protocol):
    """A queue that the operator looks into: dead letters."""

    def receive(self, limit: int, *, visibility_s: int) -> list[QueueMessage]:
        """Take up to `limit` messages, which nobody else sees for `visibility_s` seconds.

        Of a FIFO group, no further message is given out while earlier ones are taken: at most 10 of a group.
        """
        ...

    def delete(self, message: QueueMessage) -> None:
        """Take a received message off the queue."""
        ...

    def release(self, message: QueueMessage) -> None:
        """Let others see a received message again."""
        ...

    def count(self) -> int:
        """Return about how many messages lie in the queue, taken ones included."""
        ...
