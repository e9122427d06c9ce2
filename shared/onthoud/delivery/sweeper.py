"""The sweeper: finishes on a schedule what a crash left and no queue message will come back for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from onthoud.clock import Clock
from onthoud.deadline import Deadline
from onthoud.delivery.outbox import LEASE, Entry, Outbox, State
from onthoud.delivery.sender import Sender
from onthoud.errors import Conflict, OutOfTime, RetryableError
from onthoud.observability import count, logger

LEAST_TO_BEGIN_S = 15.0
ASKED_TOO_OFTEN = 20
"""A far end that could not be asked so often (some five hours) is given up; a person decides."""
QUIET = timedelta(seconds=30)
"""So long after a lost answer the sweeper does not ask: the far end may still be at the request that we gave up."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What one sweep did, in messages."""

    settled: int = 0
    drafted: int = 0
    left: int = 0


class Sweeper:
    """Goes through what is SENDING or waits for another try, when its own queue message had time enough."""

    def __init__(self, outbox: Outbox, sender: Sender, clock: Clock, *, max_attempts: int) -> None:
        self._outbox = outbox
        self._sender = sender
        self._clock = clock
        self._max_attempts = max_attempts

    def sweep(self, deadline: Deadline) -> Swept:
        """Bring to an end what can be; what has been tried too often becomes a draft for a person."""
        settled = drafted = left = 0
        now = self._clock.now()
        for entry in [*self._outbox.waiting("sending", now), *self._outbox.waiting("retry", now)]:
            if now < (entry.claimed_at or entry.created_at) + LEASE + QUIET:
                continue
            if entry.base.get("outlet"):
                continue  # a brief on a way out of its own (Slack, mail): the brief's function finishes it
            try:
                deadline.require(LEAST_TO_BEGIN_S)
                moved = self._one(entry, deadline)
            except OutOfTime:
                left += 1
            except (RetryableError, Conflict) as error:
                logger.warning("swept in vain", entry=entry.id, reason=str(error))
                left += 1
            except Exception as error:  # a fault of ours in one message keeps no other waiting
                logger.error("swept in vain", entry=entry.id, error=type(error).__name__)
                left += 1
            else:
                drafted += moved.state is State.PLANNED
                settled += moved.state is not State.PLANNED
        if settled or drafted:
            count("Swept", settled + drafted)
        return Swept(settled, drafted, left)

    def _one(self, entry: Entry, deadline: Deadline) -> Entry:
        if entry.state is State.PLANNED and entry.attempts >= self._max_attempts:
            return self._outbox.move(entry, hold=f"failed: {entry.failure}" if entry.failure else "failed")
        if entry.state is State.SENDING and entry.attempts >= ASKED_TOO_OFTEN:
            return self._outbox.move(entry, state=State.UNKNOWN, failure=entry.failure or "the far end never answered")
        return self._sender.carry_on(entry, deadline)
