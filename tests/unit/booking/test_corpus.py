"""Every booking item that a release has written can be read by this one, and its bookings live on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from onthoud.adapters.dynamodb_codec import decode_item
from onthoud.delivery.outbox import Entry
from onthoud.memory.identities import Identities
from onthoud.memory.profile import Profiles
from onthoud.ports.table import Put
from onthoud.stores import REGISTRY
from tests.unit.booking.corpus import LATER, PROFILE
from tests.unit.booking.scene import Scene, booking

CORPORA = sorted(Path(__file__).parent.glob("items-*.jsonl"))


@pytest.fixture(params=CORPORA, ids=lambda path: path.stem)
def scene(request: pytest.FixtureRequest) -> Scene:
    scene = Scene()
    for line in request.param.read_text("utf-8").splitlines():
        scene.world.table.write(Put(decode_item(json.loads(line))))
    return scene


def test_every_item_has_a_registered_kind_and_a_version(scene: Scene) -> None:
    kinds = {item["kind"] for item in scene.world.table.all_items()}
    assert {"profile", "identities", "observed", "court_day", "event", "turn", "alert"} <= kinds <= REGISTRY.kinds()
    assert all(isinstance(item["v"], int) for item in scene.world.table.all_items())


def test_profile_links_and_messages_are_read(scene: Scene) -> None:
    assert Profiles(scene.world.table, scene.world.clock, str).get(scene.scope()).plain() == PROFILE
    links = Identities(scene.world.table, scene.world.clock).links(scene.scope("other"))
    assert [(link.other, link.by) for link in links] == [(scene.scope(), "eva")]
    for item in scene.world.table.all_items():
        if "out" in item:
            assert Entry.of_item(item).to_item() == item


def test_the_bookings_live_on(scene: Scene) -> None:
    moved = booking(booking_id="b-2", replaces="b-1", **LATER)
    scene.deliver(booking(), moved, booking(version=2, status="cancelled"))
    scene.settle()
    assert scene.texts == []
    scene.deliver(booking(booking_id="b-9", customer={"id": "dee"}, **LATER))
    assert scene.decisions("b-9") == [("escalated", "conflict: court_taken")]
    scene.deliver({**moved, "version": 2, "status": "cancelled"})
    scene.settle()
    assert scene.statuses == ["cancelled"]
