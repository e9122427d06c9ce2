"""The local vector index, mounted behind the gateway."""

from __future__ import annotations

from pathlib import Path

from infra.local.engine import Asgi


def vector_application(data: Path | None) -> Asgi:
    """Return the server that speaks Upstash Vector's protocol; it loads its embedder at the first call.

    Args:
        data: directory in which the stack keeps its state.
    """
    server: list[Asgi] = []

    async def application(scope: object, receive: object, send: object) -> None:
        if not server:
            from infra.local.vector_server import create_app

            server.append(create_app())
        await server[0](scope, receive, send)

    return application
