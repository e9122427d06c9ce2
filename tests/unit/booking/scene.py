"""The booking bot in the small world: events in, messages out."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from booking.bot import BookingBot, Run
from onthoud.delivery import decisions
from onthoud.delivery.worker import Message
from onthoud.scope import Scope
from tests.fakes.world import START, World, plenty

BASE: dict[str, Any] = {
    "schema": "onthoud.booking.v1",
    "booking_id": "b-1",
    "version": 1,
    "status": "confirmed",
    "customer": {"id": "ana-1", "name": "Ana"},
    "channel": "email",
    "account_id": "club",
    "to": "ana@example.com",
    "court": "Court 3",
    "starts_at": "2026-12-01T18:00:00+01:00",
    "ends_at": "2026-12-01T19:00:00+01:00",
    "venue": "Onthoud Club",
    "venue_time_zone": "Europe/Amsterdam",
    "staff_note": None,
    "replaces": None,
    "occurred_at": START.isoformat(),
}


def booking(**changes: Any) -> dict[str, Any]:
    return {**BASE, **changes}


class Scene:
    """A world with the booking bot. Without scripted drafts its model gives none, so messages are the plain ones."""

    def __init__(self, **settings: Any) -> None:
        self.world = World(
            **{
                "events_queue_url": "memory:events",
                "move_wait_s": 60,
                "venue_time_zone": "Europe/Amsterdam",
                **settings,
            }
        )
        self.received = 0

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.world.channel.accepted]

    @property
    def statuses(self) -> list[str]:
        return [str(message.extra["status"]) for message in self.world.channel.accepted]

    def draft(self, *texts: str) -> None:
        self.world.model.script += [{"text": text} for text in texts]

    def deliver(self, *events: dict[str, Any]) -> None:
        for event in events:
            runtime = self.world.runtime()
            worker = runtime.worker("booking", "bookings")
            self.received += 1
            run = Run(Message(f"m-{self.received}", json.dumps(event)), plenty())
            worker.work(run.message, run.deadline, partial(BookingBot(runtime, worker).process, run=run))

    def settle(self) -> None:
        """Let what waits in the events queue come back, as ingest hands it on."""
        waiting, self.world.dead.sent = self.world.dead.sent, []
        self.world.clock.advance(seconds=61)
        self.deliver(*(json.loads(message["body"]) for message in waiting))

    def decisions(self, booking_id: str = "b-1") -> list[tuple[str, str]]:
        found = decisions.of_event(self.world.table, self.world.settings.space, booking_id, self.world.clock.now())
        return [(one["outcome"], one["reason"]) for one in found]

    def scope(self, customer: str = "ana-1") -> Scope:
        return Scope(self.world.settings.space, "email", "club", customer)
