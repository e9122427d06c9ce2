"""A reply of three messages, killed before or after any call, once: no part twice, none lost, none out of order."""

from __future__ import annotations

import pytest

from onthoud.delivery.outbox import Entry, Outbox, State
from onthoud.delivery.sender import Sender
from onthoud.text.graphemes import limit_of, split_for
from tests.fakes.world import World, comment, reply
from tests.faults.fifo import Fifo
from tests.faults.matrix import FAR_ENDS, FarEnd, Killer, entries

LONG = " ".join(["Yes, the courts are lit until late."] * (3 * limit_of("instagram").size // 40))
PARTS = split_for(LONG, "instagram")


def play(far_end: FarEnd, killer: Killer) -> tuple[World, Fifo]:
    world = World()
    world.channel.can_read_back, world.channel.is_idempotent = far_end.read_back, far_end.idempotent
    world.model.script = [reply(LONG)] * 3
    world.hooked(killer)
    queue = Fifo(world)
    queue.send([comment("c-1")])
    queue.work_off()
    return world, queue


def faults_of(far_end: FarEnd, world: World, queue: Fifo) -> list[str]:
    sent = [one.text for one in world.channel.accepted]
    state = entries(world)["c-1"].state
    whole = state is State.SENT and sent == PARTS
    unknown = not far_end.can_settle and state is State.UNKNOWN and sent == PARTS[: len(sent)]
    broken = [] if whole or unknown else [f"{len(sent)} parts, state {state}"]
    return broken + (["dead-lettered"] if queue.dead or world.dead.sent else [])


def red(far_end: FarEnd) -> list[str]:
    counter = Killer()
    play(far_end, counter)
    found = []
    for position, (target, phase) in enumerate(counter.seen):
        found += [f"{position} {target} {phase}: {one}" for one in faults_of(far_end, *play(far_end, Killer(position)))]
    return found


def test_the_reply_has_several_parts() -> None:
    assert len(PARTS) == 3


@pytest.mark.parametrize("far_end", FAR_ENDS, ids=str)
def test_a_kill_anywhere_repeats_and_loses_no_part(far_end: FarEnd) -> None:
    assert red(far_end) == []


def test_asking_for_the_first_part_only_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The far end has part 1; taken for all of it, parts 2 and 3 never go out."""
    read_back = Sender._read_back

    def first_only(self: Sender, entry: Entry, left: Entry, deadline: object) -> tuple[Entry, bool]:
        found, missing = read_back(self, entry, left, deadline)  # type: ignore[arg-type]
        arrived = not missing or found.sent_parts > 0
        return found, not arrived

    monkeypatch.setattr(Sender, "_read_back", first_only)
    assert red(FarEnd(True, False)) != []


def test_forgetting_which_parts_are_out_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    move = Outbox.move

    def forgetful(self: Outbox, entry: Entry, **changes: object) -> Entry:
        changes.pop("sent_parts", None)
        return move(self, entry, **changes) if changes else entry

    monkeypatch.setattr(Outbox, "move", forgetful)
    monkeypatch.setattr(Sender, "_read_back", lambda self, entry, left, deadline: (entry, True))
    assert red(FarEnd(True, False)) != []
