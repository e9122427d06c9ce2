"""The HTTP server under everything: uvicorn in the stack's own event loop, on sockets that are bound already."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator, MutableMapping
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from infra.local.engine import Asgi

_KEEP_ALIVE_S = 3600
"""Real seconds. A pooled connection that the server has just closed would be a fault that nobody asked for."""


class _Protocol(HttpToolsProtocol):
    """Lets an application reach its connection, so that a fault can cut it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the stack."""
        yield


def listen(port: int = 0) -> socket.socket:
    """Return a socket bound on 127.0.0.1; port 0 picks a free one.

    Raises:
        OSError: the port is taken.
    """
    # asyncio switches Nagle's algorithm off only where the protocol is named; with it, each answer takes 40 ms longer.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(("127.0.0.1", port))
    except OSError:
        bound.close()
        raise
    return bound


def port_of(bound: socket.socket) -> int:
    """Return the port that a socket is bound to."""
    return int(bound.getsockname()[1])


class Server:
    """Serves one application on several sockets."""

    def __init__(self, application: Asgi, sockets: list[socket.socket]) -> None:
        config = uvicorn.Config(
            application,
            http=_Protocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=_KEEP_ALIVE_S,
            timeout_graceful_shutdown=1,
        )
        self._server = _Server(config)
        self._sockets = sockets
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to answer."""
        self._task = asyncio.create_task(self._server.serve(self._sockets))
        while not self._server.started:
            await asyncio.sleep(0.005)

    async def stop(self) -> None:
        """Close all connections and stop."""
        self._server.should_exit = True
        self._server.force_exit = True
        if self._task is not None:
            await self._task


def transport_of(scope: MutableMapping[str, Any]) -> asyncio.Transport:
    """Return the connection that a request came by."""
    transport: asyncio.Transport = scope["state"]["transport"]
    return transport
