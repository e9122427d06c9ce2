"""Whatever a record holds, what code writes of it passes the fact check: the check explains all that is true."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from booking.checks.check import check
from booking.checks.facts import Facts
from booking.messages import court_name, plain, summary
from booking.when import LANGUAGES, describe, style_of
from tests.unit.booking.drafts import STAFF_NOTES

COURTS = (
    *(
        "Court 3",
        "Court 12",
        "Center Court",
        "Padel Indoor 2",
        "Baan 3",
        "Platz A",
        "3",
        "Court A",
        "Court 3B",
        "Bane 1",
    ),
    *(
        "1号场",
        "一号场",
        "Wimbledon",
        "Padel 10 (outdoor)",
        "Tennis Court No. 7",
        "Halle 2, Feld 4",
        "Court 03",
        "场地3",
    ),
)
NAMES = (
    *("", "Ana", "Li Wei", "王伟", "Jan", "April", "May", "Will", "Søren Müller", "Jean-Luc O'Neill", "Van der Berg"),
    *("Mark", "An", "Di Monday", "Dr. Who", "Ana (2)", "Player 4"),
)
VENUES = (
    "",
    "Onthoud Club",
    "Park 23",
    "Tennis & Padel Club",
    "Sportpark De Hoek",
    "球馆中心",
    "The Free Club",
    "club.nl",
)
ZONES = (
    *("Europe/Amsterdam", "America/Phoenix", "Asia/Shanghai", "Europe/London", "Asia/Kolkata", "America/New_York"),
    *("Pacific/Auckland", "Asia/Dubai"),
)
START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=60, deadline=None)
@given(
    court=st.sampled_from(COURTS),
    name=st.sampled_from(NAMES),
    venue=st.sampled_from(VENUES),
    zone=st.sampled_from(ZONES),
    quarter=st.integers(0, 4 * 24 * 365),
    minutes=st.sampled_from([30, 45, 60, 90, 120, 180]),
    moved=st.booleans(),
    staff=st.booleans(),
)
def test_what_code_writes_of_a_record_is_right(
    language: str, court: str, name: str, venue: str, zone: str, quarter: int, minutes: int, moved: bool, staff: bool
) -> None:
    start = START + timedelta(minutes=15 * quarter)
    when = describe(start, start + timedelta(minutes=minutes), ZoneInfo(zone), style_of(language))
    facts = Facts(
        kind="moved" if moved else "confirmed",
        name=name,
        court=court_name(court, language),
        venue=venue,
        when=when,
        now=start - timedelta(days=3),
        language=language,
        staff=STAFF_NOTES if staff else (),
    )
    for write in (plain, summary):
        text = write(facts.kind, language, name=name, court=facts.court, venue=venue, when=when)
        verdict = check(text, facts)
        assert verdict.faults == () and verdict.missing == (), text


OTHER_COURTS = (
    ("Court 3B", "court 3A"),
    ("Court 3B", "court 3"),
    ("3", "court 13"),
    ("Padel Indoor 2", "Padel Indoor 3"),
    ("Center Court", "court 2"),
    ("Platz A", "Platz B"),
    ("一号场", "2号场"),
    ("Court 3", "court 33"),
)


@pytest.mark.parametrize(("court", "wrong"), OTHER_COURTS)
def test_another_court_is_seen_whatever_courts_are_called(court: str, wrong: str) -> None:
    language = "zh" if "号" in court else "en"
    when = describe(START, START + timedelta(hours=1), ZoneInfo("UTC"), style_of(language))
    facts = Facts("confirmed", "Ana", court_name(court, language), "", when, now=START, language=language)
    hello = "Ana，您好，您的预订已确认：" if language == "zh" else "Hi Ana, your booking is confirmed: "
    assert check(f"{hello}{wrong}", facts).faults
    assert not check(f"{hello}{facts.court}", facts).faults


@pytest.mark.parametrize("text", ["Hi April Jones, court 3.", "Hi April, court 3 on April 2.", "Hi Will, court 3."])
def test_a_name_that_is_a_word_hides_nothing(text: str) -> None:
    when = describe(START, START + timedelta(hours=1), ZoneInfo("UTC"), style_of("en"))
    facts = Facts("confirmed", "April", "Court 3", "", when, now=START, language="en")
    assert check(text, facts).faults
    assert not check("Hi April, court 3 on January 1.", facts).faults
