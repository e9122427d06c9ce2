"""What the record holds, as the fact check needs it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

from booking.when import When, clock_name


@dataclass(frozen=True, slots=True)
class Facts:
    """What a draft may say; nothing else.

    Attributes:
        kind: what the message is about.
        language: the customer's, None where nobody knows it: then any of the five will do.
        name: the customer's name, empty where it is not known.
        courts: which courts the customer prefers; `preferred`: whether the booked one is among them.
        level: the customer's level, empty where it is not known.
        returning: whether the customer has been written to before.
        public: remarks that the customer may see; their words may be used.
        staff: remarks that no customer may ever see.
    """

    kind: Literal["confirmed", "moved"]
    name: str
    court: str
    venue: str
    when: When
    now: datetime = field(compare=False)
    language: str | None = None
    courts: tuple[str, ...] = ()
    preferred: bool = False
    level: str = ""
    returning: bool = False
    public: tuple[str, ...] = ()
    staff: tuple[str, ...] = ()

    @property
    def dates(self) -> tuple[date, ...]:
        """The days of the start and of the end."""
        return (self.when.start.date(), self.when.end.date())

    @property
    def minutes(self) -> tuple[int, int]:
        """Start and end in minutes of the day."""
        start, end = self.when.start, self.when.end
        return (start.hour * 60 + start.minute, end.hour * 60 + end.minute)

    @property
    def length(self) -> int:
        """How long the booking lasts, in real minutes."""
        return int((self.when.end.timestamp() - self.when.start.timestamp()) // 60)

    @property
    def zone(self) -> str:
        """The zone's IANA name."""
        return str(self.when.start.tzinfo)

    @property
    def clock_names(self) -> frozenset[str]:
        """What the zone's clocks are called at start and end."""
        return frozenset({clock_name(self.when.start), clock_name(self.when.end)})

    @property
    def today(self) -> date:
        """The present day at the venue."""
        return self.now.astimezone(self.when.start.tzinfo).date()
