"""The local vector index, mounted behind the gateway, and kept between runs by its own protocol."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infra.local.engine import Asgi

if TYPE_CHECKING:
    from infra.local.vector_server.index import Index

_PAGE = 500


class Vectors:
    """The server that speaks Upstash Vector's protocol; it loads its embedder at the first call."""

    def __init__(self, token: str, data: Path | None) -> None:
        """Start without an index.

        Args:
            token: what every call must carry.
            data: the directory that keeps the stack's state.
        """
        self._token = token
        self._file = data / "vectors.json" if data else None
        self._index: Index | None = None
        self._app: Asgi | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one call, as ASGI."""
        if self._app is None:
            from infra.local.vector_server.app import VectorServer
            from infra.local.vector_server.embedder import best_embedder
            from infra.local.vector_server.index import Index

            self._index = Index(best_embedder())
            self._load(self._index)
            self._app = VectorServer(self._index, self._token).app
        await self._app(scope, receive, send)

    def save(self) -> None:
        """Keep what is in the index; one that was never asked is as it was."""
        if self._file is None or self._index is None:
            return
        kept = {name: list(_rows(self._index, name)) for name in self._index.call("list-namespaces", "", None)}
        self._file.write_text(json.dumps(kept), encoding="utf-8")

    def _load(self, index: Index) -> None:
        with contextlib.suppress(FileNotFoundError):
            kept = json.loads(self._file.read_text(encoding="utf-8")) if self._file else {}
            for name, rows in kept.items():
                for start in range(0, len(rows), _PAGE):
                    index.call("upsert", name, rows[start : start + _PAGE])


def _rows(index: Index, namespace: str) -> Any:
    cursor = "0"
    while True:
        request = {
            "cursor": cursor,
            "limit": _PAGE,
            "includeVectors": True,
            "includeMetadata": True,
            "includeData": True,
        }
        page = index.call("range", namespace, request)
        yield from page["vectors"]
        cursor = page["nextCursor"]
        if not cursor:
            return
