"""Versions in any order, moves, conflicts, duplicates: one right last message."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from onthoud.delivery.outbox import State
from onthoud.delivery.switches import SwitchBoard
from onthoud.errors import RetryableError
from onthoud.memory.alerts.log import AlertLog
from onthoud.memory.alerts.model import Rules
from onthoud.memory.alerts.states import State as AlertState
from onthoud.memory.alerts.stores import BRIEF_LOG, OPERATOR
from tests.fakes.world import lost, plenty, transient
from tests.unit.booking.scene import Scene, booking

LATER = {"starts_at": "2026-12-02T20:00:00+01:00", "ends_at": "2026-12-02T21:00:00+01:00"}
CONFIRMED = booking()
RESCHEDULED = booking(version=2, status="rescheduled", court="Court 5", **LATER)
CANCELLED = booking(version=3, status="cancelled", court="Court 5", **LATER)


def without_versions(event: dict[str, Any]) -> dict[str, Any]:
    minute = f"2026-11-30T09:0{event['version']}:00Z"
    return {**{name: value for name, value in event.items() if name != "version"}, "updated_at": minute}


def alerts(scene: Scene) -> list[str]:
    world = scene.world
    log = AlertLog.of_operator(world.table, world.clock, world.settings.space, BRIEF_LOG, OPERATOR, Rules(audiences=()))
    return [alert.key for alert in log.all() if alert.state is AlertState.OPEN]


def drafts(scene: Scene) -> list[str]:
    entries = scene.world.runtime().outbox.waiting("draft", scene.world.clock.now())
    return [str(entry.message.extra["status"]) for entry in entries]


@pytest.mark.parametrize("numbered", [True, False], ids=["with versions", "by update time"])
@pytest.mark.parametrize("order", list(permutations([CONFIRMED, RESCHEDULED, CANCELLED])))
def test_every_order_of_arrival_ends_in_the_same_last_message(
    order: tuple[dict[str, Any], ...], numbered: bool
) -> None:
    scene = Scene()
    for event in order:
        scene.deliver(event if numbered else without_versions(event))
    scene.settle()
    assert scene.statuses[-1] == "cancelled"
    assert "Court 5" in scene.texts[-1] and "cancelled" in scene.texts[-1]
    assert "December 2, 2026" in scene.texts[-1]
    # Whatever was overtaken before it was said is never said.
    assert scene.statuses == ["confirmed", "moved", "cancelled"][-len(scene.statuses) :] or scene.statuses == [
        "confirmed",
        "cancelled",
    ]


def test_a_confirmation_that_comes_after_the_cancellation_is_not_sent() -> None:
    scene = Scene()
    scene.deliver(booking(version=2, status="cancelled"), booking(version=1))
    scene.settle()
    assert scene.statuses == ["cancelled"]
    assert ("skipped", "stale") in scene.decisions()


def test_one_message_per_version_however_often_it_is_delivered() -> None:
    scene = Scene()
    scene.deliver(CONFIRMED, CONFIRMED, RESCHEDULED, CONFIRMED, RESCHEDULED)
    assert scene.statuses == ["confirmed", "moved"]
    assert len({message.idempotency_key for message in scene.world.channel.accepted}) == 2


def test_a_pending_booking_gets_no_confirmation() -> None:
    scene = Scene()
    scene.deliver(booking(status="pending"))
    assert scene.texts == []
    assert scene.decisions() == [("skipped", "pending")]
    scene.deliver(booking(version=2))
    assert scene.statuses == ["confirmed"]


def test_a_denied_booking_is_said_to_be_denied() -> None:
    scene = Scene()
    scene.deliver(booking(status="pending"), booking(version=2, status="denied"))
    assert scene.statuses == ["denied"]
    assert "attachments" not in scene.world.channel.accepted[0].extra


NEW = booking(booking_id="b-2", replaces="b-1", **LATER)
OLD_GONE = booking(version=2, status="cancelled")


@pytest.mark.parametrize("order", list(permutations([CONFIRMED, OLD_GONE, NEW])))
def test_a_replacement_is_one_moved_message_in_whatever_order_the_cancellation_arrives(
    order: tuple[dict[str, Any], ...],
) -> None:
    scene = Scene()
    scene.deliver(*order)
    scene.settle()
    assert scene.statuses.count("moved") == 1 and scene.statuses[-1] == "moved"
    assert "cancelled" not in scene.statuses
    assert "December 2, 2026" in scene.texts[-1]


def test_a_replacement_frees_the_court_of_the_old_booking_even_before_its_cancellation() -> None:
    scene = Scene()
    scene.deliver(CONFIRMED, NEW, booking(booking_id="b-9", customer={"id": "bo-1", "name": "Bo"}, to="bo@example.com"))
    assert scene.statuses == ["confirmed", "moved", "confirmed"]


def test_a_replacement_may_overlap_what_it_replaces() -> None:
    scene = Scene()
    half = {"starts_at": "2026-12-01T18:30:00+01:00", "ends_at": "2026-12-01T19:30:00+01:00"}
    scene.deliver(CONFIRMED, booking(booking_id="b-2", replaces="b-1", **half))
    assert scene.statuses == ["confirmed", "moved"]


def test_the_calendar_moves_the_old_entry() -> None:
    scene = Scene()
    scene.deliver(CONFIRMED, booking(booking_id="b-2", replaces="b-1", occurred_at="2026-11-30T09:05:00Z", **LATER))
    files = [message.extra["attachments"][0]["content"] for message in scene.world.channel.accepted]
    names = [[line for line in file.splitlines() if line.startswith("UID")] for file in files]
    assert names[0] == names[1]
    sequences = [int(line[9:]) for file in files for line in file.splitlines() if line.startswith("SEQUENCE")]
    assert sequences[0] < sequences[1]


def test_overlapping_bookings_of_a_court_raise_an_alert_and_no_confirmation() -> None:
    scene = Scene()
    other = booking(
        booking_id="b-2",
        customer={"id": "bo-1", "name": "Bo"},
        court="court  3",
        starts_at="2026-12-01T18:59:00+01:00",
        ends_at="2026-12-01T20:00:00+01:00",
    )
    scene.deliver(CONFIRMED, other)
    assert scene.statuses == ["confirmed"]
    assert scene.decisions("b-2") == [("escalated", "conflict: court_taken")]
    assert alerts(scene) == ["bookings:conflict:email/club/b-2"]
    # One that begins when the other ends does not overlap.
    scene.deliver(booking(booking_id="b-3", starts_at="2026-12-01T19:00:00+01:00", ends_at="2026-12-01T20:00:00+01:00"))
    assert scene.statuses == ["confirmed", "confirmed"]


def test_a_cancellation_frees_the_court_and_ends_the_conflict_of_a_later_version() -> None:
    scene = Scene()
    second = booking(booking_id="b-2", customer={"id": "bo-1", "name": "Bo"})
    scene.deliver(CONFIRMED, second, booking(version=2, status="cancelled"), {**second, "version": 2})
    assert scene.statuses == ["confirmed", "confirmed"]
    assert alerts(scene) == []


def test_a_booking_over_midnight_meets_the_next_days_bookings() -> None:
    scene = Scene()
    night = booking(starts_at="2026-12-01T23:00:00Z", ends_at="2026-12-02T01:00:00Z")
    scene.deliver(night, booking(booking_id="b-2", starts_at="2026-12-02T00:30:00Z", ends_at="2026-12-02T01:30:00Z"))
    assert scene.decisions("b-2") == [("escalated", "conflict: court_taken")]


def test_two_active_bookings_that_replace_the_same_one_are_a_conflict() -> None:
    scene = Scene()
    third = booking(booking_id="b-3", replaces="b-1", court="Court 7")
    scene.deliver(CONFIRMED, NEW, third)
    assert scene.statuses == ["confirmed", "moved"]
    assert scene.decisions("b-3") == [("escalated", "conflict: replaced_twice")]
    assert alerts(scene) == ["bookings:conflict:email/club/b-3"]
    scene.deliver({**NEW, "version": 2, "status": "cancelled", "replaces": None})
    scene.settle()
    scene.deliver({**third, "version": 2})
    assert scene.statuses == ["confirmed", "moved", "cancelled", "moved"]


def test_a_superseded_draft_is_voided() -> None:
    scene = Scene(mode="draft")
    scene.deliver(CONFIRMED)
    assert drafts(scene) == ["confirmed"]
    scene.deliver(RESCHEDULED)
    assert drafts(scene) == ["moved"]
    scene.deliver(booking(version=4, status="pending"))
    assert drafts(scene) == []
    assert scene.texts == []


def test_a_message_lost_on_its_way_is_not_sent_once_a_later_version_is_there() -> None:
    scene = Scene()
    scene.world.channel.faults = [transient()]
    with pytest.raises(RetryableError):
        scene.deliver(CONFIRMED)
    scene.deliver(RESCHEDULED)
    scene.deliver(CONFIRMED)
    scene.world.clock.advance(hours=1)
    scene.world.runtime().sweeper.sweep(plenty())
    assert scene.statuses == ["moved"]


def test_a_send_in_doubt_is_not_repeated_once_a_later_version_is_there() -> None:
    scene = Scene()
    scene.world.channel.faults = [("before", lost()[1])]
    with pytest.raises(RetryableError):
        scene.deliver(CONFIRMED)
    scene.deliver(RESCHEDULED)
    scene.world.clock.advance(hours=1)
    scene.world.runtime().sweeper.sweep(plenty())
    assert scene.statuses == ["moved"]
    states = {item["content"][:40]: item["state"] for item in scene.world.table.all_items() if "out" in item}
    assert set(states.values()) == {str(State.SENT), str(State.GONE)}


def test_a_lost_answer_is_no_second_message() -> None:
    scene = Scene()
    scene.world.channel.faults = [lost()]
    with pytest.raises(RetryableError):
        scene.deliver(CONFIRMED)
    scene.deliver(CONFIRMED)
    assert scene.statuses == ["confirmed"]
    assert scene.decisions() == [("confirmed", "plain: answer_wrong-shape")]


def test_the_kill_switch_makes_a_right_draft_without_the_model() -> None:
    scene = Scene()
    SwitchBoard(scene.world.table, scene.world.settings.space).all(on=False, now=scene.world.clock.now())
    scene.deliver(CONFIRMED)
    assert scene.texts == [] and scene.world.model.requests == []
    assert scene.decisions() == [("drafted", "switch_all")]


def test_two_workers_cannot_both_take_a_court() -> None:
    scene = Scene()
    second = booking(booking_id="b-2", customer={"id": "bo-1", "name": "Bo"}, to="bo@example.com")
    begun: list[str] = []

    def other_worker_first(operation: str, phase: str) -> None:
        if operation == "transact" and phase == "before" and not begun:
            begun.append("b-2")
            scene.deliver(second)

    scene.world.table.hook = other_worker_first
    scene.deliver(CONFIRMED)
    assert [message.in_reply_to for message in scene.world.channel.accepted] == ["b-2"]
    assert scene.decisions("b-1") == [("escalated", "conflict: court_taken")]


def test_a_moved_booking_whose_later_events_do_not_name_the_old_one_still_gives_it_free() -> None:
    scene = Scene()
    later = {**NEW, "version": 2, "replaces": None, "status": "rescheduled"}
    third = booking(booking_id="b-3", replaces="b-1", court="Court 7")
    scene.deliver(CONFIRMED, NEW, later, {**NEW, "version": 3, "replaces": None, "status": "cancelled"})
    scene.settle()
    scene.deliver(third)
    assert scene.statuses == ["confirmed", "moved", "moved", "cancelled", "moved"]


def test_the_old_bookings_cancellation_stays_silent_after_the_new_one_was_cancelled_too() -> None:
    scene = Scene()
    scene.deliver(CONFIRMED, NEW, {**NEW, "version": 2, "status": "cancelled"}, OLD_GONE)
    scene.settle()
    assert scene.statuses == ["confirmed", "moved", "cancelled"]
    assert [message.in_reply_to for message in scene.world.channel.accepted] == ["b-1", "b-2", "b-2"]


def test_without_the_wait_a_cancellation_is_said_at_once() -> None:
    scene = Scene(move_wait_s=0)
    scene.deliver(CONFIRMED, OLD_GONE)
    assert scene.statuses == ["confirmed", "cancelled"]
    assert scene.world.dead.sent == []


def test_a_waiting_cancellation_is_overtaken_by_a_later_confirmation() -> None:
    scene = Scene()
    scene.deliver(CONFIRMED, OLD_GONE, booking(version=3))
    scene.settle()
    assert scene.statuses == ["confirmed", "confirmed"]
