"""Writes the corpus of this release: `python -m tests.unit.corpus.write`, once per schema version; never edit it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from onthoud.adapters.dynamodb_codec import encode_item
from onthoud.delivery.switches import SwitchBoard
from tests.fakes.world import START, World, comment, lost, reply
from tests.faults.fifo import Fifo

HERE = Path(__file__).parent


def world() -> World:
    """Play events that leave one item of every kind and state."""
    world = World()
    queue = Fifo(world, batch_size=1)

    def send(*events: dict[str, Any]) -> None:
        queue.send(events)
        queue.work_off()

    send(comment("c-1", "Do you have lights?"), comment("c-1", "Do you have lights on court 3?", verb="edited"))
    world.model.script = [reply("", "escalate", why="needs_a_person")]
    send(comment("c-2", "I want my money back", occurred_at=(START + timedelta(minutes=1)).isoformat()))
    world.channel.can_read_back = world.channel.is_idempotent = False
    world.channel.faults = [lost()]
    send(comment("c-3", "Lost?", occurred_at=(START + timedelta(minutes=2)).isoformat()))
    world.channel.can_read_back = True
    world.channel.faults = [lost(), lost()]
    send(comment("c-4", "Twice", occurred_at=(START + timedelta(minutes=3)).isoformat()))
    send(comment("c-5", "No offset", occurred_at="2026-11-30T10:00:00"))
    SwitchBoard(world.table, world.settings.space).account("other", on=False, now=world.clock.now())
    return world


if __name__ == "__main__":
    items = sorted(world().table.all_items(), key=lambda item: (item["pk"], item["sk"]))
    lines = [json.dumps(encode_item(item), ensure_ascii=False, sort_keys=True) for item in items]
    (HERE / "items-v1.jsonl").write_text("\n".join(lines) + "\n")
