"""The program of a worker process: it imports one function's handler and runs one invocation after the other.

A parent imports the handler and forks a child, which does the work; when the child is gone (killed on purpose, or by
itself) the parent says so and forks the next one, warm within milliseconds. Messages are JSON lines on one socket.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import socket
import sys
import time
import traceback
from datetime import UTC, datetime
from typing import Any


class Context:
    """Lambda's context object, as far as Python handlers know it."""

    identity = None
    client_context = None

    def __init__(self, request_id: str, deadline: float, environment: dict[str, str]) -> None:
        self.aws_request_id = request_id
        self.function_name = environment["AWS_LAMBDA_FUNCTION_NAME"]
        self.function_version = environment["AWS_LAMBDA_FUNCTION_VERSION"]
        self.memory_limit_in_mb = environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]
        self.invoked_function_arn = environment["ONTHOUD_LOCAL_FUNCTION_ARN"]
        self.log_group_name = environment["AWS_LAMBDA_LOG_GROUP_NAME"]
        self.log_stream_name = environment["AWS_LAMBDA_LOG_STREAM_NAME"]
        self._deadline = deadline

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds of real time until the invocation is cut off."""
        return max(0, int((self._deadline - time.monotonic()) * 1000))


class Clock:
    """Moves this process to the stack's time; without time-machine's pytest plugin, which would cost 0.3 s."""

    def __init__(self) -> None:
        self._traveller: Any = None

    def move_to(self, instant: float) -> None:
        """Let it be `instant` (epoch seconds) now, and tick on."""
        moment = datetime.fromtimestamp(instant, UTC)
        if self._traveller is not None:
            self._traveller.move_to(moment)
            return
        sys.modules["pytest"] = None  # type: ignore[assignment]
        import time_machine

        del sys.modules["pytest"]
        self._traveller = time_machine.travel(moment, tick=True).start()


def _load(handler: str) -> Any:
    module, name = handler.rsplit(".", 1)
    return getattr(importlib.import_module(module), name)


def _say(connection: socket.socket, **message: Any) -> None:
    # The line starts with a newline too: a predecessor may have died in the middle of its line.
    connection.sendall(b"\n" + json.dumps(message).encode() + b"\n")


def _run(function: Any, request: dict[str, Any]) -> dict[str, Any]:
    deadline = time.monotonic() + request["timeout_s"]
    context = Context(request["id"], deadline, dict(os.environ))
    try:
        result = function(request["event"], context)
        json.dumps(result)  # Lambda fails an invocation whose result is no JSON
    except BaseException as error:  # whatever it is, it ends this invocation only
        traceback.print_exc()
        return {"kind": "failed", "id": request["id"], "error": f"{type(error).__name__}: {error}"}
    return {"kind": "done", "id": request["id"], "result": result}


def _serve(connection: socket.socket, function: Any, clock: Clock) -> None:
    _say(connection, kind="ready", pid=os.getpid())
    for line in connection.makefile("rb"):
        request = json.loads(line)
        clock.move_to(request["instant"])
        answer = _run(function, request)
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        _say(connection, **answer)


def main() -> None:
    """Run the worker: `worker_main.py FD HANDLER`."""
    connection = socket.socket(fileno=int(sys.argv[1]))
    clock = Clock()
    try:
        clock.move_to(float(sys.argv[3]))
        function = _load(sys.argv[2])
    except BaseException as error:  # an import may raise anything, SystemExit included
        traceback.print_exc()
        _say(connection, kind="unusable", error=f"{type(error).__name__}: {error}")
        connection.close()
        return
    while True:
        child = os.fork()
        if child == 0:
            _serve(connection, function, clock)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status == 0:  # the stack has closed the socket
            return
        _say(connection, kind="died", pid=child, status=status)


if __name__ == "__main__":
    main()
