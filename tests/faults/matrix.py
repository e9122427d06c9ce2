"""The crash matrix: one run that counts the calls which the code really makes, then one run per call and phase in which
the process is killed there. A new call in the code is a new row by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from onthoud.delivery.outbox import Entry, State
from onthoud.ports.table import Key
from tests.fakes.world import START, Hook, World, comment
from tests.faults.fifo import Fifo, Killed


@dataclass(frozen=True)
class FarEnd:
    read_back: bool
    idempotent: bool

    @property
    def can_settle(self) -> bool:
        """Whether an unknown outcome can be found out without a person."""
        return self.read_back or self.idempotent


FAR_ENDS = [FarEnd(True, True), FarEnd(True, False), FarEnd(False, True), FarEnd(False, False)]


def single() -> list[dict[str, Any]]:
    return [comment("c-1")]


def ten_of_three() -> list[dict[str, Any]]:
    names = ["ana", "bo", "cem", "ana", "ana", "bo", "cem", "cem", "ana", "bo"]
    return [
        comment(
            f"c-{position}",
            f"question {position}",
            author={"id": name, "name": name.title()},
            thread={"post_id": f"p-{name}", "parent_id": None},
            occurred_at=(START - timedelta(minutes=60 - position)).isoformat(),
        )
        for position, name in enumerate(names)
    ]


class Killer:
    """Counts every call and phase, and kills at the chosen one."""

    def __init__(self, at: int | None = None) -> None:
        self.seen: list[tuple[str, str]] = []
        self.at = at

    def __call__(self, target: str, phase: str) -> None:
        self.seen.append((target, phase))
        if self.at is not None and len(self.seen) == self.at + 1:
            raise Killed(f"{target} {phase}")


def run(events: Sequence[dict[str, Any]], far_end: FarEnd, killer: Hook) -> tuple[World, Fifo]:
    world = World()
    world.channel.can_read_back, world.channel.is_idempotent = far_end.read_back, far_end.idempotent
    world.hooked(killer)
    queue = Fifo(world)
    queue.send(events)
    queue.work_off()
    world.hooked(lambda target, phase: None)
    return world, queue


def kills(events: Sequence[dict[str, Any]], far_end: FarEnd) -> Iterator[tuple[int, str]]:
    """Yield every place where the code can be killed."""
    counter = Killer()
    run(events, far_end, counter)
    for position, (target, phase) in enumerate(counter.seen):
        yield position, f"{target}-{phase}"


def entries(world: World) -> dict[str, Entry]:
    return {
        entry.message.in_reply_to: entry
        for item in world.table.all_items()
        if "out" in item
        for entry in [Entry.of_item(item)]
    }


def faults_of(events: Sequence[dict[str, Any]], far_end: FarEnd, world: World, queue: Fifo) -> list[str]:
    """Return what does not hold: one line per broken promise."""
    broken: list[str] = []
    if queue.dead or world.dead.sent or queue.lying:
        broken.append("a message was lost or dead-lettered")
    effects = Counter(message.in_reply_to for message in world.channel.accepted)
    stored = entries(world)
    for event in events:
        name = event["comment_id"]
        state = stored[name].state if name in stored else None
        settled = state is State.SENT and effects[name] == 1
        unknown = not far_end.can_settle and state is State.UNKNOWN and effects[name] <= 1
        if not (settled or unknown):
            broken.append(f"{name}: {effects[name]} effects, state {state}")
        asked = sum(
            f">\n{event['text']}\n</comment_to_answer>" in request.messages[-1].text for request in world.model.requests
        )
        if not 1 <= asked <= 2:
            broken.append(f"{name}: the model was paid {asked} times")
    broken += _order(events, world)
    return broken


def _order(events: Sequence[dict[str, Any]], world: World) -> list[str]:
    wanted: dict[str, list[str]] = {}
    for event in events:
        wanted.setdefault(event["author"]["id"], []).append(event["comment_id"])
    broken = []
    for customer, order in wanted.items():
        sent = [message.in_reply_to for message in world.channel.accepted if message.to == customer]
        if sent != [name for name in order if name in sent]:
            broken.append(f"{customer} was answered out of order")
        partition = f"customer#main#default#instagram#club#{customer}"
        said = [
            item["event_id"]
            for item in world.table.query(partition, prefix="turn#").items
            if item["role"] == "user" and Key.of(item)
        ]
        if said != order:
            broken.append(f"{customer}'s words are not all remembered in order")
    return broken
