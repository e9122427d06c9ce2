"""Serves an ASGI application, or raw answers, on a real loopback socket, for tests of what speaks HTTP."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn


@contextmanager
def serving(application: Any) -> Iterator[str]:
    """Serve an application on a free port; yield its address."""
    # The protocol is named so that asyncio switches Nagle's algorithm off, which costs 40 ms an answer.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)  # so that who comes before the server is up waits instead of being refused
    server = uvicorn.Server(uvicorn.Config(application, log_level="error", lifespan="off", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        server.force_exit = True
        thread.join(10)
        listener.close()


class Door:
    """An application that passes on to whatever stands behind it just now: one socket for many tests."""

    def __init__(self) -> None:
        self.behind: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.behind(scope, receive, send)


class RawServer:
    """Does with each connection what the next behaviour says: for faults that no HTTP server would commit.

    A behaviour gets the connected socket after the request has been read; the connection is closed behind it.
    """

    def __init__(self, *behaviours: Callable[[socket.socket], None]) -> None:
        self.requests: list[bytes] = []
        self._behaviours = list(behaviours)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> RawServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _run(self) -> None:
        for behaviour in self._behaviours:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self.requests.append(_read_request(connection))
                behaviour(connection)


def _read_request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")), 0
    )
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def answer(status: int, body: bytes, **headers: str) -> Callable[[socket.socket], None]:
    """Return a behaviour that answers properly and then keeps or closes the connection as it wishes."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]

    def behave(connection: socket.socket) -> None:
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    return behave


def hang_up(connection: socket.socket) -> None:
    """Close without a word."""
