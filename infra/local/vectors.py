"""The local vector index, mounted behind the gateway."""

from __future__ import annotations

from typing import Any

from infra.local.engine import Asgi


def vector_application(token: str) -> Asgi:
    """Return the server that speaks Upstash Vector's protocol; it loads its embedder at the first call.

    Args:
        token: what every call must carry.
    """
    server: list[Asgi] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if not server:
            from infra.local.vector_server.app import VectorServer
            from infra.local.vector_server.embedder import best_embedder
            from infra.local.vector_server.index import Index

            server.append(VectorServer(Index(best_embedder()), token).app)
        await server[0](scope, receive, send)

    return application
