"""Dates, weekdays and words like "tomorrow": each must be the record's day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from functools import cache

import regex

from booking.checks.draft import Draft
from booking.checks.facts import Facts
from booking.checks.lexicon import Lexicon, alternation, every_lexicon

_AMERICA = "America/"
_ALSO_WORDS = frozenset({"may", "march", "mai", "mei", "maj"})


@cache
def _months() -> dict[str, int]:
    return {
        word: number
        for lexicon in every_lexicon()
        for number, words in enumerate(lexicon.words("months"), 1)
        for word in words
    }


def check_dates(draft: Draft, facts: Facts) -> bool:
    """Take the dates out, note those that are not the record's; say whether the day was named."""
    _weekdays(draft, facts)
    _relative(draft, facts)
    found = [*_written(draft), *_named(draft), *_numeric(draft, facts)]
    allowed = facts.dates
    for claim in found:
        if not any(_fits(claim, day) for day in allowed):
            draft.fault("date")
    _alone(draft, facts)
    return any(_fits(claim, allowed[0]) for claim in found)


Claim = tuple[int | None, int, int]
"""Year (None where it is not said), month, day."""


def _fits(claim: Claim, day: date) -> bool:
    year, month, number = claim
    return (month, number) == (day.month, day.day) and year in {None, day.year, day.year % 100}


def _number(text: str | None) -> int | None:
    return int(text) if text else None


def _written(draft: Draft) -> Iterable[Claim]:
    """2026-12-01, 2026年12月1日, 12月1日."""
    for match in draft.take(r"(?<!\d)(\d{4})\s?[-/.]\s?(\d{1,2})\s?[-/.]\s?(\d{1,2})(?!\d)"):
        yield int(match[1]), int(match[2]), int(match[3])
    for match in draft.take(r"(?:(?<!\d)(\d{4})\s*年\s*)?(?<!\d)(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]?"):
        yield _number(match[1]), int(match[2]), int(match[3])


def _named(draft: Draft) -> Iterable[Claim]:
    """1 December 2026, 1. Dezember, December 1st, den 1. december."""
    names = "|".join(regex.escape(word) for word in sorted(_months(), key=len, reverse=True))
    year = r"(?:,?\s*(\d{4})(?!\d))?"
    ending = r"(?:st|nd|rd|th|ste|de|e|\.)?"
    for match in draft.take(rf"(?<!\d|\d[:.])(\d{{1,2}}){ending}\s*(?:of\s+|van\s+)?({names})\b\.?{year}"):
        yield _number(match[3]), _months()[match[2].casefold()], int(match[1])
    no_time = r"(?!\d|\s?[:.]\d|\s*(?:uur|uhr|[ap]\.?m\b|o'clock))"
    for match in draft.take(rf"\b({names})\b\.?\s*(?:the\s+)?(\d{{1,2}}){no_time}(?:st|nd|rd|th|\.)?{year}"):
        yield _number(match[3]), _months()[match[1].casefold()], int(match[2])


def _numeric(draft: Draft, facts: Facts) -> Iterable[Claim]:
    """1-12-2026, 01.12.2026, 1.12., 1/12; the month first in the Americas and in Chinese."""
    month_first = (draft.lexicon.language == "en" and facts.zone.startswith(_AMERICA)) or not draft.lexicon.spaced
    three = draft.take(r"(?<!\d|\d[:.])(\d{1,2})(?:\s?([-/.])\s?)(\d{1,2})\s?\2\s?(\d{4}|\d{2})(?![\d:]|\.\d)")
    no_clock = r"(?!\s*(?:uur|uhr|[ap]\.?m\b|o'clock|h\b))"
    # `18.00.` at the end of a sentence is a time: a month has no number above 12, and is never 00.
    two = [
        *draft.take(r"(?<!\d|\d[:.])(\d{1,2})\.\s?(0?[1-9]|1[0-2])\.(?!\d)" + no_clock),
        *draft.take(r"(?<!\d|\d[:./])(\d{1,2})/(\d{1,2})(?![\d/:])" + no_clock),
    ]
    parts = [(match[0], match[1], match[3], match[4]) for match in three]
    for whole, first, second, year in [*parts, *((match[0], match[1], match[2], None) for match in two)]:
        day, month = int(first), int(second)
        if month_first and "." not in whole:
            day, month = month, day
        yield _number(year), month, day


def _alone(draft: Draft, facts: Facts) -> None:
    """A year or a month that stands alone."""
    for match in draft.take(r"(?<!\d|\d[:.])(20\d{2})(?!\d|:|\s*(?:uur|uhr|hrs|h\b))\s*年?"):
        if int(match[1]) not in {day.year for day in facts.dates}:
            draft.fault("date")
    for lexicon in every_lexicon():
        for number, words in enumerate(lexicon.words("months"), 1):
            # "may" and "march" are words of their own; so are abbreviations.
            if words[0] in _ALSO_WORDS:
                continue
            for _ in draft.take(alternation([words[0]])):
                if number not in {day.month for day in facts.dates}:
                    draft.fault("date")


def _weekdays(draft: Draft, facts: Facts) -> None:
    right = {day.weekday() for day in facts.dates}
    for number, pattern in _weekday_patterns(draft.lexicon.language):
        for _ in draft.take(pattern):
            if number not in right:
                draft.fault("weekday")


@cache
def _weekday_patterns(language: str) -> tuple[tuple[int, str], ...]:
    """Return each weekday with a pattern of its names: of every language, short ones only of the draft's own."""
    return tuple(
        (number, pattern)
        for lexicon in every_lexicon()
        for number, words in enumerate(lexicon.words("weekdays"))
        if (pattern := _weekday_pattern(lexicon, number, words, own=lexicon.language == language))
    )


def _weekday_pattern(lexicon: Lexicon, number: int, words: Sequence[str], *, own: bool) -> str:
    if not lexicon.spaced:
        return "|".join(regex.escape(word) for word in words)
    names = [f"{regex.escape(word)}s?" for word in words if own or len(word) > 4]
    if own:
        short = lexicon.words("weekdays_before_a_date")[number]
        names += [rf"{regex.escape(word)}\.?,?(?=\s*(?:den\s+|d\.\s*)?\d)" for word in short]
    return rf"(?<!\p{{L}})(?:{'|'.join(names)})(?!\p{{L}})" if names else ""


def _relative(draft: Draft, facts: Facts) -> None:
    days: dict[str, int] = draft.lexicon.data["relative_days"]
    start = facts.dates[0]
    # "Guten Morgen" and "'s morgens" are no tomorrow.
    not_greeting = r"(?<!(?:goede|guten|god|am|'s|jeden)\s+)" if draft.lexicon.spaced else ""
    for words in sorted(days, key=len, reverse=True):
        for _ in draft.take(not_greeting + alternation([words], spaced=draft.lexicon.spaced)):
            if facts.today + timedelta(days=days[words]) != start:
                draft.fault("relative_day")
    for weeks, name in ((0, "this_week"), (1, "next_week")):
        for _ in draft.take(draft.lexicon.choice(name)):
            if (facts.today + timedelta(weeks=weeks)).isocalendar()[:2] != start.isocalendar()[:2]:
                draft.fault("relative_day")
