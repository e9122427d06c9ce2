"""The archive port: where the audit copies of briefs are kept."""

from __future__ import annotations

from typing import Protocol


class Archive(Protocol):
    """A place for texts, each under its own name."""

    def put(self, name: str, text: str) -> None:
        """Keep a text; the same name again replaces it.

        Raises:
            RetryableError: it was not kept.
        """
        ...
