"""Generated lives of the reply bot, with kills, faults, duplicates, disorder and operators: every promise holds."""

from __future__ import annotations

from collections import Counter

import pytest

from onthoud.delivery import desk as desk_module
from onthoud.delivery.ledger import Record
from onthoud.ports.table import Put
from tests.prove.social_world import Life

SEEDS = 150


def lives(seeds: range) -> tuple[Counter[str], list[str]]:
    counted: Counter[str] = Counter()
    broken: list[str] = []
    for seed in seeds:
        life = Life(seed)
        life.play()
        broken += [f"seed {seed}: {line}" for line in life.broken()]
        counted += life.counted
    return counted, broken


def test_a_few_lives_hold_every_promise() -> None:
    counted, broken = lives(range(8))
    assert broken == []
    assert counted["kills"] and counted["faults"] and counted["SENT"]


@pytest.mark.prove
def test_many_lives_hold_every_promise() -> None:
    counted, broken = lives(range(SEEDS))
    assert broken == []
    print(f"\n{SEEDS} lives of 60 events: " + ", ".join(f"{count} {name}" for name, count in sorted(counted.items())))


def test_a_seeded_fault_in_the_ledger_turns_them_red(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Record, "decisions", property(lambda self: {}))
    monkeypatch.setattr(Record, "unchanged", property(lambda self: ()))
    monkeypatch.setattr(desk_module, "planting", lambda entry: Put(entry.to_item()))
    assert lives(range(3))[1] != []
