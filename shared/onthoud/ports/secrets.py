"""The secrets port."""

from __future__ import annotations

from typing import Protocol


class Secrets(Protocol):
    """Where secrets are kept (the parameter store)."""

    def get(self, name: str, *, fresh: bool = False) -> str:
        """Return a secret's value, kept for five minutes unless `fresh` is asked for (after a 401).

        Raises:
            RetryableError: the store could not be read.
            NotFound: no such secret.
        """
        ...
