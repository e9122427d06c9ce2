"""Onthoud's own state: what waits for a person, and what went wrong. Titles hold ids and reasons, never words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from onthoud.delivery.outbox import Entry, Outbox
from onthoud.delivery.quarantine import quarantined
from onthoud.errors import OnthoudError
from onthoud.memory.alerts.model import Observation, Reading
from onthoud.memory.alerts.phases import Amount, Ladder
from onthoud.ports.depth import Depth
from onthoud.ports.source import Harvest
from onthoud.ports.table import Table
from onthoud.scope import Space

STEPS = Ladder((1, 10, 100, 1000))
"""Depths are told by these steps: the eleventh dead letter is no news, the hundredth is."""


@dataclass(frozen=True, slots=True)
class OwnState:
    """The stack's own queues and outbox.

    Attributes:
        queues: dead-letter queues, short name to address.
    """

    table: Table
    space: Space
    outbox: Outbox
    depth: Depth
    queues: Mapping[str, str]
    name: str = "onthoud"

    def read(self, now: datetime) -> Harvest:
        """Read it all; see the port."""
        observations: list[Observation] = []
        error = ""
        try:
            for entry in self.outbox.waiting("draft", now):
                observations += self._waiting("draft", entry, entry.hold)
            for entry in self.outbox.waiting("unknown", now):
                observations += self._waiting("unsettled", entry, "outcome unknown")
            observations += self._count(
                "quarantine", "quarantine", sum(1 for _ in quarantined(self.table, self.space, now))
            )
            for name, url in self.queues.items():
                observations += self._count("dead-letters", name, self.depth.waiting(url))
        except OnthoudError as fault:
            error = str(fault)
        return Harvest(Reading(self.name, now, not error, tuple(observations), error))

    def _waiting(self, kind: str, entry: Entry, reason: str) -> Iterator[Observation]:
        message = entry.message
        if message.kind == "brief":
            return  # the brief does not report on itself: what it could not deliver, it tells again
        yield Observation(
            source=self.name,
            kind=kind,
            subject=entry.id,
            title=f"{message.kind} {entry.id} ({message.channel})",
            material={"reason": reason},
            group=f"{self.name}:{kind}:{reason}",
            group_title=reason,
        )

    def _count(self, kind: str, name: str, depth: int) -> Iterator[Observation]:
        if depth:
            yield Observation(self.name, kind, name, name, {}, {"depth": Amount(depth, STEPS)})
