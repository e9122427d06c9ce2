"""The kinds of mention. `start` and `end` are offsets into the text that was read, as in `text[start:end]`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

DateReading = tuple[int | None, int | None, int | None]
"""(year, month, day); None where the text leaves it open."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TimeMention(Mention):
    """A time of day. `minutes` are the minutes of the day (0 to 1439) that it may mean: "6" is {360, 1080}."""

    minutes: frozenset[int]


@dataclass(frozen=True, slots=True)
class DateMention(Mention):
    """A date, a day of a month, or a month."""

    readings: frozenset[DateReading]


@dataclass(frozen=True, slots=True)
class WeekdayMention(Mention):
    """A day of the week; Monday is 0."""

    weekday: int


@dataclass(frozen=True, slots=True)
class RelativeDayMention(Mention):
    """A day counted from today: tomorrow is 1, yesterday -1."""

    offset: int


@dataclass(frozen=True, slots=True)
class PriceMention(Mention):
    """An amount of money. `currency` is an ISO 4217 code, `KR` for a krone of any country, or None."""

    amount: Decimal
    currency: str | None


@dataclass(frozen=True, slots=True)
class PercentMention(Mention):
    """A percentage; 八折 (80 % of the price) is a reduction by 20."""

    value: Decimal


@dataclass(frozen=True, slots=True)
class LinkMention(Mention):
    """An address on the web. `host` is in lower case without `www.`; `path` has no slash at its end."""

    host: str
    path: str


@dataclass(frozen=True, slots=True)
class EmailMention(Mention):
    """A mail address, in lower case."""

    address: str


@dataclass(frozen=True, slots=True)
class CodeMention(Mention):
    """A coupon or access code, in upper case."""

    code: str


@dataclass(frozen=True, slots=True)
class PhoneMention(Mention):
    """A number that could be dialled: its digits."""

    digits: str


M = TypeVar("M", bound=Mention)


def overlaps(start: int, end: int, others: Iterable[Mention]) -> bool:
    """Say whether text[start:end] touches any of `others`."""
    return any(start < other.end and other.start < end for other in others)


def first_come(found: Iterable[M]) -> list[M]:
    """Keep, of mentions that overlap, the one found first; return them in order of place."""
    kept: list[M] = []
    taken: set[int] = set()
    for mention in found:
        place = range(mention.start, mention.end)
        if taken.isdisjoint(place):
            taken.update(place)
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)
