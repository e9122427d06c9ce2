"""Calendar dates in five languages: "1 December", "1. Dezember", "d. 1/12", "12月1日", "2026-12-01", "in May"."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator

from onthoud.checks.extract.mentions import DateMention, DateReading, first_come
from onthoud.checks.extract.names import ENGLISH_MONTHS, MONTHS, WORDLIKE_MONTHS
from onthoud.checks.extract.numbers import CHINESE_NUMBER, parse_chinese
from onthoud.text.patterns import LazyPattern

_ALL = "|".join(sorted(MONTHS, key=len, reverse=True))
_ENGLISH = "|".join(sorted(ENGLISH_MONTHS, key=len, reverse=True))
_ALONE = "|".join(sorted(set(MONTHS) - WORDLIKE_MONTHS, key=len, reverse=True))
_D, _Y = r"(?P<d>[0-3]?\d)", r"(?P<y>(?:19|20)\d\d)"
_WEEKDAY_BEFORE = r"(?:\w*(?:day|dag|tag|woch)\w*\.?,?\s)"

_ISO = LazyPattern(rf"(?<![\d-]){_Y}([-/.])(?P<m>[01]?\d)\2(?P<d>[0-3]?\d)(?!\d)")
_NUMERIC = LazyPattern(rf"(?<![\d./-]){_D}([./-])\s?(?P<m>[0-3]?\d)\2\s?(?P<y>(?:19|20)?\d\d)(?![\d/-]|\.\d)")
_DAY_MONTH = LazyPattern(
    rf"(?<![\d.,:]){_D}(?:st|nd|rd|th|e|de|ste|\.)?\s?(?:of\s)?(?P<m>{_ALL})\b\.?(?:,?\s?{_Y})?", re.IGNORECASE
)
_MONTH_DAY = LazyPattern(
    rf"(?<!\w)(?P<m>{_ENGLISH})\.?\s{_D}(?:st|nd|rd|th)?(?![\d:%.]\d|\d|\s?[ap]m\b)(?:,?\s{_Y})?", re.IGNORECASE
)
_CHINESE = LazyPattern(
    rf"(?:{_Y}年\s?)?(?P<m>1?\d|{CHINESE_NUMBER})月(?:份|\s?(?P<d>[0-3]?\d|{CHINESE_NUMBER})[日号號]?)?"
)
_SHORT = LazyPattern(
    rf"(?<!\w)(?:on|den|d\.|op|am|bis zum|vom|zum|tot|from|until|til|fra|{_WEEKDAY_BEFORE})\s?"
    rf"{_D}(?P<sep>[./])(?P<m>[01]?\d)\.?(?![\d/:%])",
    re.IGNORECASE,
)
_SHORT_LOOSE = LazyPattern(rf"(?<![\d./:,-]){_D}(?P<sep>[./])(?P<m>[01]?\d)\.?(?![\d/:%])")
_MONTH = LazyPattern(rf"(?<!\w)(?P<m>{_ALONE})(?!\w)(?:\s{_Y})?", re.IGNORECASE)
_WORDLIKE = LazyPattern(
    rf"(?<!\w)(?:in|of|until|till|since|from|by|this|next|last|mid|early|late|im|bis|ab|seit|i|til|fra|siden|tot|vanaf|sinds)\s"
    rf"(?P<m>March|May|Mai|maj|mei|April|april|June|August|august)(?!\w)(?:\s{_Y})?"
)
_ORDINAL_ENDINGS = ("st ", "nd ", "rd ", "th ", "of ")
_ORDINAL = LazyPattern(
    r"(?<!\w)(?:on|until|by|from|for) the (?P<d>[0-3]?\d)(?:st|nd|rd|th)(?!\w)"
    r"(?!\s(?:floor|court|time|place|edition|anniversary))",
    re.IGNORECASE,
)


def dates(text: str, lang: str | None = None, *, loose: bool = False) -> list[DateMention]:
    """Return the dates, days of a month and months that `text` names; see the package for `lang` and `loose`."""
    return first_come(_found(text, lang, loose))


def states(ground: DateReading, claim: DateReading) -> bool:
    """Say whether `ground` says at least what `claim` says; a ground without a year holds in any."""
    return all(
        said is None or known == said or (place == 0 and known is None)
        for place, (known, said) in enumerate(zip(ground, claim, strict=True))
    )


def _found(text: str, lang: str | None, loose: bool) -> Iterator[DateMention]:
    month_first = lang in {None, "en"}
    for match in _ISO.finditer(text):
        yield from _mention(match, {(int(match["y"]), int(match["m"]), int(match["d"]))})
    yield from _numeric(text, month_first)
    yield from _named(text)
    for match in (_SHORT_LOOSE if loose else _SHORT).finditer(text):
        first, second = int(match["d"]), int(match["m"])
        swapped = match["sep"] == "/" and month_first
        yield from _mention(match, {(None, second, first)} | ({(None, first, second)} if swapped else set()))
    for pattern in (_MONTH, _WORDLIKE):
        for match in pattern.finditer(text):
            yield from _mention(match, {(_year(match), MONTHS[match["m"].lower()], None)})
    for match in _ORDINAL.finditer(text):
        yield from _mention(match, {(None, None, int(match["d"]))})


def _numeric(text: str, month_first: bool) -> Iterator[DateMention]:
    for match in _NUMERIC.finditer(text):
        year = int(match["y"]) if len(match["y"]) == 4 else 2000 + int(match["y"])
        first, second = int(match["d"]), int(match["m"])
        readings: set[DateReading] = {(year, second, first)}
        if match[2] == "/" and month_first:
            readings.add((year, first, second))
        yield from _mention(match, readings)


def _named(text: str) -> Iterator[DateMention]:
    for pattern in (_DAY_MONTH, _MONTH_DAY):
        for match in pattern.finditer(text):
            # "court 5 may be free": a verb.
            if match["m"] not in {"may", "march"} or match[0][-len(match["m"]) - 3 :].startswith(_ORDINAL_ENDINGS):
                yield from _mention(match, {(_year(match), MONTHS[match["m"].lower()], int(match["d"]))})
    for match in _CHINESE.finditer(text):
        yield from _mention(match, {(_year(match), _number(match["m"]), _number(match["d"]) if match["d"] else None)})


def _mention(match: re.Match[str], readings: set[DateReading]) -> Iterator[DateMention]:
    possible = frozenset(reading for reading in readings if _exists(reading))
    if possible:
        yield DateMention(match.start(), match.end(), possible)


def _exists(reading: DateReading) -> bool:
    year, month, day = reading
    if month is not None and not 1 <= month <= 12:
        return False
    if day is None:
        return True
    longest = 31 if month is None else calendar.monthrange(year or 2024, month)[1]
    return 1 <= day <= longest


def _year(match: re.Match[str]) -> int | None:
    return int(match["y"]) if match["y"] else None


def _number(written: str) -> int:
    return int(written) if written.isdigit() else parse_chinese(written)
