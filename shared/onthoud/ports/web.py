"""The web port: one GET, bounded in time and size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Page:
    """An answer of status 200, whole."""

    body: bytes
    content_type: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


class Web(Protocol):
    """Reads pages."""

    def get(self, url: str, *, headers: Mapping[str, str] | None = None) -> Page:
        """Read a page.

        Raises:
            RetryableError: it was not answered, not answered whole, or not with status 200. The message holds a class
                or a status, never the address, which may hold a secret.
            PermanentError: the address may not be read (neither HTTPS nor loopback), or the answer is too large.
        """
        ...
