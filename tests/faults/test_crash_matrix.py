"""Killed before or after any call, once: each event still has exactly one effect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from onthoud.delivery import desk as desk_module
from onthoud.delivery import outbox as outbox_module
from onthoud.delivery.ledger import Record
from onthoud.delivery.outbox import Entry, State
from onthoud.delivery.sender import Sender
from onthoud.errors import Conflict, RetryableError
from onthoud.ports.channel import FailureClass, SendError
from onthoud.ports.table import Put
from tests.faults.matrix import FAR_ENDS, FarEnd, Killer, faults_of, kills, run, single, ten_of_three


def red(events: list[dict[str, Any]], far_end: FarEnd) -> list[str]:
    """Return every kill that breaks a promise."""
    found = []
    for position, name in kills(events, far_end):
        try:
            world, queue = run(events, far_end, Killer(position))
        except Exception as error:
            found.append(f"{name}: {type(error).__name__}")
            continue
        found += [f"{name}: {fault}" for fault in faults_of(events, far_end, world, queue)]
    return found


@pytest.mark.parametrize("far_end", FAR_ENDS, ids=str)
def test_a_kill_anywhere_leaves_one_effect_for_a_single_event(far_end: FarEnd) -> None:
    assert red(single(), far_end) == []


@pytest.mark.parametrize("far_end", FAR_ENDS, ids=str)
def test_a_kill_anywhere_leaves_one_effect_each_in_a_batch_of_ten(far_end: FarEnd) -> None:
    assert red(ten_of_three(), far_end) == []


def test_the_matrix_covers_every_kind_of_call() -> None:
    names = {name for _, name in kills(ten_of_three(), FAR_ENDS[0])}
    assert names == {
        f"{target}-{phase}"
        for target in ("get_many", "query", "transact", "write", "model", "send")
        for phase in ("before", "after")
    }


def _fails(at: int, seen: list[str], table_says: type[Exception]) -> Callable[[str, str], None]:
    """Return a hook that lets one call fail where the killer would kill: the process lives on and must cope."""

    def hook(target: str, phase: str) -> None:
        seen.append(target)
        if len(seen) == at + 1:
            if target in {"send", "find"}:
                raise SendError(FailureClass.AMBIGUOUS if target == "send" else FailureClass.TRANSIENT, "timeout")
            raise table_says("the answer was lost") if target != "model" else RetryableError("overloaded")

    return hook


@pytest.mark.parametrize("far_end", FAR_ENDS, ids=str)
@pytest.mark.parametrize("table_says", [RetryableError, Conflict])
def test_an_error_from_any_call_leaves_one_effect(far_end: FarEnd, table_says: type[Exception]) -> None:
    """`Conflict` after a write is what the client's own repetition of a write that was done looks like."""
    counter = Killer()
    run(single(), far_end, counter)
    broken = []
    for position, (target, phase) in enumerate(counter.seen):
        reads = target in {"get_many", "query"}
        if table_says is Conflict and (reads or phase == "before"):
            continue
        world, queue = run(single(), far_end, _fails(position, [], table_says))
        broken += [f"{target}-{phase}: {fault}" for fault in faults_of(single(), far_end, world, queue)]
    assert broken == []


def _blind_resend(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send again without asking whether it arrived."""
    monkeypatch.setattr(Sender, "_read_back", lambda self, entry, deadline: (entry, True))


def _sent_without_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget that the event was decided."""
    monkeypatch.setattr(Record, "decisions", property(lambda self: {}))
    monkeypatch.setattr(Record, "unchanged", property(lambda self: ()))
    monkeypatch.setattr(desk_module, "planting", lambda entry: Put(entry.to_item()))


def _sent_before_it_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Store the reply as sent already: a crash before the send then loses it."""

    def planting(entry: Entry) -> Put:
        sending = entry.state is State.SENDING
        return outbox_module.planting(replace(entry, state=State.SENT) if sending else entry)

    monkeypatch.setattr(desk_module, "planting", planting)


def _unknown_is_resent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody can be asked, send again instead of asking a person."""
    monkeypatch.setattr(Sender, "_unknown", lambda self, entry, was=None: self.deliver(entry, None))
    monkeypatch.setattr(Sender, "_timeout", lambda self, deadline: 5.0)


@pytest.mark.parametrize(
    ("seed", "far_end"),
    [
        (_blind_resend, FarEnd(True, False)),
        (_sent_without_ledger, FarEnd(True, False)),
        (_sent_before_it_is_stored, FarEnd(True, True)),
        (_unknown_is_resent, FarEnd(False, False)),
    ],
)
def test_a_seeded_fault_turns_the_matrix_red(
    seed: Callable[[pytest.MonkeyPatch], None], far_end: FarEnd, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed(monkeypatch)
    assert red(single(), far_end) != []
