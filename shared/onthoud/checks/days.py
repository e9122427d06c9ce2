"""Dates, weekdays and "tomorrow" stand in the material, or not in the reply."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from onthoud.checks.appointments import is_appointment
from onthoud.checks.extract import dates, relative_days, weekdays
from onthoud.checks.extract.calendar_dates import states
from onthoud.checks.extract.mentions import DateReading, Mention
from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds, Reply
from onthoud.checks.sentences import is_farewell, is_question, sentence_at
from onthoud.text.markup import visible

NAME = "days"


def check(reply: Reply, grounds: Grounds) -> list[Failure]:
    """Fail on a date, a weekday, or a "tomorrow" that the material does not hold.

    Of the customer's own appointment, where the record names a day, only the record proves one.
    A question may repeat the day that the customer named. A farewell may, where no record names a day that it could
    contradict ("See you Friday!"). "Today" is never checked: it says when we speak as often as what we claim.
    """
    claims = list(_claims(reply.text, reply.language))
    if not claims:
        return []
    known = _Known.of(grounds)
    named = _Known.of_text(visible(grounds.customer_text), grounds.today)
    record = _Known.of_text(visible(grounds.record_text), grounds.today)
    failures = set()
    for rule, mention, claim in claims:
        start, end = sentence_at(reply.text, mention.start)
        sentence = reply.text[start:end]
        own = bool(record) and is_appointment(reply.text, mention.start)
        if (record if own else known).hold(claim):
            continue
        if named.hold(claim) and (is_question(sentence) or (is_farewell(sentence) and not record)):
            continue
        if rule == "weekday" and _is_greeting(sentence, mention, start):
            continue
        failures.add(Failure(NAME, f"ungrounded-{rule}"))
    return sorted(failures)


def _claims(text: str, language: str) -> Iterator[tuple[str, Mention, frozenset[DateReading] | int | timedelta]]:
    lang = language.replace("_", "-").split("-")[0].lower() or None
    for stated in dates(text, lang):
        yield "date", stated, stated.readings
    for weekday in weekdays(text, lang):
        yield "weekday", weekday, weekday.weekday
    for relative in relative_days(text):
        if relative.offset > 0:
            yield "relative-day", relative, timedelta(days=relative.offset)


def _is_greeting(sentence: str, mention: Mention, start: int) -> bool:
    """Say whether a weekday is only wished well ("Happy Friday!")."""
    before = sentence[: mention.start - start].strip().lower()
    return before.endswith(("happy", "fijne", "prettige", "schönen", "god", "rigtig god", "祝您周", "祝你周"))


@dataclass(frozen=True, slots=True)
class _Known:
    """The days that a text holds."""

    readings: frozenset[DateReading]
    weekdays: frozenset[int]
    offsets: frozenset[int]
    today: date | None

    @classmethod
    def of(cls, grounds: Grounds) -> _Known:
        lasting = cls.of_text(grounds.lasting, grounds.today)
        earlier = cls.of_text("\n".join(map(visible, grounds.earlier_replies)), grounds.today)
        return cls(
            lasting.readings | earlier.readings,
            lasting.weekdays | earlier.weekdays,
            lasting.offsets,  # what was "tomorrow" then is another day now
            grounds.today,
        )

    @classmethod
    def of_text(cls, text: str, today: date | None) -> _Known:
        readings = frozenset[DateReading]().union(*(mention.readings for mention in dates(text, loose=True)))
        named = frozenset(mention.weekday for mention in weekdays(text, loose=True))
        offsets = frozenset(mention.offset for mention in relative_days(text))
        return cls(readings, named | frozenset(_weekdays_of(readings)), offsets, today)

    def __bool__(self) -> bool:
        return bool(self.readings or self.weekdays or self.offsets)

    def hold(self, claim: frozenset[DateReading] | int | timedelta) -> bool:
        if isinstance(claim, int):
            return claim in self.weekdays or self._holds_weekday_by_distance(claim)
        if isinstance(claim, timedelta):
            return claim.days in self.offsets or self._holds_distance(claim)
        return any(states(known, said) for said in claim for known in self.readings) or self._holds_near(claim)

    def _holds_distance(self, claim: timedelta) -> bool:
        if self.today is None:
            # Without a calendar a known date or weekday cannot be told from tomorrow; fail only when sure.
            return bool(self.readings or self.weekdays)
        day = self.today + claim
        return day.weekday() in self.weekdays or any(states(known, _parts(day)) for known in self.readings)

    def _holds_weekday_by_distance(self, weekday: int) -> bool:
        return self.today is not None and any(
            (self.today + timedelta(days=offset)).weekday() == weekday for offset in self.offsets
        )

    def _holds_near(self, claim: frozenset[DateReading]) -> bool:
        """Say whether a date is the one that a "tomorrow" means."""
        if self.today is None:
            return False
        meant = [_parts(self.today + timedelta(days=offset)) for offset in self.offsets]
        return any(states(day, said) for day in meant for said in claim)


def _parts(day: date) -> DateReading:
    return day.year, day.month, day.day


def _weekdays_of(readings: frozenset[DateReading]) -> Iterator[int]:
    for year, month, day in readings:
        if year and month and day:
            yield date(year, month, day).weekday()
