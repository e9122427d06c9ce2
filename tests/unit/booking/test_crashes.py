"""A crash at any call costs a delay: each version is said once, and no model step is paid more than twice."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from onthoud.errors import RetryableError
from onthoud.memory.profile import Changes, Profiles
from tests.unit.booking.scene import Scene, booking

LATER = {"starts_at": "2026-12-02T20:00:00+01:00", "ends_at": "2026-12-02T21:00:00+01:00"}
STORY = (
    booking(),
    booking(version=2, status="cancelled"),
    booking(booking_id="b-2", replaces="b-1", **LATER),
    booking(booking_id="b-2", version=2, status="rescheduled", replaces="b-1", court="Court 9", **LATER),
    booking(booking_id="b-2", version=3, status="cancelled", court="Court 9", **LATER),
)
TOLD = ["confirmed", "moved", "moved", "cancelled"]


class Crash(BaseException):
    """The process is gone: nothing catches it, nothing is cleaned up."""


def play(crash_at: int | None) -> tuple[Scene, int]:
    """Play the story, with a crash at one call; every message is delivered until it is done."""
    scene = Scene()
    Profiles(scene.world.table, scene.world.clock, str).save(scene.scope(), Changes({"name": "Ana"}), source="operator")
    calls = 0

    def hook(target: str, phase: str) -> None:
        nonlocal calls
        calls += 1
        if calls == crash_at:
            raise Crash(target, phase)

    scene.world.hooked(hook)
    for event in STORY:
        until_done(scene, lambda event=event: scene.deliver(event))  # type: ignore[misc]
    waiting, scene.world.dead.sent = scene.world.dead.sent, []
    for message in waiting:
        until_done(scene, lambda message=message: scene.deliver(json.loads(message["body"])))  # type: ignore[misc]
    return scene, calls


def until_done(scene: Scene, work: Callable[[], None]) -> None:
    for _ in range(6):
        try:
            work()
            return
        except (Crash, RetryableError):
            scene.world.clock.advance(minutes=20)  # beyond the visibility timeout, and the lease
    raise AssertionError("never done")


@pytest.mark.parametrize("at", range(1, play(None)[1] + 1))
def test_each_version_is_said_once_wherever_the_process_ends(at: int) -> None:
    scene, _ = play(at)
    assert scene.statuses == TOLD
    assert len({message.idempotency_key for message in scene.world.channel.accepted}) == len(TOLD)
    # Three drafts are asked for, each with one repair; a crash may make one of them ask again.
    assert len(scene.world.model.requests) <= 3 * 2 + 2
    assert all(item.get("state") != "SENDING" for item in scene.world.table.all_items())


def test_the_story_without_a_crash() -> None:
    scene, calls = play(None)
    print(f"{calls} places to crash at")
    assert scene.statuses == TOLD and calls > 40
