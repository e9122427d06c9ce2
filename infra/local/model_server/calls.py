"""The log of model calls: what was asked and what was answered, as raw bytes until somebody reads it."""

from __future__ import annotations

import json
import zlib
from collections import deque
from datetime import datetime
from typing import Any

from onthoud.clock import iso

KEEP = 20_000
"""Calls kept; about 2 KB each, so that a long load run stays flat at some 40 MB."""


class CallLog:
    """The newest calls, oldest first."""

    def __init__(self, keep: int = KEEP) -> None:
        self._calls: deque[tuple[datetime, str, bytes, bytes]] = deque(maxlen=keep)

    def add(self, at: datetime, purpose: str, request: bytes, response: bytes) -> None:
        """Keep one call; both bodies are the bytes that went over the wire."""
        self._calls.append((at, purpose, zlib.compress(request, 1), response))

    def list(self) -> list[dict[str, Any]]:
        """Return `[{"at", "purpose", "request", "response"}]`, oldest first."""
        return [
            {
                "at": iso(at),
                "purpose": purpose,
                "request": _parsed(zlib.decompress(request)),
                "response": _parsed(response),
            }
            for at, purpose, request, response in self._calls
        ]

    def clear(self) -> None:
        """Forget all calls."""
        self._calls.clear()

    def __len__(self) -> int:
        return len(self._calls)


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")
