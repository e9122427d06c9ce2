"""`onthoud.booking.v1`: one version of a court booking, as the booking system tells it."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from zoneinfo import available_timezones

from pydantic import Field, StringConstraints, field_validator, model_validator
from pydantic_core import PydanticCustomError

from onthoud import keys
from onthoud.clock import iso
from onthoud.events.edge import EdgeModel, Id, Moment, parse
from onthoud.events.envelope import BOOKING
from onthoud.scope import Scope, Space

Status = Literal["pending", "confirmed", "rescheduled", "cancelled", "denied"]
ACTIVE: frozenset[str] = frozenset({"confirmed", "rescheduled"})
"""The statuses in which a booking takes its court."""
# Within one version the later stage wins: a system that cancels without counting up has still cancelled.
STAGES: tuple[Status, ...] = ("pending", "confirmed", "rescheduled", "denied", "cancelled")
LONGEST = timedelta(days=7)

Label = Annotated[str, StringConstraints(min_length=1, max_length=256, strip_whitespace=True)]


class Customer(EdgeModel):
    """Whose booking it is. The language is a BCP 47 tag, where the booking system knows one."""

    id: Id
    name: str | None = Field(default=None, max_length=200)
    language: str | None = Field(default=None, max_length=35)


class Booking(EdgeModel):
    """One version of a booking. Without `version`, the update time (else the time of occurrence) is its version."""

    schema_: Literal["onthoud.booking.v1"] = Field(alias="schema", default=BOOKING)
    booking_id: Id
    version: int | None = Field(default=None, ge=0, lt=10**18)
    status: Status
    customer: Customer
    channel: Id
    account_id: Id
    to: Id
    court: Label
    starts_at: Moment
    ends_at: Moment
    venue: Label | None = None
    venue_time_zone: str | None = None
    staff_note: str | None = Field(default=None, max_length=10_000)
    replaces: Id | None = None
    updated_at: Moment | None = None
    occurred_at: Moment

    @model_validator(mode="before")
    @classmethod
    def _read_leniently(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        known = {name: inner for name, inner in value.items() if inner is not None}
        if isinstance(known.get("status"), str):
            known["status"] = {"canceled": "cancelled"}.get(known["status"].lower(), known["status"].lower())
        return known

    @field_validator("venue_time_zone")
    @classmethod
    def _known_zone(cls, value: str | None) -> str | None:
        if value is not None and value not in available_timezones():
            raise PydanticCustomError("no_IANA_time_zone", "no IANA time zone")
        return value

    @field_validator("ends_at")
    @classmethod
    def _after_the_start(cls, value: datetime, info: Any) -> datetime:
        start = info.data.get("starts_at")
        if start is not None and not timedelta(0) < value - start <= LONGEST:
            raise PydanticCustomError("not_within_a_week_after_the_start", "not within a week after the start")
        return value

    @property
    def number(self) -> int:
        """The version, counted up; from the update time in microseconds where the source has none."""
        if self.version is not None:
            return self.version
        return int((self.updated_at or self.occurred_at).timestamp() * 1_000_000)

    @property
    def rank(self) -> str:
        """The place of this event among all of its booking; text order is order.

        The version decides; within one version the later stage; within that the time of occurrence, then a hash, so
        that every order of arrival ends in the same state.
        """
        material = [self.court, iso(self.starts_at), iso(self.ends_at), self.to, self.venue, self.replaces]
        digest = hashlib.sha256(json.dumps(material).encode()).hexdigest()[:8]
        return f"{self.number:018d}.{STAGES.index(self.status)}.{iso(self.updated_at or self.occurred_at)}.{digest}"

    @property
    def edition(self) -> str:
        """What one message goes out for: the version and the status."""
        return f"{self.number}:{self.status}"

    @property
    def is_active(self) -> bool:
        """Whether the booking takes its court."""
        return self.status in ACTIVE

    @property
    def is_move(self) -> bool:
        """Whether the booking is an earlier one that was moved."""
        return self.is_active and (self.status == "rescheduled" or self.replaces is not None)

    def scope(self, space: Space) -> Scope:
        """Return the customer whose booking this is."""
        return Scope(space, self.channel, self.account_id, self.customer.id)

    def partition(self, space: Space, booking_id: str | None = None) -> str:
        """Return the partition key of this booking, or of another of the same channel and account."""
        return keys.join(
            "booking", space.tenant, space.context, self.channel, self.account_id, booking_id or self.booking_id
        )


def booking_of(event: dict[str, Any]) -> Booking:
    """Read a booking event.

    Raises:
        PermanentError: names each field that is missing or wrong (a time without an offset among them).
    """
    return parse(Booking, event)
