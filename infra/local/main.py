"""`onthoud local`: starts the stack, says that it is ready, and ends it on a signal."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any

from infra.local.control import Control
from infra.local.gateway import Scope
from infra.local.servers import Server, listen, port_of
from infra.local.stack import ROOT, Options, Stack

_AUTO_PAUSE_S = 0.5
_WATCH_PAUSE_S = 0.5
_STOP_S = 3.0


def log_to(stream: Any, data: Path | None) -> None:
    """Let each invocation's line go to `stream`, and to a file beside the kept state."""
    logger = logging.getLogger("onthoud.local")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    handlers: list[logging.Handler] = [logging.StreamHandler(stream)]
    if data is not None:
        handlers.append(logging.FileHandler(data / "local.log", encoding="utf-8"))
    for handler in handlers:
        handler.setFormatter(logging.Formatter("%(message)s"))
        logger.addHandler(handler)


async def serve(options: Options, *, auto: bool, watch: bool, ready: Callable[[str], None]) -> None:
    """Run the stack until SIGTERM or SIGINT.

    Args:
        options: what to run.
        auto: work off the queues as messages come.
        watch: start the functions anew when their code changes.
        ready: called with the address once everything answers.

    Raises:
        TemplateError: the template, or a parameter, is wrong.
        OSError: the port is taken.
    """
    ended = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, ended.set)
    control_socket = listen(options.port)
    stack = Stack(options)
    control, port = Control(stack).app, port_of(control_socket)

    async def application(scope: Scope, receive: Any, send: Any) -> None:
        await (control if scope["server"][1] == port else stack.gateway)(scope, receive, send)

    server = Server(application, [control_socket, *stack.sockets.values()])
    await stack.open()
    await server.start()
    ready(f"http://127.0.0.1:{port}")
    wanted: list[Coroutine[Any, Any, None]] = []
    if auto:
        wanted.append(_work_off(stack))
    if watch:
        wanted.append(_watch(stack))
    tasks = [asyncio.create_task(work) for work in wanted]
    await ended.wait()
    for task in tasks:
        task.cancel()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stack.close(), _STOP_S)
    await server.stop()


async def _work_off(stack: Stack) -> None:
    while True:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stack.woken.wait(), _AUTO_PAUSE_S)
        stack.woken.clear()
        try:
            await stack.runner.work_off_now()
        except Exception:  # one bad round must not end --auto; the log has it whole
            logging.getLogger("onthoud.local").exception("working off the queues failed; it goes on")


async def _watch(stack: Stack) -> None:
    places = (stack.options.functions, ROOT / "shared")
    before = _code_state(places)
    while True:
        await asyncio.sleep(_WATCH_PAUSE_S)
        after = _code_state(places)
        if after != before:
            before = after
            logging.getLogger("onthoud.local").info("code has changed: the functions start anew")
            await stack.restart_workers()


def _code_state(places: Iterable[Path]) -> dict[Path, int]:
    found = {}
    for directory in places:
        for path in directory.rglob("*"):
            if path.suffix in {".py", ".md", ".json", ".txt"}:
                with contextlib.suppress(FileNotFoundError):  # an editor has just replaced it
                    found[path] = path.stat().st_mtime_ns
    return found


def run(options: Options, *, auto: bool = False, watch: bool = False) -> None:
    """Run the stack in this process until it is told to end; the ready line goes to standard output."""
    if options.data is not None:
        options.data.mkdir(parents=True, exist_ok=True)
    log_to(sys.stderr, options.data)

    def ready(address: str) -> None:
        sys.stdout.write(f"ready {address}\n")
        sys.stdout.flush()

    asyncio.run(serve(options, auto=auto, watch=watch, ready=ready))
