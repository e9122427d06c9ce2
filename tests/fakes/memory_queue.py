"""A queue in memory that can be looked into as SQS lets one: what is taken is hidden, ten of a FIFO group at most."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field

from onthoud.clock import Clock, iso
from onthoud.errors import OnthoudError
from onthoud.ports.queue import QueueMessage

_ids = itertools.count(1)


@dataclass
class MemoryQueue:
    """`refuses` are message bodies that the queue does not take."""

    clock: Clock
    fifo: bool = True
    lying: list[QueueMessage] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    receives: dict[str, int] = field(default_factory=dict)
    deduplicated: set[str] = field(default_factory=set)
    refuses: dict[str, OnthoudError] = field(default_factory=dict)

    def send(
        self, body: str, *, group: str, deduplication_id: str, attributes: Mapping[str, str] | None = None
    ) -> None:
        if body in self.refuses:
            raise self.refuses[body]
        if self.fifo and deduplication_id in self.deduplicated:
            return
        self.deduplicated.add(deduplication_id)
        name = f"sqs-{next(_ids)}"
        reason = (attributes or {}).get("reason", "")
        self.lying.append(QueueMessage(name, body, group if self.fifo else "", reason, iso(self.clock.now()), name))

    def receive(self, limit: int, *, visibility_s: int) -> list[QueueMessage]:
        assert visibility_s > 0
        # Ten of a group at once; then nothing of it until what is taken has gone or is visible again.
        blocked = {one.group for one in self.lying if one.message_id in self.taken and one.group}
        found: list[QueueMessage] = []
        for one in self.lying:
            of_group = sum(1 for other in found if other.group == one.group)
            free = one.message_id not in self.taken and one.group not in blocked
            if free and len(found) < limit and (not one.group or of_group < 10):
                found.append(one)
        self.taken |= {one.message_id for one in found}
        for one in found:
            self.receives[one.message_id] = self.receives.get(one.message_id, 0) + 1
        return found

    def delete(self, message: QueueMessage) -> None:
        self.lying = [one for one in self.lying if one.message_id != message.message_id]
        self.taken.discard(message.message_id)

    def release(self, message: QueueMessage) -> None:
        self.taken.discard(message.message_id)

    def count(self) -> int:
        return len(self.lying)

    @property
    def bodies(self) -> list[str]:
        return [one.body for one in self.lying]
