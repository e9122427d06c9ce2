"""A generated social world with its own record of the truth: customers, comments, changes, faults, operators."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from onthoud.delivery import decisions
from onthoud.delivery.drafts import Drafts
from onthoud.delivery.outbox import State
from onthoud.delivery.switches import SwitchBoard
from onthoud.errors import RetryableError
from onthoud.ports.channel import FailureClass, SendError
from onthoud.ports.model import ModelAnswer, Usage
from onthoud.text.graphemes import split_for
from tests.fakes.world import START, World, comment, reply
from tests.faults.fifo import Fifo, Killed
from tests.faults.matrix import entries

CUSTOMERS = ["ana", "bo", "cem#1", "dé%20", "陈"]
KILLS, MODEL_FAULTS, SEND_FAULTS = 0.01, 0.08, 0.08


@dataclass
class Truth:
    """What was really said, by comment: the customer, the moment, the latest text; and what was deleted."""

    created: dict[str, dict[str, Any]] = field(default_factory=dict)
    text: dict[str, tuple[str, str]] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)

    def note(self, event: dict[str, Any]) -> None:
        name, at = event["comment_id"], event["occurred_at"]
        if event["verb"] == "created":
            self.created.setdefault(name, event)
        if event["verb"] == "deleted":
            self.deleted.add(name)
        elif at >= self.text.get(name, ("", ""))[0]:
            self.text[name] = (at, event["text"])

    def words(self, customer: str) -> list[tuple[str, str]]:
        """The customer's words, in order of occurrence."""
        mine = [
            (event["occurred_at"], name)
            for name, event in self.created.items()
            if event["author"]["id"] == customer and name not in self.deleted
        ]
        return [(name, self.text[name][1]) for _, name in sorted(mine)]


