"""A log in memory with a clock that is moved by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from onthoud.memory.alerts.log import AlertLog
from onthoud.memory.alerts.model import Observation, Reading, Rules
from onthoud.memory.alerts.news import NewsKind
from onthoud.memory.alerts.planning import Plan
from onthoud.memory.alerts.store import KeptPlan
from onthoud.scope import Space
from tests.fakes.memory_table import MemoryTable

START = datetime(2026, 11, 30, 6, 30, tzinfo=UTC)
READER = "operator/slack"
SPACE = Space("main", "default")
WORDS = {kind.value.upper(): kind for kind in NewsKind}


class HandClock:
    def __init__(self, at: datetime = START) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def forward(self, **by: float) -> None:
        self.at += timedelta(**by)


def task(subject: str = "t1", *, source: str = "tasks", **changes: Any) -> Observation:
    material = {"status": "open", "due": "none"} | changes.pop("material", {})
    title = changes.pop("title", f"Task {subject}")
    return Observation(source, "task", subject, title, material, **changes)


@dataclass
class Setting:
    rules: Rules = field(default_factory=lambda: Rules((READER,)))
    table: MemoryTable = field(default_factory=MemoryTable)
    clock: HandClock = field(default_factory=HandClock)
    runs: int = 0

    def __post_init__(self) -> None:
        self.log = AlertLog.of_operator(self.table, self.clock, SPACE, "daily-brief", "operator", self.rules)

    def read(self, *shown: Observation, source: str = "tasks", complete: bool = True, error: str = "") -> Reading:
        return Reading(source, self.clock.now(), complete, shown, error)

    def observe(self, *readings: Reading, audience: str = READER) -> Plan:
        self.runs += 1
        run = f"daily-brief/{self.runs}"
        return self.log.plan(self.log.observe(readings, run), audience, run)

    def deliver(self, plan: Plan, *, certain: bool = True) -> None:
        writes = self.log.keep(plan)
        self.table.transact(writes)
        self.log.commit(KeptPlan.of(plan, writes), certain=certain)

    def brief(self, *readings: Reading, audience: str = READER, certain: bool = True) -> list[str]:
        plan = self.observe(*readings, audience=audience)
        self.deliver(plan, certain=certain)
        return news(plan)

    def morning(self, *shown: Observation) -> list[str]:
        """One day later, a complete reading of the tasks, delivered."""
        self.clock.forward(days=1)
        return self.brief(self.read(*shown))


def news(plan: Plan) -> list[str]:
    return [f"{telling.kind.upper()} {telling.key}" for telling in plan.tellings]
