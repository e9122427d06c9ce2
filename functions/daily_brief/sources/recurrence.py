"""From series to occurrences.

dateutil expands the rules on the wall clock of the event's own zone, so that 9 o'clock stays 9 o'clock when the clocks
change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from dateutil.rrule import rrule, rruleset, rrulestr

from daily_brief.sources.ics import Event, Moment, Series, day_of, instant, same_start

_UNTIL = re.compile(r"UNTIL=(\d{8})(T\d{6})?(Z)?", re.IGNORECASE)
_TOO_FAST = re.compile(r"FREQ=(?:SECONDLY|MINUTELY)", re.IGNORECASE)
MARGIN = timedelta(days=2)
"""Wider than any difference between two zones."""


class RuleError(ValueError):
    """A rule that cannot be expanded."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One occurrence. `slot` is where the rule put it; it differs from the start where it was moved."""

    event: Event
    start: Moment
    end: Moment
    slot: Moment

    def between(self, since: datetime, until: datetime, zone: tzinfo) -> bool:
        """Whether any of it lies in [since, until); what has no length counts at its instant."""
        start, end = instant(self.start, zone), instant(self.end, zone)
        return start < until and (end > since or (start == end and start >= since))


def occurrences(series: Series, since: datetime, until: datetime, zone: tzinfo) -> Iterator[Occurrence]:
    """Yield a series' occurrences that touch [since, until), cancelled ones left out, in no particular order.

    Raises:
        RuleError: its rule cannot be expanded.
    """
    found = [*_replaced(series), *_by_rule(series, since, until)]
    for one in found:
        if not one.event.cancelled and one.between(since, until, zone):
            yield one


def _replaced(series: Series) -> Iterator[Occurrence]:
    for event in series.changed:
        if event.replaces is not None:
            yield Occurrence(event, event.start, event.end, event.replaces)


def _by_rule(series: Series, since: datetime, until: datetime) -> Iterator[Occurrence]:
    master = series.master
    if master is None or master.cancelled:
        return
    for slot in _slots(master, since - _longest_shift(series), until + _longest_shift(series)):
        if any(same_start(event.replaces, slot) for event in series.changed) or _dropped(master, slot):
            continue
        event = _in_force(master, series, slot)
        start = slot if event.replaces is None else _moved(slot, event)
        yield Occurrence(event, start, start + event.length, slot)


def _longest_shift(series: Series) -> timedelta:
    shifts = [abs(_shift(event)) + event.length for event in series.changed if event.onwards]
    length = series.master.length if series.master else timedelta(0)
    return max([length, *shifts]) + MARGIN


def _shift(event: Event) -> timedelta:
    if isinstance(event.start, datetime) and isinstance(event.replaces, datetime):
        # On the wall clock, so that a shift across a change of clocks stays what it was meant to be.
        return event.start.replace(tzinfo=None) - event.replaces.astimezone(event.start.tzinfo).replace(tzinfo=None)
    return day_of(event.start) - day_of(event.replaces or event.start)


def _moved(slot: Moment, event: Event) -> Moment:
    if isinstance(slot, datetime) and isinstance(event.start, datetime):
        wall = slot.astimezone(event.start.tzinfo).replace(tzinfo=None) + _shift(event)
        return wall.replace(tzinfo=event.start.tzinfo)
    return slot + _shift(event)


def _in_force(master: Event, series: Series, slot: Moment) -> Event:
    """The event whose words and times hold for a slot: the master, or the last change "from here on" before it."""
    chosen = master
    for event in sorted((e for e in series.changed if e.onwards and e.replaces is not None), key=_order):
        if event.replaces is not None and _order_of(event.replaces) <= _order_of(slot):
            chosen = event
    return chosen


def _order(event: Event) -> float:
    return _order_of(event.replaces or event.start)


def _order_of(moment: Moment) -> float:
    if isinstance(moment, datetime):
        return moment.timestamp()
    return float(moment.toordinal() * 86400) - 62135683200.0


def _dropped(master: Event, slot: Moment) -> bool:
    """Whether an EXDATE takes the slot out: by its instant, or, written as a date, by its day in the event's zone."""
    return any(same_start(dropped, slot) for dropped in master.dropped)


def _slots(master: Event, since: datetime, until: datetime) -> Iterator[Moment]:
    """Yield the starts that rule and extra dates give, in a window that is a little too wide."""
    if not master.rule and not master.extra:
        yield master.start
        return
    wall = _wall(master.start)
    rules = rruleset()
    rules.rdate(wall)
    if master.rule:
        rules.rrule(_rule(master, wall))
    for extra in master.extra:
        rules.rdate(_wall(extra, master))
    zone = master.start.tzinfo if isinstance(master.start, datetime) else None
    first, last = (_local(since, zone), _local(until, zone))
    for found in rules.between(first, last, inc=True):
        yield _back(found, master)


def _local(moment: datetime, zone: tzinfo | None) -> datetime:
    return (moment.astimezone(zone) if zone is not None else moment).replace(tzinfo=None)


def _wall(moment: Moment, master: Event | None = None) -> datetime:
    if not isinstance(moment, datetime):
        return datetime.combine(moment, time.min)
    if master is not None and isinstance(master.start, datetime):
        moment = moment.astimezone(master.start.tzinfo)
    return moment.replace(tzinfo=None)


def _back(wall: datetime, master: Event) -> Moment:
    if not isinstance(master.start, datetime):
        return wall.date()
    return wall.replace(tzinfo=master.start.tzinfo)


def _rule(master: Event, wall: datetime) -> rrule:
    if _TOO_FAST.search(master.rule):
        raise RuleError("it repeats every few seconds or minutes")
    text = _UNTIL.sub(lambda match: f"UNTIL={_until(match, master):%Y%m%dT%H%M%S}", master.rule)
    try:
        rule = rrulestr(text, dtstart=wall)
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise RuleError(f"its rule is not readable ({type(error).__name__})") from None
    if not isinstance(rule, rrule):
        raise RuleError("it is more than one rule")
    return rule


def _until(match: re.Match[str], master: Event) -> datetime:
    """The end of a rule on the event's wall clock; a bare date means all of that day."""
    day = datetime.strptime(match[1], "%Y%m%d")
    if not match[2]:
        return datetime.combine(day, time.max).replace(microsecond=0)
    moment = datetime.strptime(match[1] + match[2], "%Y%m%dT%H%M%S")
    if match[3] and isinstance(master.start, datetime):
        return moment.replace(tzinfo=UTC).astimezone(master.start.tzinfo).replace(tzinfo=None)
    return moment


def day_bounds(day: date, zone: tzinfo) -> tuple[datetime, datetime]:
    """Return [midnight, next midnight) of a day in a zone; on the days when clocks change it has 23 or 25 hours."""
    return datetime.combine(day, time.min, zone), datetime.combine(day + timedelta(days=1), time.min, zone)