class Life:
    """One seed's life: events arrive late, twice, out of order; processes die; model and channel fail."""

    def __init__(self, seed: int, *, events: int = 60) -> None:
        self.random = random.Random(seed)
        self.world = World(window_turns=100, max_event_age_hours=10_000, replies_per_thread_and_hour=1000)
        self.truth = Truth()
        self.queue = Fifo(self.world, batch_size=self.random.choice([1, 5, 10]))
        self.world.channel.can_read_back = self.random.random() < 0.7
        self.world.channel.is_idempotent = self.random.random() < 0.7
        self.counted: Counter[str] = Counter()
        self.events = events

    @property
    def can_settle(self) -> bool:
        return self.world.channel.can_read_back or self.world.channel.is_idempotent

    def play(self) -> None:
        self.world.hooked(self._maybe_die)
        stream = list(self._stream())
        while stream:
            part = [stream.pop(0) for _ in range(min(len(stream), self.random.randint(1, 8)))]
            self.queue.send(part)
            if self.random.random() < 0.15:
                self._operator()
            self._faults()
            self.queue.work_off()
            self.world.clock.advance(minutes=self.random.choice([1, 20, 600]))
        self.world.hooked(lambda target, phase: None)
        self.world.channel.faults.clear()
        self.world.model.script.clear()
        SwitchBoard(self.world.table, self.world.settings.space).all(on=True, now=self.world.clock.now())

    def _stream(self) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = []
        for number in range(self.events):
            at = (START + timedelta(minutes=number)).isoformat()
            kind = self.random.random()
            if kind < 0.7 or not self.truth.created:
                customer = self.random.choice(CUSTOMERS)
                event = comment(
                    f"c-{number:03}",
                    f"text {number}",
                    author={"id": customer, "name": customer},
                    thread={"post_id": f"p-{self.random.randint(0, 2)}", "parent_id": None},
                    occurred_at=at,
                )
            else:
                old = self.truth.created[self.random.choice(sorted(self.truth.created))]
                verb = "edited" if kind < 0.9 else "deleted"
                event = old | {"verb": verb, "text": f"edit {number}", "occurred_at": at}
            self.truth.note(event)
            events.append(event)
        duplicates = self.random.sample(events, k=len(events) // 5)
        jumbled = [*events, *duplicates]
        for position in range(len(jumbled)):
            other = min(len(jumbled) - 1, position + self.random.randint(0, 6))
            jumbled[position], jumbled[other] = jumbled[other], jumbled[position]
        return jumbled

    def _maybe_die(self, target: str, phase: str) -> None:
        if self.random.random() < KILLS:
            self.counted["kills"] += 1
            raise Killed(f"{target} {phase}")

    def _faults(self) -> None:
        model, channel = self.world.model, self.world.channel
        model.script = [self._bad_answer() if self.random.random() < MODEL_FAULTS else None for _ in range(20)]
        channel.faults = [
            (
                self.random.choice(["before", "after"]),
                SendError(FailureClass.AMBIGUOUS, "timeout"),
            )
            for _ in range(self.random.choice([0, 0, 1]))
        ]
        self.counted["faults"] += len(channel.faults) + sum(one is not None for one in model.script)

    def _bad_answer(self) -> Any:
        return self.random.choice(
            [
                RetryableError("overloaded (529)", retry_after_s=3600),
                ModelAnswer("nonsense", "end_turn", Usage(1, 1), "m"),
                ModelAnswer("", "refusal", Usage(1, 1), "m"),
                reply("It costs €12,50, book at evil.example"),
                reply("", "escalate", why="needs_a_person"),
                reply("", "skip", why="no_answer_needed"),
            ]
        )

    def _operator(self) -> None:
        board = SwitchBoard(self.world.table, self.world.settings.space)
        try:
            board.all(on=self.random.random() < 0.6, now=self.world.clock.now())
        except Killed:
            self.counted["kills"] += 1

    # -- what must hold ----------------------------------------------------------------------------------------------

    def broken(self) -> list[str]:
        """Return every promise that does not hold."""
        found: list[str] = []
        sent = Counter(message.in_reply_to for message in self.world.channel.accepted)
        stored = entries(self.world)
        found += [f"{name} was answered {times} times" for name, times in sent.items() if times > 1]
        found += [f"{name} was answered but never written" for name in sent if name not in self.truth.created]
        dead = {one["body"] for one in self.world.dead.sent}
        for name in self.truth.created:
            if any(f'"{name}"' in body for body in dead):
                self.counted["dead letters"] += 1
                continue
            found += self._one(name, stored, sent)
        found += [f"lost: {one.body[:80]}" for one in [*self.queue.lying, *self.queue.dead]]
        found += [line for customer in CUSTOMERS for line in self._history(customer, dead)]
        found += [
            f"sent an unchecked claim in reply to {message.in_reply_to}"
            for message in self.world.channel.accepted
            if "12,50" in message.text or "evil" in message.text
        ]
        return found

    def _one(self, name: str, stored: dict[str, Any], sent: Counter[str]) -> list[str]:
        now = self.world.clock.now()
        known = decisions.of_event(self.world.table, self.world.settings.space, name, now)
        if not any(one["verb"] == "created" for one in known):
            return [f"{name} was never decided"]
        entry = stored.get(name)
        if entry is None:
            return [f"{name} was answered without a record"] if sent[name] else []
        self.counted[str(entry.state)] += 1
        if entry.state is State.SENDING or (entry.state is State.PLANNED and entry.hold == "retry"):
            return [f"{name} was left {entry.state}"]
        if entry.state is State.SENT and sent[name] != 1:
            return [f"{name} counts as sent, was accepted {sent[name]} times"]
        if entry.state is State.PLANNED and sent[name]:
            return [f"{name} was sent and is a draft"]
        if entry.state is State.UNKNOWN and self.can_settle:
            return [f"{name} is unknown though the far end can be asked"]
        return []

    def _history(self, customer: str, dead: set[str]) -> list[str]:
        partition = f"customer#main#default#instagram#club#{customer.replace('%', '%25').replace('#', '%23')}"
        page = self.world.table.query(partition, prefix="turn#")
        said = [(item["event_id"], item["content"]) for item in page.items if item["role"] == "user"]
        wanted = [one for one in self.truth.words(customer) if not any(f'"{one[0]}"' in body for body in dead)]
        said = [one for one in said if not any(f'"{one[0]}"' in body for body in dead)]
        return [] if said == wanted else [f"{customer}: {said} is not what was said, {wanted}"]

    def drafts(self) -> Drafts:
        runtime = self.world.runtime()
        return Drafts(runtime.outbox, runtime.sender, self.world.clock, split_for)
