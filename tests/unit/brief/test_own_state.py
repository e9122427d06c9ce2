"""Onthoud's own state: what waits for a person and what went wrong, without a word of anybody's."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from daily_brief.sources.own import OwnState
from onthoud.clock import epoch
from onthoud.delivery.outbox import Entry, State, planting
from onthoud.delivery.quarantine import Suspect, isolate
from onthoud.errors import RetryableError
from onthoud.memory.alerts.model import Reading
from onthoud.ports.channel import Outgoing
from onthoud.ports.table import Key
from tests.fakes.world import World


class Depths(dict[str, Any]):
    def waiting(self, url: str) -> int:
        if isinstance(self[url], Exception):
            raise self[url]
        return int(self[url])


def entry(world: World, name: str, **changes: Any) -> Entry:
    now = world.clock.now()
    message = Outgoing("reply", "instagram", "club", "ana", "c-1", "Private words.", f"reply-{name * 6}")
    made = Entry(
        key=Key("customer#x", f"turn#{name}"),
        state=State.PLANNED,
        message=message,
        parts=("Private words.",),
        event=Key("event#x", name),
        thread="",
        created_at=now,
        expires_at=epoch(now + timedelta(days=30)),
        hold="too_old",
    )
    return replace(made, **changes)


def read(world: World, depths: Depths | None = None) -> Reading:
    runtime = world.runtime()
    queues = {name: name for name in depths or {}}
    source = OwnState(world.table, world.settings.space, runtime.outbox, depths or Depths(), queues)
    return source.read(world.clock.now()).reading


def test_drafts_unsettled_sends_dead_letters_and_quarantine_are_seen_without_words() -> None:
    world = World()
    for position in range(3):
        world.table.write(planting(entry(world, f"d{position}")))
    world.table.write(planting(entry(world, "u", state=State.UNKNOWN, hold="")))
    isolate(
        world.table,
        world.settings.space,
        Suspect("comments", "social_reply", "m-1", "Private.", "no id"),
        world.clock.now(),
    )
    reading = read(world, Depths(comments=12, bookings=0))
    assert reading.complete
    kinds = [one.kind for one in reading.observations]
    assert kinds == ["draft"] * 3 + ["unsettled", "quarantine", "dead-letters"]
    assert len({one.group for one in reading.observations if one.kind == "draft"}) == 1
    assert "Private" not in str(reading)
    letters = reading.observations[-1]
    assert (letters.key, letters.amounts["depth"].value) == ("onthoud:dead-letters:comments", 12)


def test_nothing_wrong_is_an_empty_complete_reading() -> None:
    reading = read(World(), Depths(comments=0))
    assert (reading.complete, reading.observations) == (True, ())


def test_a_queue_that_cannot_be_asked_makes_it_incomplete() -> None:
    reading = read(World(), Depths(comments=RetryableError("throttled")))
    assert (reading.complete, reading.error) == (False, "throttled")


def test_the_brief_does_not_report_on_itself() -> None:
    world = World()
    own = entry(world, "b")
    world.table.write(planting(replace(own, message=replace(own.message, kind="brief"))))
    assert read(world).observations == ()
