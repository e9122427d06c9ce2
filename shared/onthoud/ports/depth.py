"""The depth port: how much lies in a queue."""

from __future__ import annotations

from typing import Protocol


class Depth(Protocol):
    """Tells how full queues are."""

    def waiting(self, url: str) -> int:
        """Return about how many messages lie in the queue at an address.

        Raises:
            RetryableError: it could not be asked.
        """
        ...
