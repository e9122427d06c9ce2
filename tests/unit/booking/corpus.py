"""Writes the booking corpus of this release: `python -m tests.unit.booking.corpus`, once per schema; never edit it."""

from __future__ import annotations

import json
from pathlib import Path

from onthoud.adapters.dynamodb_codec import encode_item
from onthoud.memory.identities import Identities
from onthoud.memory.profile import Profiles
from onthoud.memory.profile_input import profile_input
from tests.unit.booking.scene import Scene, booking

HERE = Path(__file__).parent
LATER = {"starts_at": "2026-12-02T20:00:00+01:00", "ends_at": "2026-12-02T21:00:00+01:00"}
PROFILE = {
    "name": "Ana",
    "language": "nl",
    "time_zone": "Europe/Amsterdam",
    "preferred_courts": ["Court 3"],
    "experience_level": "advanced",
    "notes": [{"text": "left-handed", "visibility": "public"}, {"text": "always late", "visibility": "staff"}],
    "locker": "12",
}


def scene() -> Scene:
    """Play events that leave one item of every kind and state."""
    scene = Scene()
    world = scene.world
    Profiles(world.table, world.clock, str).save(scene.scope(), profile_input(PROFILE).changes(), source="operator")
    Identities(world.table, world.clock).link(scene.scope(), scene.scope("other"), by="eva", reason="desk")
    scene.deliver(
        booking(),
        booking(booking_id="b-2", replaces="b-1", **LATER),
        booking(booking_id="b-3", customer={"id": "bo"}, to="bo@example.com", court="Court 5"),
        booking(booking_id="b-4", customer={"id": "cy"}, to="cy@example.com", court="Court 5"),
        booking(
            booking_id="b-3", customer={"id": "bo"}, to="bo@example.com", court="Court 5", version=2, status="cancelled"
        ),
    )
    return scene


if __name__ == "__main__":
    items = sorted(scene().world.table.all_items(), key=lambda item: (item["pk"], item["sk"]))
    lines = [json.dumps(encode_item(item), ensure_ascii=False, sort_keys=True) for item in items]
    (HERE / "items-v1.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
