"""Times of day in five languages: "6 pm", "18.30 Uhr", "kl. 18", "half zeven", "18u30", "下午六点半"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from onthoud.checks.extract.mentions import TimeMention, first_come
from onthoud.checks.extract.numbers import CHINESE_NUMBER, number_words, parse_chinese
from onthoud.text.patterns import LazyPattern

_NOON, _DAY, _HALF_DAY = 720, 1440, 720
_H = r"(?:[01]?\d|2[0-4])"
_M = r"[0-5]\d"
_TO = r"\s*(?:-|–|—|to|until|till|and|tot(?: en met)?|t/m|bis|und|til|og|en)\s*"
_AMPM = r"(?P<ampm>[ap])\.?\s?m\b\.?"
_UNIT = r"(?:Uhr|uur|o['’]?\s?clock|u|h)(?!\w)"
_BEFORE = r"(?<![A-Za-z0-9_:.,+/$€£-])"
_MORNING = (
    r"in the morning|'s (?:ochtends|morgens)|in de (?:ochtend|morgen)|morgens|am (?:morgen|vormittag)|vormittags"
    r"|om (?:morgenen|formiddagen)"
)
_EVENING = (
    r"in the (?:afternoon|evening)|at night|tonight|'s (?:middags|avonds)|in de (?:middag|avond)"
    r"|(?:am )?(?:nachmittags?|abends?)|om (?:eftermiddagen|aftenen)|i aften|vanavond"
)
_PART = rf"(?:,?\s*(?:(?P<morning>{_MORNING})|(?P<evening>{_EVENING}))(?!\w))?"
# What may follow a bare hour: a clause's end, or a word that cannot be counted ("at 6 on Friday", not "at 6 courts").
_THEN = (
    r"(?=\s*(?:$|[;:!?)\n]|[.,](?!\d)|\s[-–]\s|(?:on|tomorrow|today|tonight|sharp|and|or|with|in|this|every|daily|is|works"
    r"|suits|then|op|morgen|vanavond|vandaag|precies|en|of|heute|am|und|oder|dag(?:elijks)?|täglich|hver|i|og|eller|på"
    r"|mon|tues|wednes|thurs|fri|satur|sun|maan|dins|woens|donder|vrij|zater|zon|man|tirs|ons|tors|fre|lør|søn)))"
)

_ISO = LazyPattern(
    rf"\d{{4}}-\d\d-\d\d[T ](?P<h>{_H}):(?P<m>{_M})(?::\d\d(?:\.\d+)?)?\s?(?:Z|[+-]\d\d:?\d\d)?", re.IGNORECASE
)
_AMPM_RANGE = LazyPattern(
    rf"{_BEFORE}(?P<h>1?\d)(?:[:.](?P<m>{_M}))?{_TO}(?P<h2>1?\d)(?:[:.](?P<m2>{_M}))?\s?{_AMPM}", re.IGNORECASE
)
_AMPM_ONE = LazyPattern(rf"{_BEFORE}(?P<h>1?\d)(?:[:.](?P<m>{_M}))?\s?{_AMPM}", re.IGNORECASE)
_UNIT_RANGE = LazyPattern(
    rf"{_BEFORE}(?P<h>{_H})(?:[:.](?P<m>{_M}))?(?:\s?(?:Uhr|uur))?{_TO}(?P<h2>{_H})(?:[:.](?P<m2>{_M}))?\s?{_UNIT}{_PART}",
    re.IGNORECASE,
)
_KL = LazyPattern(
    rf"(?<!\w)(?:kl\.?|klokken)\s?(?P<h>{_H})(?:[:.](?P<m>{_M}))?(?![\d%])"
    rf"(?:{_TO}(?:kl\.?\s?)?(?P<h2>{_H})(?:[:.](?P<m2>{_M}))?(?![\d%]))?{_PART}",
    re.IGNORECASE,
)
_COLON = LazyPattern(
    rf"(?<![\d:.])(?P<h>{_H}):(?P<m>{_M})(?::[0-5]\d)?(?![\d:]\d?)(?:\s?{_UNIT})?{_PART}", re.IGNORECASE
)
_WITH_UNIT = LazyPattern(
    rf"{_BEFORE}(?P<h>{_H})(?:[.:](?P<m>{_M})\s?{_UNIT}|[hu](?P<m3>{_M})(?!\w)|\s?Uhr\s(?P<m2>{_M})(?![\w.:])"
    rf"|\s?(?P<unit>{_UNIT})){_PART}",
    re.IGNORECASE,
)
_AT = LazyPattern(rf"(?<!\w)(?:at|om|um)\s(?P<h>{_H}){_THEN}", re.IGNORECASE)
_FROM_TO = LazyPattern(
    rf"(?<!\w)(?:from|between|van|vanaf|tussen|von|zwischen|fra|mellem)\s(?P<h>{_H}){_TO}(?P<h2>{_H}){_THEN}",
    re.IGNORECASE,
)
_DOT_RANGE = LazyPattern(
    rf"(?<![A-Za-z0-9_:.,+/$€£])(?P<h>{_H})\.(?P<m>{_M}){_TO}(?P<h2>{_H})\.(?P<m2>{_M})(?!\d|\.\d|\s?(?:€|%|euro|kr|m\b|km))",
    re.IGNORECASE,
)
_DOT = LazyPattern(
    rf"{_BEFORE}(?P<h>[01]?\d|2[0-3])\.(?P<m>00|15|30|45)(?!\d|\.\d|\s?(?:€|%|euro|kr|m\b|km))",
    re.IGNORECASE,
)
_LOOSE_RANGE = LazyPattern(rf"{_BEFORE}(?P<h>{_H})\s?[-–]\s?(?P<h2>{_H})(?![\w:%/.-]|,\d)", re.IGNORECASE)
_WORDLESS = LazyPattern(
    r"(?<!\w)(?:(?P<noon>noon|midday)|(?P<midnight>midnight|middernacht|mitternacht|midnat))(?!\w)", re.IGNORECASE
)
_CHINESE = LazyPattern(
    rf"(?<!第)(?P<part>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|今晚|明晚)?的?(?P<h>\d{{1,2}}|{CHINESE_NUMBER})\s?(?P<unit>[点點](?!建议|要求|意见|注意|原因|好处|提示|说明)|时(?!间|候|长|段))"
    rf"(?:钟|鐘|整)?(?:(?P<half>半)|(?P<quarter>一刻|三刻)|(?P<m>\d{{1,2}}|{CHINESE_NUMBER})分?)?"
)
_CHINESE_NOON = LazyPattern(r"(?:(?P<noon>正午)|(?P<midnight>午夜|半夜))")
_DURATION_BEFORE = LazyPattern(
    r"(?:\b(?:binnen|per|elke|ieder|minstens|minimaal|maximaal|duurt|gedurende|ruim|bijna|half|een|voor)\s+)$",
    re.IGNORECASE,
)
_OCLOCK_BEFORE = LazyPattern(r"\b(?:om|tot|vanaf|van|na|rond|tegen|en|t/m)\s+(?:en met\s+)?$", re.IGNORECASE)


def times(text: str, lang: str | None = None, *, loose: bool = False) -> list[TimeMention]:
    """Return the times of day that `text` states; see the package for `lang` and `loose`."""
    by_24_hours = bool(
        re.search(r"(?<![\d.,:])(?:0\d|1[3-9]|2[0-3])[:.h][0-5]\d(?!\d)|\b(?:1[3-9]|2[0-4])\s?(?:Uhr|uur|u|h)\b", text)
    )
    return first_come(_found(text, lang, loose, by_24_hours))


def _found(text: str, lang: str | None, loose: bool, by_24_hours: bool) -> Iterator[TimeMention]:
    for match in _ISO.finditer(text):
        yield TimeMention(match.start(), match.end(), frozenset({int(match["h"]) * 60 + int(match["m"])}))
    for pattern in (_AMPM_RANGE, _AMPM_ONE):
        for match in pattern.finditer(text):
            yield from _with_meridiem(match)
    for pattern in _patterns(lang, loose):
        for match in pattern.finditer(text):
            if not _is_duration(text, match):
                yield from _pair(match, by_24_hours)
    yield from _spoken(text, lang)
    yield from _chinese(text)
    for match in _WORDLESS.finditer(text):
        yield TimeMention(match.start(), match.end(), frozenset({_NOON if match["noon"] else 0}))


def _patterns(lang: str | None, loose: bool) -> list[LazyPattern]:
    patterns = [_UNIT_RANGE, _KL, _COLON, _WITH_UNIT, _FROM_TO, _AT, _DOT_RANGE]
    if loose or lang == "da":
        patterns.append(_DOT)
    if loose:
        patterns.append(_LOOSE_RANGE)
    return patterns


def _readings(hour: int, minute: int, *, both: bool, morning: bool = False, evening: bool = False) -> frozenset[int]:
    at = (hour * 60 + minute) % _DAY
    if hour > 12 or hour == 0:
        return frozenset({at})
    if morning:
        return frozenset({at % _HALF_DAY})
    if evening:
        return frozenset({at % _HALF_DAY + _HALF_DAY})
    return frozenset({at % _HALF_DAY, at % _HALF_DAY + _HALF_DAY}) if both else frozenset({at})


def _with_meridiem(match: re.Match[str]) -> Iterator[TimeMention]:
    groups = match.groupdict()
    later = groups["ampm"].lower() == "p"
    hour = int(groups["h"])
    second = groups.get("h2")
    if hour > 12 or (second and int(second) > 12):
        return
    if second:
        # "10-2 pm" begins in the morning, "6-8 pm" does not.
        first_later = later if hour % 12 <= int(second) % 12 else not later
        yield TimeMention(
            match.start(), match.start("h2"), frozenset({hour % 12 * 60 + int(groups["m"] or 0) + first_later * 720})
        )
        yield TimeMention(
            match.start("h2"), match.end(), frozenset({int(second) % 12 * 60 + int(groups["m2"] or 0) + later * 720})
        )
    else:
        yield TimeMention(match.start(), match.end(), frozenset({hour % 12 * 60 + int(groups["m"] or 0) + later * 720}))


def _pair(match: re.Match[str], by_24_hours: bool) -> Iterator[TimeMention]:
    groups = match.groupdict()
    part = {"morning": bool(groups.get("morning")), "evening": bool(groups.get("evening"))}
    second = groups.get("h2")
    both = not by_24_hours and not (second and int(second) > 12)
    minute = groups.get("m") or groups.get("m3") or (None if second else groups.get("m2"))
    middle = match.start("h2") if second else match.end()
    yield TimeMention(
        match.start(),
        middle,
        _readings(int(groups["h"]), int(minute or 0), both=both and not _padded(groups["h"]), **part),
    )
    if second:
        yield TimeMention(
            middle,
            match.end(),
            _readings(int(second), int(groups.get("m2") or 0), both=both and not _padded(second), **part),
        )


def _padded(hour: str) -> bool:
    return len(hour) == 2 and hour[0] == "0"


def _is_duration(text: str, match: re.Match[str]) -> bool:
    """Dutch "2 uur" is two hours as often as two o'clock: only "om", "tot" and their like make it a time."""
    unit = (match.groupdict().get("unit") or "").lower()
    if unit not in {"uur", "u", "h"}:
        return False
    if match["morning"] or match["evening"]:
        return False
    before = text[: match.start()]
    return not _OCLOCK_BEFORE.search(before) and not (
        13 <= int(match["h"]) <= 23 and not _DURATION_BEFORE.search(before)
    )


