"""Dates, weekdays and days counted from today."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthoud.checks.extract import dates, relative_days, weekdays
from onthoud.checks.extract.calendar_dates import states
from onthoud.checks.extract.mentions import DateReading

FIRST = (None, 12, 1)
FULL = (2026, 12, 1)


@pytest.mark.parametrize(
    ("language", "text", "reading"),
    [
        ("en", "1 December", FIRST),
        ("en", "December 1st, 2026", FULL),
        ("en", "the 1st of December", FIRST),
        ("en", "Dec 1", FIRST),
        ("en", "in May", (None, 5, None)),
        ("en", "5th of May", (None, 5, 5)),
        ("en", "on the 5th", (None, None, 5)),
        ("nl", "zaterdag 5 december", (None, 12, 5)),
        ("nl", "01-12-2026", FULL),
        ("nl", "in januari", (None, 1, None)),
        ("da", "d. 1. december", FIRST),
        ("da", "d. 1/12", FIRST),
        ("de", "1. Dezember", FIRST),
        ("de", "am 1.12.", FIRST),
        ("de", "1.12.2026", FULL),
        ("de", "im März", (None, 3, None)),
        ("zh", "12月1日", FIRST),
        ("zh", "十二月一号", FIRST),
        ("zh", "2026年12月1日", FULL),
        ("zh", "12月份", (None, 12, None)),
        (None, "2026-12-01T18:00:00+01:00", FULL),
    ],
)
def test_dates_are_read(language: str | None, text: str, reading: DateReading) -> None:
    (mention,) = dates(text, language)
    assert mention.readings == {reading}


def test_a_date_that_can_be_read_in_two_ways_has_two_readings() -> None:
    (mention,) = dates("12/1/2026", "en")
    assert mention.readings == {(2026, 1, 12), (2026, 12, 1)}
    (danish,) = dates("12/1/2026", "da")
    assert danish.readings == {(2026, 1, 12)}


@pytest.mark.parametrize(
    "text",
    [
        "you may play",
        "march in",
        "court 5 may be free",
        "9/10 would recommend",
        "version 1.12.3",
        "24/7",
        "31/2/2026",
        "11-9",
    ],
)
def test_words_scores_and_impossible_days_are_no_dates(text: str) -> None:
    assert dates(text, "da") == []


@given(st.dates(date(1950, 1, 1), date(2090, 12, 31)))
def test_each_date_reads_back(day: date) -> None:
    for text in (day.isoformat(), f"{day.day}.{day.month}.{day.year}", f"{day.year}年{day.month}月{day.day}日"):
        (mention,) = dates(text, "de")
        assert mention.readings == {(day.year, day.month, day.day)}


@pytest.mark.parametrize(
    ("ground", "claim", "held"),
    [
        (FULL, FULL, True),
        (FULL, FIRST, True),
        (FULL, (None, 12, None), True),
        (FIRST, FULL, True),
        ((None, 12, None), FIRST, False),
        (FULL, (None, 12, 2), False),
        (FULL, (2027, 12, 1), False),
    ],
)
def test_a_ground_says_at_least_what_is_claimed(ground: DateReading, claim: DateReading, held: bool) -> None:
    assert states(ground, claim) is held


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("See you Friday", [4]),
        ("Mondays and Tuesdays", [0, 1]),
        ("Tue 2 Dec", [1]),
        ("vrijdagavond", [4]),
        ("Freitags", [4]),
        ("på lørdag", [5]),
        ("周五晚上", [4]),
        ("星期天", [6]),
        ("每周三", [2]),
        ("每周三次，一周五天", []),
        ("I sat on the sun", []),
    ],
)
def test_weekdays_are_read(text: str, days: list[int]) -> None:
    assert [mention.weekday for mention in weekdays(text)] == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Mo-Fr", {0, 1, 2, 3, 4}),
        ("Fri-Mon", {4, 5, 6, 0}),
        ("ma t/m do", {0, 1, 2, 3}),
        ("weekend", {5, 6}),
        ("hverdage", {0, 1, 2, 3, 4}),
        ("täglich", set(range(7))),
        ("周一至周五", {0, 1, 2, 3, 4}),
        ("Sa + So 9-20", {5, 6}),
    ],
)
def test_spans_of_days_are_read_in_material(text: str, days: set[int]) -> None:
    assert {mention.weekday for mention in weekdays(text, loose=True)} == days


@pytest.mark.parametrize(
    ("text", "offsets"),
    [
        ("see you tomorrow", [1]),
        ("Goedemorgen, tot morgen!", [1]),
        ("Guten Morgen! Bis morgen", [1]),
        ("Morgen!", []),
        ("god morgen, vi ses i morgen", [1]),
        ("heute, übermorgen, gestern", [0, 2, -1]),
        ("今天或明天，后天", [0, 1, 2]),
    ],
)
def test_days_from_today_are_read(text: str, offsets: list[int]) -> None:
    assert [mention.offset for mention in relative_days(text)] == offsets


def test_weekdays_of_a_week() -> None:
    names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    monday = date(2026, 11, 30)
    assert [weekdays((monday + timedelta(days=step)).strftime("%A"))[0].weekday for step in range(7)] == list(range(7))
    assert [weekdays(name)[0].weekday for name in names] == list(range(7))
