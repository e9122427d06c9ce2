"""The mailbox port: raw messages, listed and read in part, never changed or marked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StoredMail:
    """A message in a listing. `id` is the mailbox's own name for it, good for reading only, never as an identity."""

    id: str
    size: int
    arrived_at: datetime | None


class Mailbox(Protocol):
    """Where mail lies."""

    def list(self, since: datetime) -> Iterator[StoredMail]:
        """List the messages, those that arrived before `since` left out where the mailbox can search by date.

        Raises:
            RetryableError: the listing could not be completed.
        """
        ...

    def head(self, message: StoredMail, most: int) -> bytes:
        """Return the first `most` bytes of a message, without marking it as read.

        Raises:
            NotFound: it has gone meanwhile.
            RetryableError: it could not be read now.
        """
        ...
