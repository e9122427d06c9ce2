"""The Today part: always printed, news or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from daily_brief.words import Words
from onthoud.ports.source import Appointment, Chore, Harvest


def today_lines(harvests: Sequence[Harvest], words: Words, redact: Callable[[str], str] = str) -> list[str]:
    """Return the day's appointments and due tasks, a line each, and what could not be read.

    `redact` is applied to titles and places, which come from outside; times are code's own.
    """
    appointments = [
        replace(one, title=redact(one.title), place=redact(one.place))
        for harvest in harvests
        for one in harvest.appointments
    ]
    chores = [replace(one, title=redact(one.title)) for harvest in harvests for one in harvest.chores]
    timed = sorted((one for one in appointments if not one.all_day), key=_begin)
    lines = [_all_day(one, words) for one in appointments if one.all_day]
    lines += [_timed(one, timed, words) for one in timed]
    lines += [_chore(one, words) for one in chores]
    lines += [
        words.say("not_read", source=harvest.reading.source)
        for harvest in harvests
        if harvest.reading.error and not harvest.reading.complete
    ]
    return lines


def _begin(one: Appointment) -> tuple[datetime, str]:
    start = one.start
    if not isinstance(start, datetime):
        raise TypeError("an all-day appointment has no time")
    return start, one.title


def _all_day(one: Appointment, words: Words) -> str:
    return words.say("all_day", title=_title(one))


def _timed(one: Appointment, others: Sequence[Appointment], words: Words) -> str:
    start, end = one.start, one.end
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        raise TypeError("an all-day appointment has no time")
    title = _title(one)
    clashes = [other.title for other in others if other is not one and _overlap(one, other)]
    if clashes:
        title += f" ({words.say('overlaps', titles=', '.join(clashes[:3]))})"
    begin = words.moment(start)
    if start == end:
        return words.say("at", start=begin, title=title)
    if start.astimezone(words.zone).date() == end.astimezone(words.zone).date():
        return words.say("from_to", start=begin, end=words.clock(end), title=title)
    end_date = words.short_date(end.astimezone(words.zone).date())
    return words.say("until", start=begin, end_date=end_date, end=words.clock(end), title=title)


def _overlap(one: Appointment, other: Appointment) -> bool:
    starts, ends = (one.start, other.start), (one.end, other.end)
    return max(starts) < min(ends)


def _title(one: Appointment) -> str:
    return f"{one.title}, {one.place}" if one.place else one.title


def _chore(one: Chore, words: Words) -> str:
    title = one.title if one.status.casefold() in {"", "open"} else f"{one.title} ({one.status})"
    if one.due < words.today:
        return words.say("overdue", date=words.short_date(one.due), title=title)
    return words.say("due_today", title=title)
