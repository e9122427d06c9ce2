"""The gateway: every call that a function makes to the outside passes here, where faults can hit it.

Each worker has a port of its own, so that a call is known to be its. Behind the gateway lie the engine, the model
server, the channel's far end, the vector index and the brief's sources, all in this process.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, MutableMapping
from typing import Any

from infra.local import calls
from infra.local.calls import Call
from infra.local.engine import Asgi
from infra.local.faults import Fault, Faults
from infra.local.permissions import Permissions
from infra.local.servers import transport_of

Scope = MutableMapping[str, Any]


class Gateway:
    """Routes the calls of functions."""

    def __init__(self, engine: Asgi, faults: Faults, kill: Callable[[str, str], None]) -> None:
        """Start with the engine alone.

        Args:
            engine: what answers where no mount does.
            faults: what goes wrong.
            kill: called with a function's name and a reason to kill its worker.
        """
        self._engine = engine
        self._faults = faults
        self._kill = kill
        self._mounts: dict[str, Asgi] = {}
        self.function_at: dict[int, str] = {}
        self.on_dead_letter: Callable[[str, str], None] | None = None
        self.dead_letter_names: frozenset[str] = frozenset()
        self.interrupt: Callable[[Scope], Any] | None = None
        self.permissions: Permissions | None = None

    def mount(self, path: str, application: Asgi) -> None:
        """Let `application` answer what lies under `path`."""
        self._mounts[path] = application

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Answer one call of a function, as ASGI."""
        function = self.function_at.get(scope["server"][1], "")
        if not function or not self._faults.active:
            await self._pass_on(scope, receive, send, function)
            return
        call = calls.classify(scope)
        fault = self._faults.hit(call.target, call.operation)
        if fault is None:
            await self._pass_on(scope, receive, send, function)
        else:
            await self._go_wrong(fault, call, function, scope, receive, send)

    async def _pass_on(self, scope: Scope, receive: Any, send: Any, function: str) -> None:
        mount = calls.mount_of(scope["path"])
        if mount == calls.ENGINE:
            if self.permissions and self.permissions.know(function):
                body = await _body(receive)
                receive = _replay(body)
                call = calls.classify(scope)
                refusal = self.permissions.refusal(function, call, scope["path"], body)
                if refusal:
                    await _answer(send, *calls.denial(call, refusal))
                    return
            if self.on_dead_letter and calls.header(scope, b"x-amz-target") == "AmazonSQS.SendMessage":
                receive = await self._watched(receive, function, self.on_dead_letter)
            instead = self.interrupt(scope) if function and self.interrupt else None
            await (instead(receive, send) if instead else self._engine(scope, receive, send))
            return
        application = self._mounts.get(mount)
        if application is None:
            await _answer(send, 404, [], b"nothing is mounted here")
            return
        path = scope["path"].removeprefix(mount) or "/"
        await application({**scope, "path": path, "raw_path": path.encode(), "root_path": ""}, receive, send)

    async def _watched(self, receive: Any, function: str, told: Callable[[str, str], None]) -> Any:
        """Notice what a function puts on a dead-letter queue itself."""
        body = await _body(receive)
        with contextlib.suppress(ValueError, KeyError, TypeError):  # the engine will say what is wrong with it
            request = json.loads(body)
            if request["QueueUrl"].rsplit("/", 1)[-1] in self.dead_letter_names:
                told(function, request["MessageBody"])
        return _replay(body)

    async def _go_wrong(self, fault: Fault, call: Call, function: str, scope: Scope, receive: Any, send: Any) -> None:
        if fault.done_first:
            await self._pass_on(scope, _replay(await _body(receive)), _nowhere, function)
        else:
            await _body(receive)
        if fault.kind in ("error", "throttle"):
            await _answer(send, *calls.failure(call, throttled=fault.kind == "throttle"))
            return
        if fault.kind == "crash":
            self._kill(function, f"killed {'after' if fault.done_first else 'before'} {call.target} {call.operation}")
        if fault.kind in ("crash", "lost_answer"):
            transport_of(scope).abort()
        await _until_given_up(receive)


async def _body(receive: Any) -> bytes:
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


def _replay(body: bytes) -> Any:
    sent = False

    async def receive() -> dict[str, Any]:
        nonlocal sent
        if sent:
            return {"type": "http.disconnect"}
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def _until_given_up(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _nowhere(message: dict[str, Any]) -> None:
    del message


async def _answer(send: Any, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
