"""EventBridge Scheduler's expressions: `cron(...)`, `rate(...)` and `at(...)`, in their time zones.

At the change to summer time a local time that does not exist is skipped; at the change back a time that comes twice
counts once, the first time. `rate` counts elapsed time from its start, whatever the clocks on the wall do.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from infra.local.errors import TemplateError

_MONTHS = {name.upper(): number for number, name in enumerate(calendar.month_abbr) if name}
_DAYS = {name: number for number, name in enumerate(("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"), start=1)}
_UNITS = {"minute": 60, "hour": 3600, "day": 86400}
_SEARCH_DAYS = 366 * 5

DayTest = Callable[[date], bool]


@dataclass(frozen=True, slots=True)
class Rate:
    """Every `every` seconds, counted from `start`."""

    every: timedelta
    start: datetime

    def next_after(self, moment: datetime) -> datetime | None:
        """Return the first time after `moment`."""
        periods = (moment - self.start) // self.every + 1
        return self.start + max(1, periods) * self.every

    def last_until(self, moment: datetime) -> datetime:
        """Return the last time up to and including `moment`."""
        return self.start + (moment - self.start) // self.every * self.every


@dataclass(frozen=True, slots=True)
class At:
    """Once."""

    moment: datetime

    def next_after(self, moment: datetime) -> datetime | None:
        """Return the time, if it lies after `moment`."""
        return self.moment if self.moment > moment else None


@dataclass(frozen=True, slots=True)
class Cron:
    """At local times of a zone."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    is_day: DayTest
    zone: ZoneInfo

    def next_after(self, moment: datetime) -> datetime | None:
        """Return the first time after `moment`; None when there is none within five years."""
        day = moment.astimezone(self.zone).date()
        for _ in range(_SEARCH_DAYS):
            if self.is_day(day):
                # An hour of the day that comes twice can put a later local time before an earlier one.
                times = sorted(time for time in self._times(day) if time > moment)
                if times:
                    return times[0]
            day += timedelta(days=1)
        return None

    def _times(self, day: date) -> list[datetime]:
        times = []
        for hour in self.hours:
            for minute in self.minutes:
                local = datetime(day.year, day.month, day.day, hour, minute, tzinfo=self.zone)
                instant = local.astimezone(UTC)
                if instant.astimezone(self.zone).replace(tzinfo=None) == local.replace(tzinfo=None):
                    times.append(instant)
        return times


def parse(expression: str, zone: ZoneInfo, start: datetime) -> Cron | Rate | At:
    """Read an expression; `start` is when a `rate` begins to count.

    Raises:
        TemplateError: EventBridge Scheduler would not take it.
    """
    match = re.fullmatch(r"(cron|rate|at)\((.+)\)", expression.strip())
    try:
        if match is None:
            raise ValueError("it is none of cron(...), rate(...), at(...)")
        kind, inner = match.groups()
        if kind == "at":
            return At(datetime.fromisoformat(inner).replace(tzinfo=zone).astimezone(UTC))
        return _rate(inner, start) if kind == "rate" else _cron(inner, zone)
    except (ValueError, KeyError) as error:
        raise TemplateError(f"the schedule expression {expression!r} is wrong: {error}") from error


def _rate(inner: str, start: datetime) -> Rate:
    match = re.fullmatch(r"(\d+) (minute|hour|day)(s?)", inner)
    if match is None or int(match.group(1)) == 0 or (int(match.group(1)) == 1) == bool(match.group(3)):
        raise ValueError("a rate is a number and minute, hour or day, in the right number")
    return Rate(timedelta(seconds=int(match.group(1)) * _UNITS[match.group(2)]), start)


def _cron(inner: str, zone: ZoneInfo) -> Cron:
    fields = inner.upper().split()
    if len(fields) != 6:
        raise ValueError("a cron expression has six fields: minutes hours day-of-month month day-of-week year")
    minutes, hours, day, month, weekday, year = fields
    if (day == "?") == (weekday == "?"):
        raise ValueError("exactly one of day-of-month and day-of-week must be ?")
    months, years = _numbers(month, 1, 12, _MONTHS), _numbers(year, 1970, 2199, {})
    fits = _day_of_month(day) if weekday == "?" else _day_of_week(weekday)

    def is_day(moment: date) -> bool:
        return moment.month in months and moment.year in years and fits(moment)

    return Cron(tuple(sorted(_numbers(minutes, 0, 59, {}))), tuple(sorted(_numbers(hours, 0, 23, {}))), is_day, zone)


def _numbers(field: str, low: int, high: int, names: dict[str, int]) -> set[int]:
    chosen: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        if span == "*":
            first, last = low, high
        elif "-" in span:
            first, last = (_number(end, names) for end in span.split("-"))
        else:
            first = _number(span, names)
            last = high if step else first
        if not low <= first <= last <= high:
            raise ValueError(f"{part} does not lie within {low} to {high}")
        chosen.update(range(first, last + 1, int(step or 1)))
    return chosen


def _number(text: str, names: dict[str, int]) -> int:
    return names[text] if text in names else int(text)


def _last_of(day: date) -> int:
    return calendar.monthrange(day.year, day.month)[1]


def _day_of_month(field: str) -> DayTest:
    if field == "L":
        return lambda day: day.day == _last_of(day)
    if field == "LW":
        return lambda day: day == _nearest_weekday(day, _last_of(day))
    if field.endswith("W"):
        wanted = int(field.removesuffix("W"))
        return lambda day: day == _nearest_weekday(day, min(wanted, _last_of(day)))
    days = _numbers(field, 1, 31, {})
    return lambda day: day.day in days


def _nearest_weekday(month: date, wanted: int) -> date:
    day = month.replace(day=wanted)
    if day.weekday() == 5:  # Saturday: the Friday before, within the month
        return day - timedelta(days=1) if wanted > 1 else day + timedelta(days=2)
    if day.weekday() == 6:  # Sunday: the Monday after, within the month
        return day + timedelta(days=1) if wanted < _last_of(day) else day - timedelta(days=2)
    return day


def _day_of_week(field: str) -> DayTest:
    if field.endswith("L"):
        wanted = _number(field.removesuffix("L") or "SAT", _DAYS)
        return lambda day: _weekday(day) == wanted and day.day > _last_of(day) - 7
    if "#" in field:
        name, nth = field.split("#")
        wanted, which = _number(name, _DAYS), int(nth)
        return lambda day: _weekday(day) == wanted and (day.day - 1) // 7 + 1 == which
    days = _numbers(field, 1, 7, _DAYS)
    return lambda day: _weekday(day) in days


def _weekday(day: date) -> int:
    """Sunday is 1, Saturday is 7."""
    return day.isoweekday() % 7 + 1
