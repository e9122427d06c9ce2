"""`onthoud alerts`: what a person sees and does, and what the next brief makes of it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from onthoud.memory.alerts.log import AlertLog
from onthoud.memory.alerts.model import Observation, Reading, Rules
from onthoud.memory.alerts.store import KeptPlan
from onthoud.memory.alerts.stores import BRIEF_LOG, OPERATOR
from tests.fakes.world import World
from tests.unit.cli.operator import Operator

KEY = "tasks:task:roof"
AUDIENCE = "operator/channel"


class Morning:
    def __init__(self) -> None:
        self.world = World()
        self.operator = Operator(self.world)
        self.log = AlertLog.of_operator(
            self.world.table, self.world.clock, self.world.settings.space, BRIEF_LOG, OPERATOR, Rules((AUDIENCE,))
        )
        self.days = 0

    def brief(self, status: str = "open", *, there: bool = True) -> list[str]:
        self.days += 1
        run = f"daily-brief/{self.days}"
        shown = (Observation("tasks", "task", "roof", "Repair the roof", {"status": status}),) if there else ()
        seen = self.log.observe([Reading("tasks", self.world.clock.now(), True, shown)], run)
        plan = self.log.plan(seen, AUDIENCE, run)
        writes = self.log.keep(plan)
        self.world.table.transact(writes)
        self.log.commit(KeptPlan.of(plan, writes))
        self.world.clock.advance(days=1)
        return [str(telling.kind) for telling in plan.tellings]


@pytest.fixture
def morning() -> Morning:
    made = Morning()
    made.brief()
    return made


def test_the_list_shows_what_is_open_and_with_all_what_is_over(morning: Morning) -> None:
    [one] = morning.operator.json("alerts", "list")
    assert (one["key"], one["state"], one["title"]) == (KEY, "open", "Repair the roof")
    assert one["told_at"]
    assert KEY in morning.operator.run("alerts", "list")
    morning.brief(there=False)
    assert morning.operator.json("alerts", "list") == []
    assert "No alerts." in morning.operator.run("alerts", "list")
    assert [one["state"] for one in morning.operator.json("alerts", "list", "--all")] == ["resolved"]


def test_a_snooze_until_a_time_keeps_it_silent(morning: Morning) -> None:
    until = (morning.world.clock.now() + timedelta(days=2, hours=-1)).isoformat()
    assert morning.operator.json("alerts", "snooze", KEY, "--until", until)["state"] == "snoozed"
    assert [morning.brief("blocked"), morning.brief(), morning.brief("blocked")] == [[], [], ["snooze-ended"]]


def test_a_time_without_an_offset_is_the_operators(morning: Morning) -> None:
    found = morning.operator.json("alerts", "snooze", KEY, "--until", "2030-01-05T09:00")
    assert found["snoozed_until"].startswith("2030-01-05T09:00")  # the world's operator lives in UTC


def test_a_snooze_until_a_change_ends_with_the_change(morning: Morning) -> None:
    assert morning.operator.json("alerts", "snooze", KEY, "--until", "change")["snoozed_until"] == "change"
    assert [morning.brief(), morning.brief("blocked")] == [[], ["update"]]


def test_a_mute_needs_a_reason_and_survives(morning: Morning) -> None:
    morning.operator.run("alerts", "mute", KEY, code=2)
    assert morning.operator.json("alerts", "mute", KEY, "--reason", "known")["mute_reason"] == "known"
    assert [morning.brief("blocked"), morning.brief(there=False), morning.brief()] == [[], [], []]


def test_resolved_by_hand_is_silent_until_it_changes_and_can_be_reopened(morning: Morning) -> None:
    assert morning.operator.json("alerts", "resolve", KEY, "--note", "roofer came")["resolved_by"] == "hand (operator)"
    assert [morning.brief(), morning.brief("blocked")] == [[], ["update"]]
    morning.operator.run("alerts", "resolve", KEY)
    assert "open" in morning.operator.run("alerts", "reopen", KEY)


def test_a_note_and_an_owner_stay(morning: Morning) -> None:
    morning.operator.run("alerts", "note", KEY, "--text", "ask Bo", "--owner", "bo")
    morning.brief("blocked")
    found = morning.operator.json("alerts", "show", KEY)
    assert (found["note"], found["owner"]) == ("ask Bo", "bo")
    assert "ask Bo" in morning.operator.run("alerts", "show", KEY)


def test_explain_tells_the_story_and_why_not_the_reason(morning: Morning) -> None:
    morning.brief("blocked")
    story = morning.operator.run("alerts", "explain", KEY)
    for part in ("first seen (tasks)", "told new (daily-brief/1)", "status: open -> blocked", "unchanged since"):
        assert part in story
    assert morning.operator.json("alerts", "explain", KEY)["times"] == 1
    [found] = morning.operator.json("alerts", "why-not", "roof")
    assert found["now"] == {AUDIENCE: "unchanged since it was told in daily-brief/2"}
    assert "unchanged since" in morning.operator.run("alerts", "why-not", "roof")
    assert "No alert has these words. Sources: tasks" in morning.operator.run("alerts", "why-not", "elephant")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("show", "no:such:key"), "no alert has the key"),
        (("resolve", "no:such:key"), "no such alert"),
        (("snooze", KEY, "--until", "2020-01-01T00:00Z"), "must end in the future"),
    ],
)
def test_what_makes_no_sense_is_one_clear_line(morning: Morning, args: tuple[str, ...], said: str) -> None:
    from typer.testing import CliRunner

    from tests.unit.cli.operator import PROGRAM

    result = CliRunner().invoke(PROGRAM, ["alerts", *args], obj=morning.operator.session())
    assert result.exit_code == 1
    assert said in str(result.exception) + result.output


def test_a_time_that_is_none_is_a_usage_error(morning: Morning) -> None:
    morning.operator.run("alerts", "snooze", KEY, "--until", "soonish", code=2)
