"""Mornings in memory: the whole brief around fake sources, a fake model and fake far ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from daily_brief.outlets import Outlet
from daily_brief.phrasing import Phraser
from daily_brief.run import BriefRun, Parts
from daily_brief.settings import BriefSettings
from onthoud.delivery.sender import Sender
from onthoud.memory.alerts.log import AlertLog
from onthoud.memory.alerts.model import Observation, Reading, Rules
from onthoud.memory.alerts.stores import BRIEF_LOG, OPERATOR
from onthoud.ports.model import ModelAnswer, ModelRequest, Usage
from onthoud.ports.source import Harvest
from tests.fakes.world import FakeChannel, World, plenty

ZONE = ZoneInfo("Europe/Amsterdam")
FIRST = datetime(2026, 11, 30, 6, 30, tzinfo=ZONE)


@dataclass
class FakeSource:
    """Shows what it is given; `error` makes a reading incomplete."""

    name: str
    shown: list[Observation] = field(default_factory=list)
    error: str = ""
    harvest: Callable[[Reading], Harvest] = Harvest
    read_times: int = 0

    def read(self, now: datetime) -> Harvest:
        self.read_times += 1
        shown = () if self.error else tuple(self.shown)
        return self.harvest(Reading(self.name, now, not self.error, shown, self.error))


@dataclass
class FakeArchive:
    texts: dict[str, str] = field(default_factory=dict)
    hook: Callable[[str, str], None] = lambda target, phase: None

    def put(self, name: str, text: str) -> None:
        self.hook("archive", "before")
        self.texts[name] = text
        self.hook("archive", "after")


class Mornings:
    """A stack whose only bot is the brief. `run` is one invocation in a new process."""

    def __init__(self, *names: str, outlets: tuple[str, ...] = ("channel",), **settings: Any) -> None:
        self.world = World()
        settings = {"table": "memory", "operator_time_zone": "Europe/Amsterdam", "default_language": "en"} | settings
        self.settings = BriefSettings.model_validate(settings)
        self.world.settings = self.settings
        self.sources = {name: FakeSource(name) for name in (names or ("tasks",))}
        self.channels = {name: self.world.channel if name == "channel" else FakeChannel() for name in outlets}
        for name, channel in self.channels.items():
            if name != "channel":
                channel.can_read_back = channel.is_idempotent = False
        self.archive = FakeArchive()
        self.rules = Rules(tuple(f"{OPERATOR}/{name}" for name in outlets))
        self.world.clock.moment = FIRST.astimezone(UTC)
        self.model = EchoModel()
        self.world.model = self.model  # type: ignore[assignment]

    @property
    def now(self) -> datetime:
        return self.world.clock.moment

    def log(self) -> AlertLog:
        return self.parts().log

    def parts(self) -> Parts:
        runtime = self.world.runtime()
        outlets = [
            Outlet(name, channel, Sender(runtime.desk, runtime.outbox, channel))
            for name, channel in self.channels.items()
        ]
        return Parts(
            settings=self.settings,
            clock=self.world.clock,
            desk=runtime.desk,
            outbox=runtime.outbox,
            log=AlertLog.of_operator(
                self.world.table, self.world.clock, self.settings.space, BRIEF_LOG, OPERATOR, self.rules
            ),
            sources=list(self.sources.values()),
            outlets=outlets,
            archive=self.archive,
            phraser=Phraser(self.world.model, self.settings.brief_model, self.settings.brief_max_tokens),
            prices=runtime.prices,
            redactor=runtime.redactor,
        )

    def run(self, scheduled_at: datetime | None = None) -> dict[str, str]:
        return BriefRun(self.parts(), scheduled_at or self.now, plenty()).run()

    def brief(self, outlet: str = "channel") -> str:
        """One brief, delivered; returns its text."""
        before = len(self.channels[outlet].accepted)
        self.run()
        [sent] = self.channels[outlet].accepted[before:]
        return sent.text

    def next_morning(self, **later: float) -> None:
        local = self.now.astimezone(ZONE)
        following = datetime.combine(local.date() + timedelta(days=1), FIRST.timetz().replace(tzinfo=None), ZONE)
        self.world.clock.moment = following.astimezone(UTC) + timedelta(**later)

    def hooked(self, hook: Callable[[str, str], None]) -> None:
        self.world.hooked(hook)
        self.archive.hook = hook
        for channel in self.channels.values():
            channel.hook = hook


class EchoModel:
    """Answers rightly: every item once, in its order, no words added; `twist` changes the answer."""

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []
        self.twist: Callable[[list[dict[str, str]]], Any] = lambda items: {"items": items}
        self.stop_reason = "end_turn"
        self.error: Exception | None = None
        self.hook: Callable[[str, str], None] = lambda target, phase: None

    def answer(self, request: ModelRequest, *, timeout_s: float) -> ModelAnswer:
        self.hook("model", "before")
        self.requests.append(request)
        if self.error is not None:
            raise self.error
        answer = self.twist([{"id": ref, "text": ""} for ref in refs(request)])
        text = answer if isinstance(answer, str) else json.dumps(answer)
        self.hook("model", "after")
        return ModelAnswer(text, self.stop_reason, Usage(300, 40), request.model)


def refs(request: ModelRequest) -> list[str]:
    import re

    return re.findall(r'<item id="([^"]+)"', request.messages[0].text)


def task(subject: str, title: str = "", **material: Any) -> Observation:
    fields: Mapping[str, Any] = {"status": "open", "due": None, "due_phase": None, "priority": None} | material
    return Observation("tasks", "task", subject, title or f"Task {subject}", fields)


def mail(subject: str, title: str, excerpt: str = "", sender: str = "Ana") -> Observation:
    return Observation(
        "mail", "message", subject, title, {"state": "received"}, summary=excerpt, data={"sender": sender}
    )


def changes(text: str) -> list[str]:
    """The lines under "What changed"."""
    _, _, part = text.partition("## What changed\n")
    return [line for line in part.split("\n\n")[0].split("\n") if line]


def trust(text: str) -> str:
    return text.strip().split("\n")[-1]
