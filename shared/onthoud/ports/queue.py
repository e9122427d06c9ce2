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
        self, body: str, *, group: str, deduplication_id: str, attributes: Mapping[str, str] | None = None
    ) -> None:
        """Put a message on the queue, byte for byte.

        Raises:
            RetryableError: it was not taken now.
            PermanentError: it can never be taken (empty, too large, characters that SQS refuses).
        """
        ...
