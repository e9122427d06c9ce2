"""Dates and times as people read them, in the venue's zone, with the zone's name. Code writes them, never the model.

The names and patterns are CLDR's for the five languages; a test compares them with Babel, day by day. Babel itself
takes 36 MB unpacked, which is too much to carry for this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from zoneinfo import ZoneInfo

LANGUAGES = ("nl", "da", "de", "en", "zh")


@dataclass(frozen=True, slots=True)
class Style:
    """How one locale writes a full date and a time."""

    weekdays: tuple[str, ...]
    months: tuple[str, ...]
    date: str
    clock: str


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_ENGLISH_DAYS = _words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
_ENGLISH_MONTHS = _words("January February March April May June July August September October November December")
STYLES: Mapping[str, Style] = MappingProxyType(
    {
        "nl": Style(
            _words("maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"),
            _words("januari februari maart april mei juni juli augustus september oktober november december"),
            "{weekday} {day} {month} {year}",
            "{hour:02d}:{minute:02d}",
        ),
        "da": Style(
            _words("mandag tirsdag onsdag torsdag fredag lørdag søndag"),
            _words("januar februar marts april maj juni juli august september oktober november december"),
            "{weekday} den {day}. {month} {year}",
            "{hour:02d}.{minute:02d}",
        ),
        "de": Style(
            _words("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag"),
            _words("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
            "{weekday}, {day}. {month} {year}",
            "{hour:02d}:{minute:02d}",
        ),
        "en": Style(_ENGLISH_DAYS, _ENGLISH_MONTHS, "{weekday}, {month} {day}, {year}", "{hour12}:{minute:02d} {half}"),
        "en-GB": Style(_ENGLISH_DAYS, _ENGLISH_MONTHS, "{weekday} {day} {month} {year}", "{hour:02d}:{minute:02d}"),
        "zh": Style(
            _words("星期一 星期二 星期三 星期四 星期五 星期六 星期日"),
            tuple(f"{month}月" for month in range(1, 13)),
            "{year}年{month}{day}日{weekday}",
            "{hour:02d}:{minute:02d}",
        ),
    }
)


def language_of(*wishes: str | None, default: str = "en") -> str:
    """Return the first wish that we can write, as a language of the table; an unknown one counts as no wish."""
    for wish in wishes:
        language = (wish or "").replace("_", "-").split("-")[0].lower()
        if language in LANGUAGES:
            return language
    return default if default in LANGUAGES else "en"


def style_of(language: str, *wishes: str | None) -> Style:
    """Return the style of a language; a wish for British, Irish, Australian ... English means the 24-hour clock."""
    for wish in wishes:
        tag = (wish or "").replace("_", "-").lower()
        if tag.startswith("en-") and language == "en":
            return STYLES["en" if tag.split("-")[-1] in {"us", "ca", "au", "nz", "in", "za"} else "en-GB"]
        if tag:
            break
    return STYLES[language]


@dataclass(frozen=True, slots=True)
class When:
    """A stretch of time at a venue, in words. All of it names the same instants.

    Attributes:
        start, end: at the venue, aware.
        date: the full date of the start; `end_date` that of the end, empty where it is the same day.
        zone: the zone's name, with what its clocks are called then (`Europe/Amsterdam, CET`).
    """

    start: datetime
    end: datetime
    weekday: str
    date: str
    end_date: str
    start_time: str
    end_time: str
    zone: str

    @property
    def hours(self) -> str:
        """The times from start to end."""
        end = f"{self.end_date}, {self.end_time}" if self.end_date else self.end_time
        return f"{self.start_time} – {end}" if " " in self.start_time + end else f"{self.start_time}–{end}"

    @property
    def line(self) -> str:
        """Everything in one line."""
        return f"{self.date}, {self.hours} ({self.zone})"


def describe(start: datetime, end: datetime, zone: ZoneInfo, style: Style) -> When:
    """Return a booking's time as it is read at the venue."""
    first, last = start.astimezone(zone), end.astimezone(zone)
    names = (clock_name(first), clock_name(last))
    changes = names[0] != names[1]
    return When(
        start=first,
        end=last,
        weekday=style.weekdays[first.weekday()],
        date=_date(first, style),
        end_date="" if first.date() == last.date() else _date(last, style),
        # On the day the clocks change, the times alone would not name an instant.
        start_time=_time(first, style) + (f" {names[0]}" if changes else ""),
        end_time=_time(last, style) + (f" {names[1]}" if changes else ""),
        zone=zone.key if changes else f"{zone.key}, {names[0]}",
    )


def clock_name(moment: datetime) -> str:
    """Return what the clocks of the moment's zone are called then: `CEST`, or `UTC+03:00` where they have no name."""
    name = moment.tzname() or ""
    if name.isalpha():
        return name
    offset = moment.utcoffset() or timedelta(0)
    minutes = int(offset.total_seconds()) // 60
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def _date(moment: datetime, style: Style) -> str:
    return style.date.format(
        weekday=style.weekdays[moment.weekday()],
        day=moment.day,
        month=style.months[moment.month - 1],
        year=moment.year,
    )


def _time(moment: datetime, style: Style) -> str:
    return style.clock.format(
        hour=moment.hour,
        minute=moment.minute,
        hour12=moment.hour % 12 or 12,
        half="AM" if moment.hour < 12 else "PM",
    )
