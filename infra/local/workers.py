"""Workers: one warm process per function, with its own environment and nothing else of this process.

A worker does one invocation at a time. Cutting an invocation off (its time is up, or a fault says so) is a SIGKILL, as
in Lambda: no `except` and no `finally` runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_MAIN = Path(__file__).with_name("worker_main.py")
_LONGEST_LINE = 64 * 1024 * 1024
_START_S = 60.0
"""How long importing a handler may take, in real seconds; Lambda would allow 10 on a machine of its own."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the template."""

    name: str
    logical_id: str
    physical_name: str
    arn: str
    handler: str
    timeout_s: float
    memory_mb: int
    environment: Mapping[str, str]
    retries: int = 2
    on_failure_arn: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an invocation ended. `error` is None when it succeeded."""

    invocation_id: str
    result: Any = None
    error: str | None = None


class _Gone(Exception):
    """The worker died under its invocation."""


@dataclass
class Worker:
    """The process of one function.

    Attributes:
        function: what it runs.
        environment: all that the process sees.
        path: directories to import from, before the installed packages.
        home: a directory that it may write to, as `/tmp` in Lambda.
        log: takes each line that the function prints.
        now: tells the stack's time in epoch seconds.
    """

    function: Function
    environment: Mapping[str, str]
    path: tuple[Path, ...]
    home: Path
    log: Callable[[str, str], None]
    now: Callable[[], float]
    _process: asyncio.subprocess.Process | None = None
    _writer: asyncio.StreamWriter | None = None
    _child: int | None = None
    _ready: asyncio.Event = field(default_factory=asyncio.Event)
    _unusable: str | None = None
    _waiting: asyncio.Future[Outcome] | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _killed_for: str = ""
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def is_busy(self) -> bool:
        """Whether an invocation runs."""
        return self._waiting is not None

    async def invoke(self, event: Any) -> Outcome:
        """Run the handler once, starting the process if need be; never raises for what the function does."""
        async with self._turn:
            invocation_id = str(uuid.uuid4())
            try:
                await self._start()
                return await self._ask(invocation_id, event)
            except (TimeoutError, _Gone, ConnectionError) as error:
                return Outcome(invocation_id, error=str(error) or "the worker is gone")

    async def _ask(self, invocation_id: str, event: Any) -> Outcome:
        request = {
            "id": invocation_id,
            "event": event,
            "instant": self.now(),
            "timeout_s": self.function.timeout_s,
        }
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_future()
        timer = loop.call_later(
            self.function.timeout_s, self.kill, f"Task timed out after {self.function.timeout_s:.2f} seconds"
        )
        try:
            assert self._writer is not None  # noqa: S101 - `_start` has set it
            self._writer.write(json.dumps(request).encode() + b"\n")
            await self._writer.drain()
            return await self._waiting
        finally:
            timer.cancel()
            self._waiting = None

    def kill(self, reason: str) -> None:
        """Kill the process under its invocation; the next one starts warm."""
        if self._child is not None:
            self._ready.clear()
            self._killed_for = reason
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGKILL)
            self._child = None
            self._fail(reason)

    async def stop(self) -> None:
        """End the process for good; the next invocation would start a new one with the environment of then."""
        process, self._process = self._process, None
        self._ready.clear()
        if process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self._fail("the worker was stopped")
        for task in list(self._tasks):
            task.cancel()

    def _fail(self, reason: str) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(_Gone(reason))

    async def _start(self) -> None:
        if self._process is None or self._process.returncode is not None or self._unusable:
            await self.stop()
            await self._spawn()
        await asyncio.wait_for(self._ready.wait(), _START_S)
        if self._unusable:
            raise _Gone(f"the handler cannot be imported: {self._unusable}")

    async def _spawn(self) -> None:
        self._unusable = None
        self._ready = asyncio.Event()
        ours, theirs = socket.socketpair()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            str(_MAIN),
            str(theirs.fileno()),
            self.function.handler,
            str(self.now()),
            env={**self.environment, "PYTHONPATH": os.pathsep.join(map(str, self.path)), "HOME": str(self.home)},
            cwd=self.home,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
            limit=_LONGEST_LINE,
        )
        theirs.close()
        reader, self._writer = await asyncio.open_connection(sock=ours, limit=_LONGEST_LINE)
        assert self._process.stdout is not None  # noqa: S101 - it was asked for above
        for work in (self._listen(reader, self._ready), self._collect(self._process.stdout)):
            task = asyncio.create_task(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _collect(self, output: asyncio.StreamReader) -> None:
        while line := await output.readline():
            self.log(self.function.name, line.decode(errors="replace").rstrip("\n"))

    async def _listen(self, reader: asyncio.StreamReader, ready: asyncio.Event) -> None:
        with contextlib.suppress(ConnectionError):
            while line := await reader.readline():
                with contextlib.suppress(ValueError):  # the half line of one that was killed
                    self._take(json.loads(line))
        if ready is self._ready:  # else it is the end of a process that has been replaced already
            self._unusable = self._unusable or "the worker process has ended"
            ready.set()
            self._fail("the worker process has ended")

    def _take(self, message: dict[str, Any]) -> None:
        kind = message["kind"]
        if kind == "ready":
            self._child = message["pid"]
            self._ready.set()
        elif kind == "unusable":
            self._unusable = message["error"]
            self._ready.set()
        elif kind == "died":
            if message["pid"] == self._child:  # by itself: nobody here has killed it
                self._child = None
                self._ready.clear()
                self._fail(f"Runtime exited with status {message['status']}")
        elif self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(Outcome(message["id"], message.get("result"), message.get("error")))
