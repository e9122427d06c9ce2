"""Calendar feeds (RFC 5545) read into series: what repeats, what was taken out, what was moved.

icalendar parses, and knows the zones: IANA names, Windows names, and zones that a feed defines itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any, TypeAlias

from icalendar import Calendar

from onthoud.errors import RetryableError

Moment = date | datetime
Component: TypeAlias = Any
"""An icalendar component: its properties have thirty types, and a broken one raises on access."""


@dataclass(frozen=True, slots=True)
class Event:
    """One VEVENT. Times keep the zone in which they were meant; floating ones got the operator's.

    Attributes:
        replaces: RECURRENCE-ID: the start of the occurrence that this one replaces; None for a series' master.
        onwards: it replaces all later occurrences too (RANGE=THISANDFUTURE).
    """

    uid: str
    title: str
    start: Moment
    length: timedelta
    place: str = ""
    cancelled: bool = False
    sequence: int = 0
    rule: str = ""
    extra: tuple[Moment, ...] = ()
    dropped: tuple[Moment, ...] = ()
    replaces: Moment | None = None
    onwards: bool = False

    @property
    def all_day(self) -> bool:
        """Whether it has a date instead of a time."""
        return not isinstance(self.start, datetime)

    @property
    def end(self) -> Moment:
        """Its end, exclusive."""
        return self.start + self.length


@dataclass(slots=True)
class Series:
    """All that a feed says under one UID."""

    uid: str
    master: Event | None = None
    changed: list[Event] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Broken:
    """An event that cannot be read, and why."""

    uid: str
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed, read."""

    series: tuple[Series, ...]
    broken: tuple[Broken, ...]


class _Unreadable(Exception):
    pass


def read_feed(body: bytes, zone: tzinfo) -> Feed:
    """Read a whole feed.

    Args:
        body: the feed's bytes.
        zone: the operator's; floating times are meant in it.

    Raises:
        RetryableError: it is no calendar (a login page, say), or only the beginning of one.
    """
    text = body.strip()
    if not text.upper().startswith((b"BEGIN:VCALENDAR", b"\xef\xbb\xbfBEGIN:VCALENDAR")):
        raise RetryableError("not a calendar")
    if not text.upper().endswith(b"END:VCALENDAR"):
        raise RetryableError("the calendar is cut off")
    try:
        calendars = Calendar.from_ical(body, multiple=True)
    except (ValueError, IndexError, KeyError, TypeError, AttributeError) as error:
        raise RetryableError(f"not a readable calendar ({type(error).__name__})") from None
    series: dict[str, Series] = {}
    broken: list[Broken] = []
    for component in (part for calendar in calendars for part in calendar.walk("VEVENT")):
        try:
            _file(series, _event(component, zone))
        except _Unreadable as error:
            broken.append(Broken(_text(component, "UID"), _text(component, "SUMMARY"), str(error)))
        except Exception as error:  # whatever one event breaks, the others are read
            broken.append(Broken(_text(component, "UID"), _text(component, "SUMMARY"), type(error).__name__))
    return Feed(tuple(series.values()), tuple(broken))


def _file(series: dict[str, Series], event: Event) -> None:
    """Put an event where it belongs; of two versions of the same one the later (SEQUENCE) counts."""
    entry = series.setdefault(event.uid, Series(event.uid))
    if event.replaces is None:
        if entry.master is None or event.sequence >= entry.master.sequence:
            entry.master = event
        return
    for position, other in enumerate(entry.changed):
        if same_start(other.replaces, event.replaces):
            if event.sequence >= other.sequence:
                entry.changed[position] = event
            return
    entry.changed.append(event)


def same_start(first: Moment | None, second: Moment | None) -> bool:
    """Whether two starts name the same occurrence: the same instant, in whatever zone, or the same day for dates."""
    if first is None or second is None:
        return first is second
    if isinstance(first, datetime) and isinstance(second, datetime):
        return first == second
    return day_of(first) == day_of(second)


def day_of(moment: Moment) -> date:
    """The day of a start, in its own zone."""
    return moment.date() if isinstance(moment, datetime) else moment


def _event(component: Component, zone: tzinfo) -> Event:
    start = _moment(component, "DTSTART", zone)
    if start is None:
        raise _Unreadable("no start")
    replaces = _moment(component, "RECURRENCE-ID", zone)
    return Event(
        uid=_text(component, "UID") or _invented_uid(component, start),
        title=" ".join(_text(component, "SUMMARY").split())[:200],
        start=start,
        length=_length(component, start, zone),
        place=" ".join(_text(component, "LOCATION").split())[:200],
        cancelled=_text(component, "STATUS").upper() == "CANCELLED",
        sequence=_number(component, "SEQUENCE"),
        rule=component["RRULE"].to_ical().decode() if "RRULE" in component else "",
        extra=tuple(_dates(component, "RDATE", zone)),
        dropped=tuple(_dates(component, "EXDATE", zone)),
        replaces=replaces,
        onwards=replaces is not None
        and str(component["RECURRENCE-ID"].params.get("RANGE", "")).upper() == "THISANDFUTURE",
    )


def _invented_uid(component: Component, start: Moment) -> str:
    return f"no-uid-{_text(component, 'SUMMARY')}-{start.isoformat()}"


def _length(component: Component, start: Moment, zone: tzinfo) -> timedelta:
    whole_day = not isinstance(start, datetime)
    end = _moment(component, "DTEND", zone)
    if end is not None:
        if whole_day != (not isinstance(end, datetime)):
            raise _Unreadable("start and end are of different kinds")
        length = end - start
    elif "DURATION" in component:
        length = component["DURATION"].dt
    else:
        length = timedelta(0)
    # Some producers end an all-day event on the day it begins, some give no end at all: both mean that day.
    least = timedelta(days=1) if whole_day else timedelta(0)
    return max(length, least)


def _moment(component: Component, name: str, zone: tzinfo) -> Moment | None:
    if name not in component:
        return None
    found = component[name]
    if isinstance(found, list):
        raise _Unreadable(f"{name} stands there twice")
    return _meant(found.dt, found.params, zone)


def _meant(moment: Any, params: Any, zone: tzinfo) -> Moment:
    if isinstance(moment, datetime):
        if moment.tzinfo is not None:
            return moment
        if params.get("TZID"):
            # Guessing a zone by its offset is an hour off half of the year.
            raise _Unreadable("its time zone is unknown")
        return moment.replace(tzinfo=zone)
    if isinstance(moment, date):
        return moment
    raise _Unreadable("a time is neither a date nor a time")


def _dates(component: Component, name: str, zone: tzinfo) -> Iterator[Moment]:
    entries = component.get(name, [])
    for entry in entries if isinstance(entries, list) else [entries]:
        for one in entry.dts:
            # An RDATE may be a period: its start counts.
            moment = one.dt[0] if isinstance(one.dt, tuple) else one.dt
            yield _meant(moment, entry.params, zone)


def _text(component: Component, name: str) -> str:
    try:
        value = component.get(name, "")
        return str(value[0] if isinstance(value, list) else value).strip()
    except Exception:  # a broken property says so on every access
        return ""


def _number(component: Component, name: str) -> int:
    try:
        return int(component.get(name, 0))
    except (TypeError, ValueError):
        return 0


def instant(moment: Moment, zone: tzinfo) -> datetime:
    """Return a start or end as an instant; a date begins at midnight of the operator's zone."""
    if isinstance(moment, datetime):
        return moment
    return datetime.combine(moment, time.min, zone)
