"""The alert log at 10,000 open alerts: planning, and what a run reads and writes."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import timedelta

from onthoud.memory.alerts.advance import Moment, advance
from onthoud.memory.alerts.log import AlertLog
from onthoud.memory.alerts.model import Alert, Observation, Reading, Rules
from onthoud.memory.alerts.planning import plan
from tests.bench.registry import Figure, benchmark
from tests.fakes.memory_table import MemoryTable
from tests.unit.alerts.setting import READER, SPACE, START, HandClock

OPEN = 10_000
CHANGED = 40
BUDGET_S = 1.0


def observations(changed: int = 0) -> tuple[Observation, ...]:
    return tuple(
        Observation(
            "tasks",
            "task",
            f"t{number}",
            f"Task number {number} with a title of usual length",
            {"status": "blocked" if number < changed else "open", "due": "2026-12-20", "due_phase": "later"},
            url=f"https://tasks.example.com/{number}",
        )
        for number in range(OPEN)
    )


def told() -> dict[str, Alert]:
    """10,000 open alerts that were told, as a run finds them."""
    rules, found = Rules((READER,)), {}
    step = advance({}, {}, [Reading("tasks", START, True, observations())], Moment(START, "r1"), rules)
    planned = plan(step.alerts.values(), {}, READER, "r1", START, rules)
    from onthoud.memory.alerts.telling import told as tell

    for telling in planned.tellings:
        found[telling.key] = tell(step.alerts[telling.key], telling, READER, "r1", START, rules)
    return found


def planning_cpu_s() -> float:
    """Return the processor time of deciding what one morning tells, with all 10,000 seen again and 40 changed."""
    rules, known = Rules((READER,)), told()
    readings = [Reading("tasks", START + timedelta(days=1), True, observations(CHANGED))]
    begun = time.process_time()
    step = advance(known, {}, readings, Moment(START + timedelta(days=1), "r2"), rules)
    planned = plan({**known, **step.alerts}.values(), step.sources, READER, "r2", START + timedelta(days=1), rules)
    spent = time.process_time() - begun
    if len(planned.tellings) != CHANGED:
        raise AssertionError("the plan is wrong")
    return spent


@benchmark("Alert log: 10,000 open alerts, 40 changed")
def alert_log() -> Iterable[Figure]:
    """Yield the time of planning, and the calls of a whole run against the table."""
    yield Figure("planning, best of 3", min(planning_cpu_s() for _ in range(3)), "s of one core", budget=BUDGET_S)
    table, clock = MemoryTable(), HandClock()
    log = AlertLog.of_operator(table, clock, SPACE, "daily-brief", "operator", Rules((READER,)))
    for number, changed in enumerate((0, CHANGED)):
        clock.forward(days=1)
        before = table.meter.copy()
        seen = log.observe([Reading("tasks", clock.now(), True, observations(changed))], f"r{number}")
        planned = log.plan(seen, READER, f"r{number}")
        for start in range(0, len(kept := log.keep(planned)), 100):
            table.transact(kept[start : start + 100])
        for waiting in log.uncommitted():
            log.commit(waiting)
        spent = table.meter.since(before)
    yield Figure("reads of a run (DynamoDB calls; its pages of 1 MB not counted)", spent.reads, "calls")
    yield Figure("read units of a run", float(spent.read_units), "units")
    yield Figure("writes of a run", spent.writes, "calls", budget=12)
    yield Figure("write units of a run", float(spent.write_units), "units")
