"""The source port: what a brief reads. A new source is one small module with this one method."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from onthoud.memory.alerts.model import Reading


@dataclass(frozen=True, slots=True)
class Appointment:
    """One occurrence in a calendar. An all-day one has dates, any other has aware times; the end is exclusive."""

    title: str
    start: datetime | date
    end: datetime | date
    place: str = ""

    @property
    def all_day(self) -> bool:
        """Whether it has dates instead of times."""
        return not isinstance(self.start, datetime)


@dataclass(frozen=True, slots=True)
class Chore:
    """A task that is due today or overdue."""

    title: str
    due: date
    status: str = ""


@dataclass(frozen=True, slots=True)
class Harvest:
    """What one source gave: a reading for the alert log, and what belongs to today whether or not it is news."""

    reading: Reading
    appointments: tuple[Appointment, ...] = ()
    chores: tuple[Chore, ...] = ()


class Source(Protocol):
    """Something that a brief reads."""

    @property
    def name(self) -> str:
        """What the trust line calls it, and the first part of its alerts' keys."""
        ...

    def read(self, now: datetime) -> Harvest:
        """Read it all. A fault is no exception: it is a reading that is not complete, with the reason in `error`."""
        ...
