"""Times of day as people write them, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthoud.checks.extract import times


def clock(text: str, lang: str | None = None, *, loose: bool = False) -> list[str]:
    return [
        "/".join(f"{minute // 60}:{minute % 60:02d}" for minute in sorted(mention.minutes))
        for mention in times(text, lang, loose=loose)
    ]


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("en", "until 22:00!", ["22:00"]),
        ("en", "We open at 6 pm.", ["18:00"]),
        ("en", "6pm, 6 p.m., 6:30 PM", ["18:00", "18:00", "18:30"]),
        ("en", "12 am and 12 pm", ["0:00", "12:00"]),
        ("en", "from 6-8 pm", ["18:00", "20:00"]),
        ("en", "10-2pm", ["10:00", "14:00"]),
        ("en", "at 6 on Friday", ["6:00/18:00"]),
        ("en", "half past six", ["6:30/18:30"]),
        ("en", "quarter to seven", ["6:45/18:45"]),
        ("en", "six o'clock", ["6:00/18:00"]),
        ("en", "at noon or midnight", ["12:00", "0:00"]),
        ("en", "9:00-21:00", ["9:00", "21:00"]),
        ("en", "8:00 in the evening", ["20:00"]),
        ("nl", "om 18.00 uur", ["18:00"]),
        ("nl", "18u en 18u30", ["18:00", "18:30"]),
        ("nl", "om 6 uur 's avonds", ["18:00"]),
        ("nl", "half zeven", ["6:30/18:30"]),
        ("nl", "kwart over zes", ["6:15/18:15"]),
        ("nl", "van 8 tot 22 uur", ["8:00", "22:00"]),
        ("nl", "tot 1 uur", ["1:00/13:00"]),
        ("da", "kl. 18", ["18:00"]),
        ("da", "kl. 18.30-20.00", ["18:30", "20:00"]),
        ("da", "klokken seks", ["6:00/18:00"]),
        ("da", "halv syv", ["6:30/18:30"]),
        ("da", "18.30", ["18:30"]),
        ("da", "kl. 6 om aftenen", ["18:00"]),
        ("de", "18 Uhr, 18:30 Uhr, 18.45 Uhr, 19 Uhr 15", ["18:00", "18:30", "18:45", "19:15"]),
        ("de", "8 bis 22 Uhr", ["8:00", "22:00"]),
        ("de", "halb sieben", ["6:30/18:30"]),
        ("de", "Viertel nach sechs", ["6:15/18:15"]),
        ("de", "6 Uhr abends", ["18:00"]),
        ("zh", "下午六点", ["18:00"]),
        ("zh", "18点30分", ["18:30"]),
        ("zh", "六点半", ["6:30/18:30"]),
        ("zh", "早上七点一刻", ["7:15"]),
        ("zh", "晚上18:00见", ["18:00"]),
        ("zh", "下午一点", ["13:00"]),
        (None, "2026-12-01T18:00:00+01:00", ["18:00"]),
    ],
)
def test_times_are_read(language: str | None, text: str, found: list[str]) -> None:
    assert clock(text, language) == found


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "at 6 courts, at 2.5 level, DUPR 3.5-4.0, 4.25 rating"),
        ("en", "11-9, 9-11, 24/7, 10/10, ages 8-12, between 6 and 8 people"),
        ("en", "half price for half an hour, 2 hours, 90 minutes"),
        ("nl", "een baan voor 2 uur, binnen 24 uur, 1 uur spelen, 3.50 euro"),
        ("de", "2 Stunden, 4 Spieler, 3,50 Euro"),
        ("da", "2 timer, 4 spillere, 12.50 kr."),
        ("zh", "有一点贵，早一点来，一点一点来，2小时"),
    ],
)
def test_scores_levels_and_durations_are_no_times(language: str, text: str) -> None:
    assert clock(text, language) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("8-22 daily", ["8:00", "22:00"]),
        ("Mo-Fr 8-22, Sa + So 9-20", ["8:00", "22:00", "9:00", "20:00"]),
        ("ma-vr 8.00-22.30.", ["8:00", "22:30"]),
    ],
)
def test_material_is_read_loosely(text: str, found: list[str]) -> None:
    assert clock(text, loose=True) == found


def test_half_six_means_what_the_language_says() -> None:
    assert clock("half 6", "nl") == ["5:30/17:30"]
    assert clock("half 6", "en") == ["6:30/18:30"]
    assert clock("half 6") == ["5:30/6:30/17:30/18:30"]


def test_a_mention_knows_its_place() -> None:
    (mention,) = times("open until 22:00!", "en")
    assert "open until 22:00!"[mention.start : mention.end] == "22:00"


@given(st.integers(0, 23), st.integers(0, 59))
def test_each_minute_reads_back(hour: int, minute: int) -> None:
    (mention,) = times(f"om {hour:02d}:{minute:02d} uur", "nl")
    assert hour * 60 + minute in mention.minutes
    assert len(mention.minutes) == 1 or hour == minute == 0 or 10 <= hour <= 12


@given(st.text())
def test_readings_are_minutes_of_a_day(text: str) -> None:
    for mention in times(text, loose=True):
        assert mention.minutes <= frozenset(range(1440))
        assert mention.minutes
