"""Conflicts of bookings in the operator's alert log: once each, and gone when the conflict is."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from booking.state import Clash
from booking.when import STYLES, describe
from onthoud import naming
from onthoud.errors import OnthoudError
from onthoud.events.booking import Booking
from onthoud.memory.alerts.log import AlertLog
from onthoud.memory.alerts.model import Observation, Reading, Rules
from onthoud.memory.alerts.stores import BRIEF_LOG, OPERATOR
from onthoud.observability import logger
from onthoud.runtime import Runtime
from onthoud.scope import Scope

SOURCE = "bookings"
KIND = "conflict"


def _log(runtime: Runtime) -> AlertLog:
    return AlertLog.of_operator(
        runtime.table,
        runtime.clock,
        runtime.settings.space,
        BRIEF_LOG,
        OPERATOR,
        Rules(audiences=()),
        runtime.redactor.clean,
    )


def _subject(booking: Booking) -> str:
    return naming.join([booking.channel, booking.account_id, booking.booking_id])


def clash(runtime: Runtime, booking: Booking, step: Clash, scope: Scope) -> None:
    """Put a conflict into the operator's log. It is written before the decision, so that a crash cannot lose it."""
    zone = ZoneInfo(booking.venue_time_zone or runtime.settings.venue_time_zone)
    when = describe(booking.starts_at, booking.ends_at, zone, STYLES["en-GB"])
    why = "both have the court then" if step.reason == "court_taken" else "both replace the same booking"
    observation = Observation(
        source=SOURCE,
        kind=KIND,
        subject=_subject(booking),
        title=f"Booking {booking.booking_id} conflicts with {step.other}: {booking.court}, {when.line}",
        summary=f"{why}; {booking.booking_id} was not confirmed",
        material={"reason": step.reason, "other": step.other, "court": booking.court, "when": when.line},
        ends_at=booking.ends_at,
        about=scope.partition,
    )
    reading = Reading(SOURCE, runtime.clock.now(), False, (observation,))
    _log(runtime).observe([reading], f"booking:{booking.booking_id}:{booking.edition}")


def no_clash_any_more(runtime: Runtime, booking: Booking) -> None:
    """Close a booking's conflict, since a later version of it has none; a person may have been quicker."""
    try:
        _log(runtime).resolve(f"{SOURCE}:{KIND}:{_subject(booking)}", by="booking", note=booking.status)
    except OnthoudError as error:
        logger.info("no conflict to close", booking_id=booking.booking_id, reason=str(error))