@cache
def _spoken_patterns() -> tuple[tuple[re.Pattern[str], Callable[[int], tuple[int, ...]]], ...]:
    """Return the ways to say a time in words; each turns the named hour into minutes of the half day."""
    words = "|".join(word for word, value in number_words().items() if value <= 12)
    hour = rf"(?P<w>{words}|1[0-2]|[1-9])(?!\w|[.:]\d)"
    return tuple(
        (re.compile(rf"(?<!\w){before}{hour}{after}", re.IGNORECASE), minutes)
        for before, after, minutes in (
            (r"half past\s", "", lambda h: (h * 60 + 30,)),
            (r"(?:a )?quarter past\s", "", lambda h: (h * 60 + 15,)),
            (r"(?:a )?quarter to\s", "", lambda h: (h * 60 - 15,)),
            (r"(?:kwart over|viertel nach|kvart over)\s", "", lambda h: (h * 60 + 15,)),
            (r"(?:kwart voor|viertel vor|kvart i)\s", "", lambda h: (h * 60 - 15,)),
            (r"(?:halb|halv)\s", "", lambda h: (h * 60 - 30,)),
            ("", r"\s(?:o['’]?\s?clock|Uhr)(?!\w)", lambda h: (h * 60,)),
            (r"(?:om|tot|vanaf|rond|na)\s", r"\suur(?!\w)", lambda h: (h * 60,)),
            (r"(?:klokken|kl\.)\s", "", lambda h: (h * 60,)),
            ("", r"[ -]fifteen(?!\w)", lambda h: (h * 60 + 15,)),
            ("", r"[ -]thirty(?![\w-])", lambda h: (h * 60 + 30,)),
            ("", r"[ -]forty[ -]five(?!\w)", lambda h: (h * 60 + 45,)),
            (r"(?:at|om|um)\s(?!een|één|one|eine?s?\b)", _THEN, lambda h: (h * 60,)),
        )
    )


