"""The simulated year in small: the same world, some weeks of it, and the proof that a broken log turns it red."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from onthoud.memory.alerts import changes, news, planning, states, store
from onthoud.memory.alerts.advance import _Stepper
from onthoud.memory.alerts.log import AlertLog
from onthoud.memory.alerts.states import Event, Outcome, State
from tests.fakes.year import Year

DAYS = 30


@pytest.mark.parametrize("seed", [1, 2])
def test_each_change_is_told_once_and_nothing_else(seed: int) -> None:
    figures = Year(seed, DAYS).play()
    assert figures.faults == 0, (figures.line(), figures.examples)
    assert figures.told > DAYS * 15
    assert figures.failed_readings
    assert figures.held_readings
    assert figures.fired_twice


def forgets_what_it_told(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(AlertLog, "commit", lambda self, kept, certain=True: self.drop(kept))


def believes_failed_readings(patch: pytest.MonkeyPatch) -> None:
    read = _Stepper.read
    patch.setattr(_Stepper, "read", lambda self, reading: read(self, replace(reading, complete=True)))


def believes_every_reading(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Stepper, "_held", lambda self, source, missing: 0)


def sees_no_change(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(changes, "fingerprint", lambda material, version: "same")


def sees_changes_everywhere(patch: pytest.MonkeyPatch) -> None:
    count = iter(range(10**9))
    patch.setattr(changes, "fingerprint", lambda material, version: str(next(count)))


def forgets_what_is_over(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(store.AlertStore, "tombstones", lambda self, wanted: {})


def tells_of_passed_appointments(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Stepper, "_passed", lambda self, alert: False)


def wakes_nobody(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Stepper, "wake", lambda self: None)


def ignores_the_operators_hand(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(states.TABLE, (State.OPEN, Event.RESOLVE), Outcome(State.OPEN))


def swallows_resolutions(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(news, "_of_gone", lambda told, perhaps: None)


def counts_badly(patch: pytest.MonkeyPatch) -> None:
    right = planning._counts
    patch.setattr(planning, "_counts", lambda found, totals: replace(right(found, totals), unchanged=7))


FAULTS: list[Callable[[pytest.MonkeyPatch], Any]] = [
    forgets_what_it_told,
    believes_failed_readings,
    believes_every_reading,
    sees_no_change,
    sees_changes_everywhere,
    forgets_what_is_over,
    tells_of_passed_appointments,
    wakes_nobody,
    ignores_the_operators_hand,
    swallows_resolutions,
    counts_badly,
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_in_the_log_turns_it_red(
    fault: Callable[[pytest.MonkeyPatch], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    fault(monkeypatch)
    assert Year(1, DAYS).play(until_a_fault=True).faults > 0
