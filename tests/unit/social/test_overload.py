"""A day of overload: everything ends replied, escalated or dead-lettered with its reason, and nothing half is sent."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from onthoud.delivery import decisions
from onthoud.errors import RetryableError
from onthoud.ports.model import ModelAnswer, Usage
from tests.fakes.world import World, comment, reply
from tests.faults.fifo import Fifo
from tests.unit.social.test_history import at

SLOW_MS = 44_000
CUT = '{"action": "reply", "text": "We are ope'


class Lambda:
    """An invocation's remaining time: full at its start, less by every slow answer of the model."""

    def __init__(self, world: World) -> None:
        self.left = 180_000
        self._ask = world.model.answer
        world.model.answer = self._slowly  # type: ignore[method-assign]

    def remaining_ms(self) -> int:
        return self.left

    def begin(self) -> None:
        self.left = 180_000

    def _slowly(self, *args: Any, **more: Any) -> ModelAnswer:
        self.left -= SLOW_MS
        return self._ask(*args, **more)


def weather(seed: int) -> Callable[[], Any]:
    chosen = random.Random(seed)
    kinds: list[Callable[[], Any]] = [
        lambda: RetryableError("the model is rate limited (429)", retry_after_s=3600),
        lambda: RetryableError("the model is overloaded (529)"),
        lambda: RetryableError("the model did not answer in time"),
        lambda: ModelAnswer(CUT, "max_tokens", Usage(100, 512), "m"),
        lambda: ModelAnswer("", "refusal", Usage(100, 0), "m"),
        lambda: ModelAnswer("<html>502</html>", "end_turn", Usage(100, 5), "m"),
        lambda: ModelAnswer("null", "end_turn", Usage(100, 1), "m"),
        lambda: reply("Good to hear from you!"),
    ]
    return lambda: chosen.choice(kinds)()


@pytest.mark.parametrize("seed", range(6))
def test_a_day_of_overload(seed: int) -> None:
    world = World(max_event_age_hours=10_000)
    invocation = Lambda(world)
    queue = Fifo(world, batch_size=5, remaining_ms=invocation.remaining_ms)
    receive = queue._receive

    def fresh() -> list[Any]:
        invocation.begin()
        return receive()

    queue._receive = fresh  # type: ignore[method-assign]
    answers = weather(seed)
    world.model.script = [answers() for _ in range(400)]
    names = [f"c-{n:02}" for n in range(24)]
    queue.send([comment(name, author={"id": f"u-{n % 3}"}, occurred_at=at(n)) for n, name in enumerate(names)])
    queue.work_off(rounds=5000)

    assert queue.dead == [], "the queue's own ceiling was reached by what was never begun"
    dead = {
        name: one["attributes"]["reason"] for one in world.dead.sent for name in names if f'"{name}"' in one["body"]
    }
    for name in names:
        if name in dead:
            assert dead[name].startswith("the model")
            continue
        found = decisions.of_event(world.table, world.settings.space, name, world.clock.now())
        assert [one["outcome"] for one in found] in (["replied"], ["escalated"])
    assert {message.text for message in world.channel.accepted} <= {
        "Good to hear from you!",
        "Thanks, good to hear from you!",
    }


def test_what_stands_behind_a_message_that_fails_for_hours_is_not_dead_lettered() -> None:
    world = World(max_event_age_hours=10_000)
    world.model.script = [RetryableError("the model is overloaded (529)")] * 6
    queue = Fifo(world, batch_size=10)
    queue.send([comment(f"c-{n}", author={"id": "one"}, occurred_at=at(n)) for n in range(10)])
    queue.work_off()
    assert len(world.dead.sent) == 1 and queue.dead == []
    assert len(world.channel.accepted) == 9