_HALF = LazyPattern(
    r"(?<!\w)half\s(?P<w>[a-zé]+|1[0-2]|[1-9])(?!\w|[.:]\d|\s(?:\w+\s)?(?:price|hour|day))", re.IGNORECASE
)


def _spoken(text: str, lang: str | None) -> Iterator[TimeMention]:
    for pattern, minutes in _spoken_patterns():
        for match in pattern.finditer(text):
            yield from _halves(match, minutes)
    for match in _HALF.finditer(text):
        if lang == "nl":
            yield from _halves(match, lambda hour: (hour * 60 - 30,))
        elif lang == "en":
            yield from _halves(match, lambda hour: (hour * 60 + 30,))
        elif lang is None:
            yield from _halves(match, lambda hour: (hour * 60 - 30, hour * 60 + 30))


def _halves(match: re.Match[str], minutes: Callable[[int], tuple[int, ...]]) -> Iterator[TimeMention]:
    word = match["w"].lower()
    hour = int(word) if word.isdigit() else number_words().get(word, 0)
    if 1 <= hour <= 12:
        readings = {(each + half) % _DAY for each in minutes(hour) for half in (0, _HALF_DAY)}
        yield TimeMention(match.start(), match.end(), frozenset(readings))


def _chinese(text: str) -> Iterator[TimeMention]:
    for match in _CHINESE.finditer(text):
        hour = _chinese_number(match["h"])
        if hour > 24 or (match["h"] == "一" and _is_a_bit(match)):
            continue
        minute = (
            30
            if match["half"]
            else {"一刻": 15, "三刻": 45}.get(match["quarter"] or "") or _chinese_number(match["m"] or "0")
        )
        part = match["part"] or ""
        morning = part in {"凌晨", "清晨", "早上", "早晨", "上午"}
        evening = bool(part) and not morning and not (part == "中午" and hour >= 10)
        yield TimeMention(
            match.start(), match.end(), _readings(hour, min(minute, 59), both=True, morning=morning, evening=evening)
        )
    for match in _CHINESE_NOON.finditer(text):
        yield TimeMention(match.start(), match.end(), frozenset({_NOON if match["noon"] else 0}))


def _is_a_bit(match: re.Match[str]) -> bool:
    """一点 is "a bit" far oftener than one o'clock."""
    minute = match["m"] or ""
    named = (
        match["half"]
        or match["quarter"]
        or match[0].endswith(("分", "钟", "整"))
        or _chinese_number(minute or "0") >= 10
    )
    return not (match["part"] or named)


def _chinese_number(written: str) -> int:
    return int(written) if written.isdigit() else parse_chinese(written)
