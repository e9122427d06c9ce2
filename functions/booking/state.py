"""What one version of a booking means, given all that is known: pure.

The record of a booking in the ledger keeps, beside the decisions: `rank` and `status` of the highest version, `slots`
(where its slots lie), `replaces`, `replaced_by` (the active booking that this one was moved to), `moved` (the customer
was told so), `held` (a cancellation that waits to see whether it is one half of a move).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from booking.messages import Kind
from onthoud.delivery.ledger import Record
from onthoud.events.booking import Booking

Skipped = Literal["stale", "pending", "replaced", "erased", "mode_off"]
Conflict = Literal["court_taken", "replaced_twice"]


@dataclass(frozen=True, slots=True)
class Tell:
    """The customer is told."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class Silent:
    """Nothing is said. `remember`: the version is the highest one, and the booking's state moves on to it."""

    reason: Skipped
    remember: bool = True


@dataclass(frozen=True, slots=True)
class Clash:
    """Two bookings cannot both hold: a person is told, the customer is not. `other` is the earlier one's id."""

    reason: Conflict
    other: str


@dataclass(frozen=True, slots=True)
class Wait:
    """A cancellation that may be one half of a move: said a little later, if nothing replaces the booking."""


Step = Tell | Silent | Clash | Wait


def decide(
    booking: Booking, own: Record, replaced: Record | None, court_taken_by: str | None, *, settled: bool
) -> Step:
    """Return what a version of a booking leads to.

    Args:
        booking: the version.
        own: the booking's record.
        replaced: the record of the booking that this one replaces, if it replaces one.
        court_taken_by: the booking that has the court at that time.
        settled: whether a cancellation has waited long enough for the booking that may replace it.
    """
    if own.get("rank") is not None and booking.rank < own.get("rank"):
        return Silent("stale", remember=False)
    if own.get("replaced_by") or own.get("moved"):
        return Silent("replaced")
    match booking.status:
        case "pending":
            return Silent("pending")
        case "denied":
            return Tell("denied")
        case "cancelled":
            return Tell("cancelled") if settled else Wait()
    rival = replaced.get("replaced_by") if replaced is not None else None
    if rival and rival != booking.booking_id:
        return Clash("replaced_twice", rival)
    if court_taken_by is not None:
        return Clash("court_taken", court_taken_by)
    return Tell("moved" if booking.is_move else "confirmed")
