"""The local stack's clock and schedules."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from infra.local.harness import LocalStack, Refused
from onthoud.clock import from_iso, iso
from tests.integration import local_probe
from tests.integration.local_probe import probes

pytestmark = pytest.mark.stack

DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def running() -> Iterator[LocalStack]:
    with probes({"BatchSize": "1"}) as stack:
        yield stack


@pytest.fixture
def stack(running: LocalStack) -> LocalStack:
    """The one stack of these tests: its clock goes on from test to test; all that was due has run."""
    running.drain()
    return running


@pytest.fixture
def since(stack: LocalStack) -> datetime:
    """When the test began, on the stack's clock."""
    return from_iso(stack.now)


def notes(stack: LocalStack, prefix: str = "", since: datetime | None = None) -> list[dict[str, Any]]:
    """What was noted under a tag since then."""
    found = local_probe.notes(stack, prefix)
    return [one for one in found if since is None or from_iso(one["at"]) >= since]


def tags(stack: LocalStack, prefix: str = "", since: datetime | None = None) -> list[str]:
    """The tags of those notes."""
    return [str(one["tag"]) for one in notes(stack, prefix, since)]


def night_after(stack: LocalStack, month: int, day: int) -> datetime:
    """Noon UTC on the next such date."""
    now = from_iso(stack.now)
    noon = now.replace(month=month, day=day, hour=12, minute=0, second=0, microsecond=0)
    return noon if noon > now else noon.replace(year=noon.year + 1)


def go_quietly(stack: LocalStack, moment: datetime) -> None:
    """Come to a moment, with everything before it worked off."""
    stack.move_to(iso(moment))
    stack.drain()


def test_the_clock_starts_at_real_time_ticks_and_never_goes_back(stack: LocalStack) -> None:
    now = from_iso(stack.now)
    assert abs(now - datetime.now(now.tzinfo)) < timedelta(seconds=5)
    later = from_iso(stack.advance(86_400))
    assert timedelta(0) <= later - now - DAY < timedelta(seconds=5)
    assert from_iso(stack.now) > later
    with pytest.raises(Refused, match="does not go back"):
        stack.move_to(iso(now))
    assert from_iso(stack.move_to(iso(later + DAY))) >= later + DAY


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"now": "yesterday"},
        {"now": "2099-01-01T00:00:00"},
        {"now": 5},
        {"advance_s": -1},
        {"advance_s": "1"},
        {"advance_s": True},
        {"advance_s": 1e30},
        {"advance_s": 1, "now": "2099-01-01T00:00:00Z"},
        {"advance_s": 1, "sweep_expired": "no"},
    ],
)
def test_a_malformed_time_is_refused_and_moves_nothing(stack: LocalStack, body: object) -> None:
    before = from_iso(stack.now)
    with pytest.raises(Refused) as refused:
        stack.call("POST", "/local/clock", body)
    assert refused.value.status == 400
    assert from_iso(stack.now) - before < timedelta(seconds=5)


def test_functions_live_at_the_stacks_time(stack: LocalStack) -> None:
    go_quietly(stack, from_iso(stack.now) + 40 * DAY)
    stack.send("ordered", {"do": "note", "tag": "then"})
    stack.drain()
    [one] = notes(stack, "then")
    assert abs(from_iso(one["at"]) - from_iso(stack.now)) < timedelta(seconds=5)


def test_occurrences_run_in_order_each_at_its_own_instant_after_the_messages_before_it(stack: LocalStack) -> None:
    go_quietly(stack, night_after(stack, 1, 10))
    start = from_iso(stack.now)
    stack.send("ordered", {"do": "note", "tag": "message-1"})
    stack.advance(86_400)
    stack.send("ordered", {"do": "note", "tag": "message-2"})
    stack.advance(86_400)
    answer = stack.drain()
    seen = [one for one in notes(stack, "", start) if one["tag"] != "beat"]
    assert [one["tag"] for one in seen] == ["message-1", "night", "message-2", "night"]
    nights = [from_iso(one["at"]) for one in seen if one["tag"] == "night"]
    assert [(night.hour, night.minute) for night in nights] == [(1, 30), (1, 30)]
    assert nights[1] - nights[0] < DAY + timedelta(seconds=5)
    assert from_iso(seen[0]["at"]) - start < timedelta(minutes=1)
    assert from_iso(stack.now) - start >= 2 * DAY
    assert answer["invocations"]["night"] == 3  # two nights, and the hourly beat once


def test_a_rate_that_came_due_many_times_runs_once(stack: LocalStack, since: datetime) -> None:
    go_quietly(stack, since + timedelta(hours=5))
    [beat] = notes(stack, "beat", since)
    assert timedelta(hours=4) <= from_iso(beat["at"]) - since < timedelta(hours=5, minutes=1)
    stack.drain()
    assert len(notes(stack, "beat", since)) == 1


def test_a_local_time_that_does_not_exist_is_skipped(stack: LocalStack) -> None:
    """In Amsterdam the clocks jump from 02:00 to 03:00 on the last Sunday of March: there is no 02:30."""
    noon = night_after(stack, 3, 25)
    sunday = noon + (6 - noon.weekday()) % 7 * DAY
    go_quietly(stack, sunday - DAY)
    before = len(tags(stack, "night"))
    go_quietly(stack, sunday)
    assert len(tags(stack, "night")) == before
    go_quietly(stack, sunday + DAY)
    assert len(tags(stack, "night")) == before + 1


