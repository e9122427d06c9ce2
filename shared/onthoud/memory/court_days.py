"""Which booking has which court when: one item per court and day, so that a conflict is seen in the same read.

A slot is an attribute of its own, named by the booking, so that it can be freed without being read:

    {"pk": "court#...", "sk": "day#2026-12-01", "rev": 7, "slot#email#b-1": [1796144400, 1796148000]}

    worker A, booking b-1                 worker B, booking b-2 (another customer: another message group)
    reads the day, rev 6: free            reads the day, rev 6: free
    takes it, if still rev 6: rev 7
                                          takes it, if still rev 6: refused, reads again, finds b-1
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from onthoud import keys
from onthoud.clock import epoch, iso
from onthoud.events.booking import Booking
from onthoud.ports.table import Compare, Item, Key, Missing, Update, When
from onthoud.privacy.registry import Store, nothing_personal
from onthoud.scope import Space

KIND: Final = "court_day"
VERSION = 1
KEPT_DAYS = 60
"""How long a day stays after it has passed; longer than the ledger can bring one of its bookings back."""

STORE = Store(
    KIND,
    holds="per court and day: ids of bookings and their times",
    retention=f"{KEPT_DAYS} days after the day (TTL)",
    erase=nothing_personal,
)


def _fold(label: str) -> str:
    return " ".join(label.casefold().split())


def slot_name(channel: str, booking_id: str) -> str:
    """Return the attribute that holds a booking's slot."""
    return keys.join("slot", channel, booking_id)


def day_keys(space: Space, booking: Booking) -> list[Key]:
    """Return where the days lie that a booking touches, in UTC. A court is (account, venue, court)."""
    court = keys.join(
        "court", space.tenant, space.context, booking.account_id, _fold(booking.venue or "-"), _fold(booking.court)
    )
    day = booking.starts_at.astimezone(UTC).date()
    last = (booking.ends_at.astimezone(UTC) - timedelta(microseconds=1)).date()
    found = []
    while day <= last:
        found.append(Key(court, keys.join("day", day.isoformat())))
        day += timedelta(days=1)
    return found


def taken_by(days: Iterable[Item | None], booking: Booking, now: datetime) -> str | None:
    """Return the id of another booking that has the court at an overlapping time, None where it is free.

    The booking itself does not count, nor the one that it replaces: that one gives its slot up.
    """
    own = {slot_name(booking.channel, booking.booking_id)}
    if booking.replaces is not None:
        own.add(slot_name(booking.channel, booking.replaces))
    start, end = booking.starts_at.timestamp(), booking.ends_at.timestamp()
    for item in days:
        if item is None or item["expires_at"] <= epoch(now):
            continue
        for name, value in sorted(item.items()):
            if name.startswith("slot#") and name not in own and value[0] < end and start < value[1]:
                return keys.split(name)[2]
    return None


@dataclass(slots=True)
class DayWrites:
    """The changes of days, one write per day."""

    now: datetime
    read: Mapping[Key, Item]
    _set: dict[Key, dict[str, Any]]
    _gone: dict[Key, set[str]]
    _guarded: set[Key]

    @classmethod
    def begin(cls, now: datetime, read: Mapping[Key, Item]) -> DayWrites:
        """Begin with what was read; a day that is taken must still be as it was read."""
        return cls(now, read, {}, {}, set())

    def free(self, places: Iterable[Key], name: str) -> None:
        """Give a slot up, wherever it lies."""
        for key in places:
            self._gone.setdefault(key, set()).add(name)

    def take(self, places: Iterable[Key], name: str, booking: Booking) -> None:
        """Take a slot."""
        for key in places:
            self._set.setdefault(key, {})[name] = [int(booking.starts_at.timestamp()), int(booking.ends_at.timestamp())]
            self._guarded.add(key)

    def actions(self) -> list[Update]:
        """Return the writes."""
        return [self._action(key) for key in sorted({*self._set, *self._gone})]

    def _action(self, key: Key) -> Update:
        taken = self._set.get(key, {})
        day = datetime.fromisoformat(keys.split(key.sk)[1]).replace(tzinfo=UTC)
        return Update(
            key,
            set={"kind": KIND, "v": VERSION, "expires_at": epoch(day + timedelta(days=1 + KEPT_DAYS)), **taken},
            set_once={"created_at": iso(self.now)},
            add={"rev": 1},
            remove=tuple(sorted(self._gone.get(key, set()) - taken.keys())),
            when=self._unchanged(key) if key in self._guarded else (),
        )

    def _unchanged(self, key: Key) -> When:
        item = self.read.get(key)
        return (Missing("rev"),) if item is None else (Compare("rev", "=", item["rev"]),)
