"""The operator before a small world: runs commands, reads what they print."""

from __future__ import annotations

import json
from typing import Any

from typer.testing import CliRunner

from infra.cli.main import build
from infra.cli.session import Session
from tests.fakes.memory_queue import MemoryQueue
from tests.fakes.world import World

PROGRAM = build()


class Operator:
    """`run` returns what was printed and insists on the exit code; `json` parses it."""

    def __init__(self, world: World) -> None:
        self.world = world
        clock = world.clock
        self.queues = {
            "dead:comments.fifo": MemoryQueue(clock),
            "comments.fifo": MemoryQueue(clock),
            "dead:events": MemoryQueue(clock, fifo=False),
            "events": MemoryQueue(clock, fifo=False),
            "dead:run": MemoryQueue(clock, fifo=False),
        }
        self.environment = {
            "ONTHOUD_COMMENTS_DEAD_LETTERS_URL": "dead:comments.fifo",
            "ONTHOUD_COMMENTS_QUEUE_URL": "comments.fifo",
            "ONTHOUD_EVENTS_DEAD_LETTERS_URL": "dead:events",
            "ONTHOUD_EVENTS_QUEUE_URL": "events",
            "ONTHOUD_RUN_DEAD_LETTERS_URL": "dead:run",
            "ONTHOUD_BOOKINGS_DEAD_LETTERS_URL": "",
        }
        self.errors = ""

    def session(self) -> Session:
        runtime = self.world.runtime()
        runtime.queue = lambda url: self.queues[url]
        return Session.of(runtime, self.environment)

    def run(self, *args: str, code: int = 0) -> str:
        result = CliRunner().invoke(PROGRAM, list(args), obj=self.session())
        self.errors = result.stderr
        assert result.exit_code == code, (result.exit_code, result.stdout, result.stderr, result.exception)
        assert "Traceback" not in result.output
        return result.stdout

    def json(self, *args: str, code: int = 0) -> Any:
        return json.loads(self.run(*args, "--json", code=code))
