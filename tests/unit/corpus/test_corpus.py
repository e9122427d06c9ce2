"""Every item that a release has written can be read by this one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from onthoud.adapters.dynamodb_codec import decode_item
from onthoud.delivery import decisions
from onthoud.delivery.outbox import Entry, Outbox, State
from onthoud.delivery.quarantine import quarantined
from onthoud.delivery.switches import Switches, switches_key
from onthoud.ports.table import Put
from onthoud.scope import Scope
from onthoud.stores import REGISTRY
from tests.fakes.world import START, World

CORPORA = sorted(Path(__file__).parent.glob("items-*.jsonl"))
NOW = START + timedelta(minutes=30)


@pytest.fixture(params=CORPORA, ids=lambda path: path.stem)
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    world = World()
    world.clock.moment = NOW
    for line in request.param.read_text().splitlines():
        world.table.write(Put(decode_item(json.loads(line))))
    yield world


def test_there_is_a_corpus() -> None:
    assert CORPORA


def test_every_item_has_a_kind_and_a_version(world: World) -> None:
    for item in world.table.all_items():
        assert item["kind"] in REGISTRY.kinds()
        assert isinstance(item["v"], int)


def test_the_history_is_read(world: World) -> None:
    read = world.runtime().memory.read(Scope(world.settings.space, "instagram", "club", "ana-1"))
    assert read.head.alive and read.head.replies >= 2
    assert read.turns[0].content == "Do you have lights on court 3?"
    assert [turn.state for turn in read.turns if turn.role == "assistant"] == ["said", "unknown", "said"]


def test_decisions_drafts_and_unsettled_sends_are_read(world: World) -> None:
    outcomes = {
        name: {one["outcome"] for one in decisions.of_event(world.table, world.settings.space, name, NOW)}
        for name in ("c-1", "c-2", "c-3", "c-4")
    }
    assert outcomes == {
        "c-1": {"replied", "skipped"},
        "c-2": {"escalated"},
        "c-3": {"failed"},
        "c-4": {"replied"},
    }
    outbox = Outbox(world.table)
    assert [entry.hold for entry in outbox.waiting("draft", NOW)] == ["escalated"]
    assert [entry.state for entry in outbox.waiting("unknown", NOW)] == [State.UNKNOWN]


def test_an_entry_goes_through_the_model_unchanged(world: World) -> None:
    for item in world.table.all_items():
        if "out" in item:
            assert Entry.of_item(item).to_item() == item


def test_quarantine_and_switches_are_read(world: World) -> None:
    (kept,) = quarantined(world.table, world.settings.space, NOW)
    assert "No offset" in kept["body"]
    item = world.table.get_many([switches_key(world.settings.space)])[switches_key(world.settings.space)]
    assert Switches.read(world.settings.space, item).stopped("other") == "account"
