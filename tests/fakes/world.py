"""A whole small world around the bots, in memory: clock, table, model, channel, dead letters. For unit tests only."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from onthoud.deadline import Deadline
from onthoud.ports.channel import FailureClass, Outgoing, Receipt, SendError
from onthoud.ports.model import ModelAnswer, ModelRequest, Usage
from onthoud.runtime import Runtime
from onthoud.settings import Settings
from tests.fakes.memory_table import MemoryTable

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
Hook = Callable[[str, str], None]


class TestClock:
    __test__ = False

    def __init__(self, start: datetime = START) -> None:
        self.moment = start

    def now(self) -> datetime:
        return self.moment

    def advance(self, **delta: float) -> None:
        self.moment += timedelta(**delta)


def nothing(target: str, phase: str) -> None:
    """A hook that lets everything pass."""


class FakeModel:
    """Answers every reply call; scripted answers (text, or an exception) come first."""

    def __init__(self, hook: Hook = nothing) -> None:
        self.requests: list[ModelRequest] = []
        self.script: list[Any] = []
        self.hook = hook

    def answer(self, request: ModelRequest, *, timeout_s: float) -> ModelAnswer:
        assert timeout_s > 0
        self.hook("model", "before")
        self.requests.append(request)
        scripted = self.script.pop(0) if self.script else None
        if isinstance(scripted, Exception):
            raise scripted
        if isinstance(scripted, ModelAnswer):
            return scripted
        if scripted is None:
            scripted = reply("Thanks, good to hear from you!")
        self.hook("model", "after")
        return ModelAnswer(json.dumps(scripted), "end_turn", Usage(100, 20), request.model)


def reply(text: str, action: str = "reply", **more: Any) -> dict[str, Any]:
    return {"action": action, "text": text, "language": "en", "why": "answered", "memory_ids": [], **more}


@dataclass
class FakeChannel:
    """A far end that keeps what it accepted; `faults` are raised in order, before or after the work."""

    can_read_back: bool = True
    is_idempotent: bool = True
    accepted: list[Outgoing] = field(default_factory=list)
    faults: list[tuple[str, SendError]] = field(default_factory=list)
    attempts: int = 0
    hook: Hook = nothing

    def send(self, message: Outgoing, *, timeout_s: float) -> Receipt:
        self.hook("send", "before")
        self.attempts += 1
        when, error = self.faults.pop(0) if self.faults else ("", None)
        if error is not None and when == "before":
            raise error
        known = [one for one in self.accepted if one.idempotency_key == message.idempotency_key]
        if not (known and self.is_idempotent):
            self.accepted.append(message)
        self.hook("send", "after")
        if error is not None:
            raise error
        return Receipt(f"p-{len(self.accepted)}")

    def find_own_reply(self, message: Outgoing, *, timeout_s: float) -> Receipt | None:
        self.hook("find", "before")
        assert self.can_read_back
        found = any(one.idempotency_key == message.idempotency_key for one in self.accepted)
        self.hook("find", "after")
        return Receipt("p") if found else None


@dataclass
class FakeQueue:
    sent: list[dict[str, Any]] = field(default_factory=list)

    def send(self, body: str, *, group: str, deduplication_id: str, attributes: Any = None, delay_s: int = 0) -> None:
        message = {"body": body, "group": group, "id": deduplication_id, "attributes": dict(attributes or {})}
        self.sent.append(message | ({"delay_s": delay_s} if delay_s else {}))


class World:
    """`hook(target, phase)` sees every call that leaves the code: `get_many`, `transact`, `model`, `send`, ..."""

    def __init__(self, hook: Hook = nothing, **settings: Any) -> None:
        defaults = {"table": "memory", "default_language": "en", "comments_dead_letters_url": "memory:dead.fifo"}
        self.settings = Settings.model_validate({**defaults, **settings})
        self.clock = TestClock()
        self.table = MemoryTable(hook)
        self.model = FakeModel(hook)
        self.channel = FakeChannel(hook=hook)
        self.dead = FakeQueue()

    def hooked(self, hook: Hook) -> None:
        self.table.hook = self.model.hook = self.channel.hook = hook

    def runtime(self) -> Runtime:
        """A new process: nothing is kept but what lies in the world."""
        runtime = Runtime(self.settings, self.clock)
        runtime.table = self.table
        runtime.model = self.model
        runtime.channel = self.channel
        runtime.queue = lambda url: self.dead
        return runtime


def plenty() -> Deadline:
    return Deadline(lambda: 180_000)


def transient(code: str = "429") -> tuple[str, SendError]:
    return ("before", SendError(FailureClass.TRANSIENT, code))


def lost(code: str = "timeout") -> tuple[str, SendError]:
    return ("after", SendError(FailureClass.AMBIGUOUS, code))


def comment(comment_id: str, text: str | None = "Do you have lights on court 3?", **more: Any) -> dict[str, Any]:
    event: dict[str, Any] = {
        "schema": "onthoud.comment.v1",
        "comment_id": comment_id,
        "channel": "instagram",
        "account_id": "club",
        "verb": "created",
        "author": {"id": "ana-1", "name": "Ana", "is_self": False},
        "thread": {"post_id": "p-1", "parent_id": None},
        "text": text,
        "attachments": [],
        "occurred_at": START.isoformat(),
    }
    event.update(more)
    return event
