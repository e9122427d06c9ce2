"""The local vector server on a real socket, for tests that let the unmodified client talk to it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from infra.local.vector_server.app import VectorServer
from infra.local.vector_server.index import Index

TOKEN = "test-token"


@contextmanager
def serving(index: Index) -> Iterator[str]:
    """Serve the index on a free loopback port; yield its address."""
    with serving_app(VectorServer(index, TOKEN).app) as address:
        yield address


@contextmanager
def serving_app(app: ASGIApp) -> Iterator[str]:
    """Serve any ASGI application on a free loopback port; yield its address."""
    # With the protocol named, asyncio sets TCP_NODELAY; without, every answer waits 40 ms for a delayed ACK.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()
