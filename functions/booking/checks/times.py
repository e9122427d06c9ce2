"""Clock times, parts of the day and durations: each must be the record's start, end or length, in its own role."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import regex

from booking.checks.draft import GAP, Draft, compiled
from booking.checks.facts import Facts
from booking.checks.lexicon import alternation

_HALF_DAY = r"(?:\s?([ap])\.?\s?m\b\.?)"
_AT = r"om|um|kl\.?|klokken|at"
_HOUR = r"(?<!\d|\d[:.,])(\d{1,2})"
_HAN_PARTS = "上午|早上|清晨|早晨|凌晨|中午|下午|傍晚|晚上|晚间|夜里"
_HAN_LATE = frozenset({"中午", "下午", "傍晚", "晚上", "晚间", "夜里"})
NEAR = 26
"""How many characters around a time may say which part of the day it is in."""
PARTS = {"morning": (4 * 60, 12 * 60), "afternoon": (12 * 60, 18 * 60 + 30), "evening": (17 * 60, 24 * 60)}


@dataclass(slots=True)
class Time:
    """A time as it is said: where it stands, in minutes of the day, and whether it says which half of the day."""

    start: int
    end: int
    minutes: int | None
    half: str = ""


def check_times(draft: Draft, facts: Facts) -> tuple[bool, bool]:
    """Take the times out, note those that are wrong; say whether start and end were named."""
    parts = _parts_of_day(draft, facts)
    _durations(draft, facts)
    times = sorted([*_spoken(draft), *_clocks(draft)], key=lambda time: time.start)
    times = sorted([*times, *_beside(draft, times)], key=lambda time: time.start)
    _inherit(times)
    start, end = facts.minutes
    seen_start = seen_end = False
    for position, time in enumerate(times):
        values = _values(time, parts)
        if _says_end(draft, times, position):
            right = end in values
            seen_end |= right
        elif start in values:
            right = seen_start = True
        else:
            right = seen_start and end in values
            seen_end |= right
        if not right:
            draft.fault("time")
    return seen_start, seen_end


def _values(time: Time, parts: list[tuple[int, str]]) -> set[int | None]:
    if time.minutes is None:
        return {None}
    if time.half:
        return {time.minutes}
    near = {part for place, part in parts if time.start - NEAR <= place <= time.end + NEAR}
    late = near & {"afternoon", "evening"}
    values: set[int | None] = set()
    if late and time.minutes < 12 * 60:
        values.add(time.minutes + 12 * 60)
    if not late or "morning" in near or time.minutes >= 12 * 60:
        values.add(time.minutes)
    return values


def _says_end(draft: Draft, times: list[Time], position: int) -> bool:
    time = times[position]
    before = draft.whole[max(0, time.start - NEAR) : time.start]
    if regex.search(rf"(?:{draft.lexicon.choice('until')})[\s:]*(?:{_AT})?\s*$", before, regex.IGNORECASE):
        return not regex.search(r"(?<!\p{L})til\s*(?:kl\.?|klokken)?\s*$", before, regex.IGNORECASE) or position > 0
    if position == 0:
        return False
    between = draft.whole[times[position - 1].end : time.start]
    return bool(
        regex.fullmatch(
            rf"[\s,]*(?:-|{draft.lexicon.choice('range')})[\s,]*(?:{_AT}|uhr|uur)?\s*",
            between,
            regex.IGNORECASE,
        )
    )


def _clock(match: regex.Match[str], hour: str | None, minute: str | None, half: str | None = None) -> Time:
    hours, minutes = int(hour or 0), int(minute or 0)
    half = (half or "").casefold()
    if half in {"a", "p"}:
        ok = 1 <= hours <= 12
        hours = hours % 12 + (12 if half == "p" else 0)
    else:
        ok = hours < 24 or (hours == 24 and minutes == 0)
    value = (hours * 60 + minutes) % (24 * 60) if ok and minutes < 60 else None
    return Time(match.start(), match.end(), value, half)


def _clocks(draft: Draft) -> list[Time]:
    """18:00, 6.30 p.m., 18h30, 18 uur, um 18 Uhr 30, 下午6点半, at 18, half zeven, quarter past six, noon."""
    lexicon = draft.lexicon
    after, found = lexicon.choice("clock_after"), []
    for match in draft.take(
        rf"(?:({_HAN_PARTS})\s*)?(?<![\d])(\d{{1,2}})\s*[点时]\s*"
        r"(?:(半)|([1一]刻)|([3三]刻)|(?:过)?(\d{1,2})\s*分?|整|钟)?"
    ):
        minute = "30" if match[3] else "15" if match[4] else "45" if match[5] else match[6]
        found.append(_han(match, match[2], minute))
    digits = r"(?<!\d|\d[:.])(\d{1,2})\s?:\s?(\d{2})(?::\d{2})?(?!\d)"
    for match in draft.take(rf"(?:({_HAN_PARTS})\s*)?{digits}{_HALF_DAY}?"):
        found.append(_han(match, match[2], match[3]) if match[1] else _clock(match, match[2], match[3], match[4]))
    for match in draft.take(rf"(?<!\d|\d[:.,])(\d{{1,2}})\.(\d{{2}})(?!\d|\.\d|,\d){_HALF_DAY}?"):
        found.append(_clock(match, match[1], match[2], match[3]))
    for match in draft.take(rf"(?<!\d|\d[:.,])(\d{{1,2}}){_HALF_DAY}"):
        found.append(_clock(match, match[1], "0", match[2]))
    for match in draft.take(rf"(?<!\d|\d[:.,])([01]\d|2[0-4])([0-5]\d)\s*(?:{after}|hours?\b|hrs\b|h\b)"):
        found.append(_clock(match, match[1], match[2]))
    for match in draft.take(r"(?<!\d|\d[:.,])(\d{1,2})\s?[hu]\s?([0-5]\d)?(?![\p{L}\d])"):
        found.append(_clock(match, match[1], match[2]))
    minutes = r"(?:\s+([0-5]\d)(?![\d:.])(?:\s*(?:minuten|minutes))?)?"
    for match in draft.take(rf"{_HOUR}\s*(?:{after}){minutes}"):
        found.append(_clock(match, match[1], match[2]))
    before = lexicon.choice("clock_before")
    for match in draft.take(
        rf"(?:{before})\.?\s*(?:kl\.?|klokken)?\s*(\d{{1,2}})(?:\s(\d{{2}}))?(?![\d:/]|[.,]\d|\s*{GAP}*\s*%|st\b|nd\b|rd\b|th\b)"
    ):
        found.append(_clock(match, match[1], match[2]))
    return found


def _han(match: regex.Match[str], hour: str, minute: str | None) -> Time:
    time = _clock(match, hour, minute)
    part = match[1]
    if part and time.minutes is not None:
        time.half = part
        if part in _HAN_LATE and time.minutes < 12 * 60 and not (part == "中午" and time.minutes >= 11 * 60):
            time.minutes += 12 * 60
    return time


def _spoken(draft: Draft) -> list[Time]:
    """Half zeven (6:30), half past six, quarter to seven, noon, midnight."""
    lexicon, found = draft.lexicon, []
    spoken = (("half_before", -30), ("half_past", 30), ("quarter_past", 15), ("quarter_to", -15))
    for name, shift in spoken:
        hour = r"\s+(\d{1,2})(?:\s*(?:uur|uhr)\b)?(?![\d:.]\d)"
        for match in draft.take(rf"(?:{lexicon.choice(name)}){hour}{_HALF_DAY}?"):
            time = _clock(match, match[1], "0", match[2])
            if time.minutes is not None:
                time.minutes = (time.minutes + shift) % (24 * 60)
            found.append(time)
    for name, minutes in (("noon", 12 * 60), ("midnight", 0)):
        found += [Time(*match.span(), minutes, "fixed") for match in draft.take(lexicon.choice(name))]
    return found


def _beside(draft: Draft, times: list[Time]) -> list[Time]:
    """Bare hours beside a time: 18-19 uur, from 6 to 7 pm."""
    found = []
    words = draft.lexicon.choice("range")
    before_it = compiled(rf"{_HOUR}\s*(?:-|{words})\s*$")
    behind_it = compiled(rf"\s*(?:-|{words})\s*(\d{{1,2}})(?!\d|[:.]\d|\s*\p{{L}}*{GAP})")
    for time in times:
        before = before_it.search(draft.left[: time.start])
        if before is not None:
            hour = _clock(before, before[1], "0")
            hour.start, hour.end = before.span(1)
            found.append(hour)
            draft.remove(*before.span(1))
        behind = behind_it.match(draft.left[time.end :])
        if behind is not None:
            start, end = behind.span(1)
            span = (time.end + start, time.end + end)
            value = int(behind[1])
            found.append(Time(*span, value % 24 * 60 if value <= 24 else None))
            draft.remove(*span)
    return found


def _inherit(times: list[Time]) -> None:
    """6-7 pm: the first has the half of the day of the second, where that makes it the earlier one."""
    for first, second in pairwise(times):
        if first.half or first.minutes is None or second.half not in {"a", "p"} or second.minutes is None:
            continue
        if second.start - first.end <= 6 and first.minutes < 12 * 60:
            later = first.minutes + (12 * 60 if second.half == "p" else 0)
            if later <= second.minutes:
                first.minutes, first.half = later, second.half


def _parts_of_day(draft: Draft, facts: Facts) -> list[tuple[int, str]]:
    """Find "in the evening" and the like, and note those that the booking does not lie in."""
    lexicon, found = draft.lexicon, []
    start = facts.minutes[0]
    wishes = alternation([*lexicon.words("wishes"), *lexicon.words("greetings")], spaced=lexicon.spaced)
    for name, (first, last) in PARTS.items():
        for match in lexicon.any_of(name).finditer(draft.whole):
            before = draft.whole[max(0, match.start() - 16) : match.start()]
            behind = draft.whole[match.end() : match.end() + 1]
            if regex.search(rf"(?:{wishes})\s*$", before, regex.IGNORECASE) or behind in {"好", "安"}:
                continue
            found.append((match.start(), name))
            if not first <= start < last:
                draft.fault("part_of_day")
    return found


def _durations(draft: Draft, facts: Facts) -> None:
    lexicon, said = draft.lexicon, []
    for name, minutes in (("one_and_a_half", 90), ("half_hour", 30), ("an_hour", 60)):
        said += [minutes for _ in draft.take(lexicon.choice(name))]
    for match in draft.take(rf"(?<!\d|\d[:.,])(\d{{1,3}})\s*-?\s*(?:{lexicon.choice('minutes')})"):
        said.append(int(match[1]))
    clock = lexicon.choice("clock_before", "until", "range")
    hours = lexicon.choice("hours")
    for match in compiled(rf"(?<!\d|\d[:.,-])(\d{{1,2}})([.,]5|个半)?\s*-?\s*(?:{hours})").finditer(draft.left):
        minutes = int(match[1]) * 60 + (30 if match[2] else 0)
        if lexicon.language == "nl" and not match[2]:
            # "18 uur" is a time and "2 uur" a length: after "om" it is the first, and it is the second if it fits.
            before = draft.left[max(0, match.start() - 12) : match.start()]
            if regex.search(rf"(?:{clock})\s*$", before, regex.IGNORECASE) or minutes != facts.length:
                continue
        draft.remove(*match.span())
        said.append(minutes)
    if any(minutes != facts.length for minutes in said):
        draft.fault("duration")
