"""The customer's history: exactly what was said, in its order, for as long as the window lives."""

from __future__ import annotations

import contextlib
import itertools
import threading
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthoud.memory.working import Turn
from onthoud.scope import Scope
from tests.fakes.world import START, World, comment
from tests.faults.fifo import Fifo


def at(minutes: float) -> str:
    return (START + timedelta(minutes=minutes)).isoformat()


def ana(world: World) -> Scope:
    return Scope(world.settings.space, "instagram", "club", "ana-1")


def history(world: World) -> list[tuple[str, str]]:
    turns = world.runtime().memory.read(ana(world)).turns
    return [(turn.event_id, turn.content if turn.role == "user" else "<reply>") for turn in turns]


def expiries(world: World) -> dict[str, int]:
    return {item["sk"]: item["expires_at"] for item in world.table.all_items() if item["kind"] == "turn"}


def deliver(world: World, *events: dict[str, Any], batch_size: int = 1) -> Fifo:
    queue = Fifo(world, batch_size=batch_size)
    queue.send(events)
    queue.work_off()
    return queue


@given(order=st.permutations(range(12)))
def test_twelve_comments_leave_the_last_ten_turns_in_order_of_occurrence(order: list[int]) -> None:
    world = World()
    deliver(world, *(comment(f"c-{n:02}", f"text {n}", occurred_at=at(n)) for n in order))
    expected = [(f"c-{n:02}", words) for n in range(7, 12) for words in (f"text {n}", "<reply>")]
    assert history(world) == expected


def test_five_turns_in_one_second_stand_in_order_of_event() -> None:
    world = World()
    deliver(world, *(comment(f"c-{n}", f"text {n}") for n in (3, 1, 5, 2, 4)))
    assert [event for event, words in history(world) if words != "<reply>"] == [f"c-{n}" for n in range(1, 6)]


def test_thirty_one_days_of_silence_end_the_history_though_the_items_still_lie_there() -> None:
    world = World()
    deliver(world, comment("c-1"))
    world.clock.advance(days=31)
    assert history(world) == []
    assert any(item["kind"] == "turn" for item in world.table.all_items())
    deliver(world, comment("c-2", occurred_at=world.clock.now().isoformat()))
    assert 'answered-before="no"' in world.model.requests[-1].messages[-1].text
    assert len(world.model.requests[-1].messages) == 1


def test_a_comment_on_day_29_renews_the_history() -> None:
    world = World()
    deliver(world, comment("c-1"))
    world.clock.advance(days=29)
    deliver(world, comment("c-2", occurred_at=world.clock.now().isoformat()))
    world.clock.advance(days=29)
    world.table.sweep(int(world.clock.now().timestamp()))
    assert [event for event, _ in history(world)] == ["c-1", "c-1", "c-2", "c-2"]


def test_nothing_of_a_history_physically_outlives_the_window_by_more_than_the_slack() -> None:
    world = World()
    deliver(world, comment("c-1"), comment("c-2", occurred_at=at(1)))
    last = world.clock.now()
    for item in world.table.all_items():
        if item["kind"] in {"turn", "head"}:
            assert item["expires_at"] <= (last + timedelta(days=30, hours=13)).timestamp()


def test_touching_never_shortens_a_life() -> None:
    world = World(history_days=30)
    deliver(world, comment("c-1"))
    before = expiries(world)
    world.settings = world.settings.model_copy(update={"history_days": 1})
    world.clock.advance(hours=1)
    deliver(world, comment("c-2", occurred_at=world.clock.now().isoformat()))
    after = expiries(world)
    assert all(after[key] >= expires for key, expires in before.items())


def test_twenty_concurrent_writers_lose_no_turn() -> None:
    world = World(window_turns=40)

    def write(number: int) -> None:
        turns = [
            Turn("user", f"{number}-{n}", START + timedelta(seconds=number, minutes=n), f"e-{number}-{n}")
            for n in range(2)
        ]
        world.runtime().memory.remember(ana(world), turns)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(world.runtime().memory.read(ana(world)).turns) == 40


def test_the_same_turn_twice_adds_nothing() -> None:
    world = World()
    turn = Turn("user", "hello", START, "e-1")
    world.runtime().memory.remember(ana(world), [turn, turn])
    assert len(world.runtime().memory.remember(ana(world), [turn]).turns) == 1