def test_a_local_time_that_comes_twice_runs_once(stack: LocalStack) -> None:
    """In Amsterdam the clocks go back from 03:00 to 02:00 on the last Sunday of October: 02:30 comes twice."""
    noon = night_after(stack, 10, 25)
    sunday = noon + (6 - noon.weekday()) % 7 * DAY
    go_quietly(stack, sunday - DAY)
    before = len(tags(stack, "night"))
    go_quietly(stack, sunday)
    found = notes(stack, "night")[before:]
    assert [from_iso(one["at"]).hour for one in found] == [0]


def test_a_drain_never_moves_on_to_future_schedules(stack: LocalStack) -> None:
    before = from_iso(stack.now)
    assert stack.drain()["invocations"] == {}
    assert from_iso(stack.now) - before < timedelta(seconds=5)


def test_a_schedule_that_comes_due_during_a_retry_runs_at_its_instant(stack: LocalStack) -> None:
    go_quietly(stack, night_after(stack, 1, 20).replace(hour=1, minute=29))
    since = from_iso(stack.now)
    stack.send("ordered", {"do": "fail", "tag": "wait", "times": 1})  # comes back at 01:31
    stack.drain()
    found = [one for one in notes(stack, "", since) if one["tag"] != "beat"]
    assert [one["tag"] for one in found] == ["wait", "night", "wait"]
    assert from_iso(found[1]["at"]).minute == 30


def test_a_schedule_can_be_run_by_hand_with_its_own_input_or_another(stack: LocalStack, since: datetime) -> None:
    answer = stack.run_schedule("night")
    assert (answer["status"], answer["error"], bool(answer["invocation_id"])) == ("succeeded", None, True)
    stack.run_schedule("night", {"do": "note", "tag": "by-hand"})
    night, other = notes(stack, "", since)
    assert (night["tag"], other["tag"]) == ("night", "by-hand")
    assert timedelta(0) <= from_iso(night["at"]) - from_iso(night["command"]["due"]) < timedelta(seconds=10)
    with pytest.raises(Refused, match="known: beat, broken, night") as refused:
        stack.run_schedule("noon")
    assert refused.value.status == 404


def test_a_failed_run_is_said_repeated_once_and_then_dead_lettered(stack: LocalStack) -> None:
    """The function's own setting: one retry, then its failure queue."""
    answer = stack.run_schedule("broken")
    assert answer["status"] == "failed"
    assert "RuntimeError: as I was told" in answer["error"]
    before = from_iso(stack.now)
    assert stack.drain()["dead_lettered"] == 1
    assert timedelta(seconds=59) < from_iso(stack.now) - before < timedelta(seconds=70)
    assert tags(stack, "broken") == ["broken", "broken"]
    [dead] = stack.dead_letters()
    assert dead["queue"] == "run"
    assert '"requestPayload": {"do": "raise", "tag": "broken"}' in dead["body"]


def test_messages_that_the_clock_was_moved_over_are_worked_off_in_their_time(
    stack: LocalStack, since: datetime
) -> None:
    """Five days are longer than the queue keeps a message; it was there in time."""
    stack.send("ordered", {"do": "note", "tag": "in-time"})
    stack.advance(5 * 86_400)
    stack.drain()
    [one] = notes(stack, "in-time")
    assert from_iso(one["at"]) - since < timedelta(seconds=30)


def test_dead_letters_go_with_their_retention(stack: LocalStack) -> None:
    stack.send("ordered", {"do": "fail", "tag": "kept"})
    stack.drain()
    stack.advance(13 * 86_400)
    stack.drain()
    assert "kept" in str(stack.dead_letters())
    stack.advance(86_400)
    assert "kept" not in str(stack.dead_letters())


def test_expired_items_go_when_the_clock_moves_unless_they_are_to_lie(stack: LocalStack, since: datetime) -> None:
    for tag, hours in (("short", 1), ("long", 24 * 40)):
        ends = int((from_iso(stack.now) + timedelta(hours=hours)).timestamp())
        stack.send("ordered", {"do": "note", "tag": tag, "expires_at": ends})
    stack.drain()
    stack.advance(3 * 3600, sweep_expired=False)
    stack.drain()
    assert set(tags(stack, "", since)) - {"beat", "night"} == {"long", "short"}
    stack.advance(1)
    assert "short" not in tags(stack)
    stack.drain()
    assert "short" not in tags(stack)
    assert "long" in tags(stack)
    stack.advance(41 * 86_400)
    assert "long" not in tags(stack), "although occurrences of schedules are due that have not run"
    stack.drain()
    assert "long" not in tags(stack)


def test_a_second_drain_at_once_is_refused(stack: LocalStack) -> None:
    stack.send("loose", {"do": "sleep", "tag": "slow", "s": 1})
    first = threading.Thread(target=stack.drain)
    first.start()
    other = LocalStack(stack.port)
    try:
        while "slow" not in str(other.table()):
            assert first.is_alive()
        with pytest.raises(Refused, match="a drain runs already") as refused:
            other.drain()
        assert refused.value.status == 409
        with pytest.raises(Refused) as refused:
            other.advance(1)
        assert refused.value.status == 409
    finally:
        first.join()
        other.close()
