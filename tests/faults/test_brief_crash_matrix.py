"""The brief, killed before or after any call: a delay at most, and nothing counts as told that was not."""

from __future__ import annotations

import pytest

from daily_brief import earlier, run
from onthoud.memory.alerts.log import AlertLog
from tests.faults.mornings import FAR_ENDS, FarEnd, Killer, faults_of, play


def red(far_end: FarEnd) -> list[str]:
    """Return every kill that breaks a promise."""
    counter = Killer()
    play(far_end, counter)
    found = []
    for position, name in enumerate(counter.seen):
        found += [f"{position} {name}: {fault}" for fault in faults_of(play(far_end, Killer(position)), far_end)]
    return found


def test_without_a_kill_all_is_well_and_every_kind_of_call_is_in_the_matrix() -> None:
    counter = Killer()
    assert faults_of(play(FAR_ENDS[0], counter), FAR_ENDS[0]) == []
    kinds = {name.rsplit("-", 1)[0] for name in counter.seen}
    assert {"get_many", "query", "transact", "write", "model", "send", "archive"} <= kinds
    assert len(counter.seen) > 60


@pytest.mark.parametrize("far_end", FAR_ENDS, ids=lambda end: f"read_back={end.read_back},idempotent={end.idempotent}")
def test_a_crash_at_any_point_costs_a_delay_at_most(far_end: FarEnd) -> None:
    assert red(far_end) == []


def test_commit_before_delivery_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    keep = AlertLog.keep

    def eager(self, planned):  # type: ignore[no-untyped-def]
        writes = keep(self, planned)
        self.commit(run.KeptPlan.of(planned, ()))
        return writes

    monkeypatch.setattr(AlertLog, "keep", eager)
    assert any("owed" in fault for fault in red(FAR_ENDS[0]))


def test_forgetting_what_is_on_its_way_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier.Earlier, "settle", lambda self, current, late, deadline: None)
    assert red(FAR_ENDS[0]) != []


def test_taking_an_unknown_outcome_for_sent_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    commit = AlertLog.commit
    monkeypatch.setattr(AlertLog, "commit", lambda self, kept, certain=True: commit(self, kept, certain=True))
    assert any("never sent" in fault for fault in red(FAR_ENDS[3]))