def test_the_window_keeps_to_its_setting_whatever_lies_behind_it() -> None:
    world = World(window_turns=3)
    deliver(world, *(comment(f"c-{n}", occurred_at=at(n)) for n in range(6)))
    assert [event for event, _ in history(world)] == ["c-4", "c-5", "c-5"]


# -- arrival in any order


@pytest.mark.parametrize("order", list(itertools.permutations(range(5))), ids=str)
def test_every_order_of_five_comments_ends_in_the_same_history_and_the_same_answers(order: tuple[int, ...]) -> None:
    world = World()
    deliver(world, *(comment(f"c-{n}", f"text {n}", occurred_at=at(n)) for n in order))
    expected = [(f"c-{n}", words) for n in range(5) for words in (f"text {n}", "<reply>")]
    assert history(world) == expected
    assert {message.in_reply_to for message in world.channel.accepted} == {f"c-{n}" for n in range(5)}


EVENTS = [
    comment("c-1", "one", occurred_at=at(0)),
    comment("c-1", "one, edited", verb="edited", occurred_at=at(5)),
    comment("c-1", "one, edited again", verb="edited", occurred_at=at(6)),
    comment("c-2", "two", occurred_at=at(1)),
    comment("c-2", None, verb="deleted", occurred_at=at(7)),
    comment("c-3", "three", occurred_at=at(2)),
]


def test_with_edits_and_deletions_every_order_ends_in_the_same_words() -> None:
    for order in itertools.permutations(EVENTS):
        world = World()
        deliver(world, *order)
        words = [one for one in history(world) if one[1] != "<reply>"]
        assert words == [("c-1", "one, edited again"), ("c-3", "three")]
        replies = [message.in_reply_to for message in world.channel.accepted]
        assert sorted(set(replies)) == sorted(replies), "a second reply"


def test_an_edit_back_to_the_first_text_is_an_edit() -> None:
    world = World()
    deliver(
        world,
        comment("c-1", "A", occurred_at=at(0)),
        comment("c-1", "B", verb="edited", occurred_at=at(1)),
        comment("c-1", "A", verb="edited", occurred_at=at(2)),
        comment("c-1", "B", verb="edited", occurred_at=at(3)),
    )
    assert history(world)[0] == ("c-1", "B")
    assert len(world.channel.accepted) == 1


# -- duplicates


def test_the_same_event_twenty_times_over_twenty_days_has_one_effect() -> None:
    world = World(max_event_age_hours=10_000)
    pauses = [timedelta(0)] * 8 + [timedelta(minutes=5)] * 4 + [timedelta(hours=24)] * 4 + [timedelta(hours=36)] * 3
    for pause in [*pauses, timedelta(days=20)]:
        world.clock.moment += pause
        deliver(world, comment("c-1"))
    assert len(world.channel.accepted) == 1
    assert len(world.model.requests) == 1


def test_duplicates_are_found_after_the_window_has_moved_on() -> None:
    world = World()
    deliver(world, *(comment(f"c-{n}", occurred_at=at(n)) for n in range(9)))
    before = history(world)
    deliver(world, comment("c-0", occurred_at=at(0)))
    assert len(world.channel.accepted) == 9
    assert history(world) == before


def test_concurrent_duplicates_have_one_effect() -> None:
    world = World()
    queues = [Fifo(world) for _ in range(8)]
    for queue in queues:
        queue.send([comment("c-1")])
    barrier = threading.Barrier(len(queues))
    ask = world.model.answer

    def together(*args: Any, **more: Any) -> Any:
        with contextlib.suppress(threading.BrokenBarrierError):
            barrier.wait(timeout=0.5)
        return ask(*args, **more)

    world.model.answer = together  # type: ignore[method-assign]
    threads = [threading.Thread(target=queue.work_off) for queue in queues]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(world.channel.accepted) == 1
    assert len(history(world)) == 2


def test_the_same_text_under_two_ids_is_two_comments() -> None:
    world = World()
    deliver(world, comment("c-1"), comment("c-2", occurred_at=at(1)))
    assert len(world.channel.accepted) == 2


def test_the_same_id_created_with_another_text_is_an_edit() -> None:
    world = World()
    deliver(world, comment("c-1", "old"), comment("c-1", "new", occurred_at=at(1)))
    assert history(world) == [("c-1", "new"), ("c-1", "<reply>")]
    assert len(world.channel.accepted) == 1
