"""The calendar: the fixture that every reader must pass, and what feeds have done to others."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from daily_brief.sources.calendar import CalendarFeed
from onthoud.errors import RetryableError
from onthoud.ports.source import Harvest
from tests.unit.brief.feeds import FixedWeb, calendar

URL = "https://calendar.example.com/feed.ics"
FIXTURE = (Path(__file__).parent / "ics" / "brief-sources.ics").read_bytes()
NEW_YORK = ZoneInfo("America/New_York")
AMSTERDAM = ZoneInfo("Europe/Amsterdam")
LOS_ANGELES = ZoneInfo("America/Los_Angeles")


def on(body: bytes, day: date, zone: ZoneInfo, *, at: time = time(6, 30)) -> Harvest:
    now = datetime.combine(day, at, zone)
    return CalendarFeed(FixedWeb({URL: body}), URL, zone).read(now.astimezone(UTC))


def seen(body: bytes, day: date, zone: ZoneInfo) -> list[str]:
    """The day as a person reads it."""
    harvest = on(body, day, zone)
    assert harvest.reading.complete
    lines = []
    for one in harvest.appointments:
        when = "all day" if one.all_day else f"{one.start:%H:%M}-{one.end:%H:%M}"
        lines.append(f"{when} {one.title}")
    return lines


@pytest.mark.parametrize(
    ("day", "wanted"),
    [
        (date(2026, 10, 19), ["09:00-09:30 Team"]),
        (date(2026, 10, 26), []),  # EXDATE written as a date
        (date(2026, 11, 2), ["09:00-09:30 Team", "10:00-11:00 Call Berlin", "12:30-13:30 Lunch"]),  # after 1 November
        (date(2026, 11, 6), ["all day Fair"]),
        (date(2026, 11, 7), []),
        (date(2026, 11, 9), []),  # moved away
        (date(2026, 11, 11), ["14:00-14:30 Team (moved)"]),
        (date(2026, 11, 16), ["09:00-09:30 Team"]),
    ],
)
def test_the_fixture_in_new_york(day: date, wanted: list[str]) -> None:
    assert seen(FIXTURE, day, NEW_YORK) == wanted


@pytest.mark.parametrize(
    ("day", "wanted"),
    [
        (date(2026, 10, 19), ["15:00-15:30 Team"]),
        (date(2026, 11, 2), ["12:30-13:30 Lunch", "15:00-15:30 Team", "16:00-17:00 Call Berlin"]),
        (date(2026, 11, 6), ["all day Fair"]),
        (date(2026, 11, 11), ["20:00-20:30 Team (moved)"]),
    ],
)
def test_the_fixture_in_amsterdam(day: date, wanted: list[str]) -> None:
    assert seen(FIXTURE, day, AMSTERDAM) == wanted


def test_an_evening_appointment_is_today_west_of_utc_and_an_all_day_one_on_its_day() -> None:
    body = calendar(
        "UID:1\nSUMMARY:Dinner\nDTSTART:20261201T020000Z\nDTEND:20261201T040000Z",
        "UID:2\nSUMMARY:Friday\nDTSTART;VALUE=DATE:20261204",
    )
    assert seen(body, date(2026, 11, 30), LOS_ANGELES) == ["18:00-20:00 Dinner"]
    assert seen(body, date(2026, 12, 1), LOS_ANGELES) == []
    assert [seen(body, date(2026, 12, day), LOS_ANGELES) for day in (3, 4, 5)] == [[], ["all day Friday"], []]


def test_an_appointment_over_midnight_and_a_trip_of_days_stand_on_each_day() -> None:
    body = calendar(
        "UID:1\nSUMMARY:Night\nDTSTART;TZID=Europe/Amsterdam:20261130T230000\nDTEND;TZID=Europe/Amsterdam:20261201T010000",
        "UID:2\nSUMMARY:Trip\nDTSTART;VALUE=DATE:20261130\nDTEND;VALUE=DATE:20261203",
    )
    assert seen(body, date(2026, 12, 1), AMSTERDAM) == ["all day Trip", "23:00-01:00 Night"]
    assert seen(body, date(2026, 12, 2), AMSTERDAM) == ["all day Trip"]
    assert seen(body, date(2026, 12, 3), AMSTERDAM) == []


def test_an_exdate_in_another_zone_and_a_recurrence_id_in_another_zone_are_recognised() -> None:
    body = calendar(
        "UID:1\nSUMMARY:Daily\nDTSTART;TZID=Europe/Amsterdam:20261201T090000\nDURATION:PT1H\n"
        "RRULE:FREQ=DAILY;COUNT=5\nEXDATE:20261202T080000Z",
        "UID:1\nSUMMARY:Daily late\nRECURRENCE-ID:20261203T080000Z\nDTSTART:20261203T150000Z\nDURATION:PT1H",
    )
    days = [seen(body, date(2026, 12, day), AMSTERDAM) for day in range(1, 7)]
    assert days == [
        ["09:00-10:00 Daily"],
        [],
        ["16:00-17:00 Daily late"],
        ["09:00-10:00 Daily"],
        ["09:00-10:00 Daily"],
        [],
    ]


def test_this_and_all_later_ones_are_moved_and_a_single_exception_wins() -> None:
    body = calendar(
        "UID:1\nSUMMARY:Run\nDTSTART;TZID=Europe/Amsterdam:20261201T080000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=6",
        "UID:1\nSUMMARY:Late run\nRECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Amsterdam:20261203T080000\n"
        "DTSTART;TZID=Europe/Amsterdam:20261203T180000\nDURATION:PT2H",
        "UID:1\nSUMMARY:Swim\nRECURRENCE-ID;TZID=Europe/Amsterdam:20261205T080000\n"
        "DTSTART;TZID=Europe/Amsterdam:20261205T070000\nDURATION:PT1H",
    )
    days = [seen(body, date(2026, 12, day), AMSTERDAM) for day in range(2, 7)]
    assert days == [
        ["08:00-09:00 Run"],
        ["18:00-20:00 Late run"],
        ["18:00-20:00 Late run"],
        ["07:00-08:00 Swim"],
        ["18:00-20:00 Late run"],
    ]


@pytest.mark.parametrize("until", ["20261203T080000Z", "20261203T090000", "20261203"])
def test_the_end_of_a_rule_is_understood_in_every_spelling(until: str) -> None:
    body = calendar(
        "UID:1\nSUMMARY:Daily\nDTSTART;TZID=Europe/Amsterdam:20261201T090000\nDURATION:PT1H\n"
        f"RRULE:FREQ=DAILY;UNTIL={until}"
    )
    assert [len(seen(body, date(2026, 12, day), AMSTERDAM)) for day in range(1, 6)] == [1, 1, 1, 0, 0]


def test_nine_o_clock_stays_nine_o_clock_when_the_clocks_change() -> None:
    body = calendar(
        "UID:1\nSUMMARY:Daily\nDTSTART;TZID=Europe/Amsterdam:20261001T090000\nDURATION:PT1H\nRRULE:FREQ=DAILY"
    )
    for day in (date(2026, 10, 24), date(2026, 10, 25), date(2026, 10, 26), date(2027, 3, 27), date(2027, 3, 28)):
        assert seen(body, day, AMSTERDAM) == ["09:00-10:00 Daily"]


def test_a_zone_that_the_feed_defines_itself_is_used() -> None:
    zone = (
        "BEGIN:VTIMEZONE\nTZID:Our Zone\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0500\n"
        "TZOFFSETTO:+0500\nEND:STANDARD\nEND:VTIMEZONE\n"
    )
    body = calendar("UID:1\nSUMMARY:Far\nDTSTART;TZID=Our Zone:20261201T150000\nDURATION:PT1H", extra=zone)
    assert seen(body, date(2026, 12, 1), AMSTERDAM) == ["11:00-12:00 Far"]


def test_one_event_that_cannot_be_read_is_one_line_and_the_others_are_read() -> None:
    body = calendar(
        "UID:1\nSUMMARY:Good\nDTSTART:20261201T090000Z\nDURATION:PT1H",
        "UID:2\nSUMMARY:No start",
        "UID:3\nSUMMARY:Garbage\nDTSTART:yesterday",
        "UID:4\nSUMMARY:Nowhere\nDTSTART;TZID=Nowhere/Land:20261201T090000",
        "UID:5\nSUMMARY:Mad rule\nDTSTART:20261201T090000Z\nRRULE:FREQ=SECONDLY",
        "UID:6\nSUMMARY:Worse rule\nDTSTART:20261201T090000Z\nRRULE:FREQ=DAILY;INTERVAL=x",
    )
    harvest = on(body, date(2026, 12, 1), AMSTERDAM)
    kinds = sorted((one.kind, one.title) for one in harvest.reading.observations)
    assert harvest.reading.complete
    assert [one.title for one in harvest.appointments] == ["Good"]
    assert kinds == [
        ("event", "Good"),
        *(("unreadable", title) for title in ("Garbage", "Mad rule", "No start", "Nowhere", "Worse rule")),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        b"<html><body>Please sign in</body></html>",
        b"",
        FIXTURE[: len(FIXTURE) // 2],
        RetryableError("status 410"),
        RetryableError("ReadTimeoutError"),
    ],
    ids=["login page", "nothing", "half", "410", "timeout"],
)
def test_what_is_no_whole_calendar_is_a_failure_and_never_an_empty_day(answer: bytes | Exception) -> None:
    harvest = CalendarFeed(FixedWeb({URL: answer}), URL, AMSTERDAM).read(datetime(2026, 12, 1, 6, tzinfo=UTC))
    assert not harvest.reading.complete
    assert harvest.reading.error
    assert harvest.reading.observations == ()


def keys(body: bytes, day: date) -> dict[str, dict[str, object]]:
    return {one.key: dict(one.material) for one in on(body, day, AMSTERDAM).reading.observations}


def test_a_series_is_one_alert_whose_passing_occurrences_are_no_news() -> None:
    first, later = keys(FIXTURE, date(2026, 10, 13)), keys(FIXTURE, date(2026, 12, 29))
    series = "calendar:series:weekly@example.com"
    assert first[series] == later[series]
    assert list(later) == [series]


def test_what_is_moved_or_taken_out_of_a_series_is_seen_by_itself() -> None:
    found = keys(FIXTURE, date(2026, 10, 20))
    assert found["calendar:event:weekly@example.com:2026-11-09T09:00:00-05:00"]["start"] == "2026-11-11T19:00:00+00:00"
    assert "calendar:taken-out:weekly@example.com:2026-10-26" in found


def test_the_same_time_written_in_another_zone_is_no_change() -> None:
    berlin = calendar("UID:1\nSUMMARY:A\nDTSTART;TZID=Europe/Berlin:20261202T090000\nDURATION:PT1H")
    utc = calendar("UID:1\nSUMMARY:A\nDTSTART:20261202T080000Z\nDURATION:PT1H")
    assert keys(berlin, date(2026, 12, 1)) == keys(utc, date(2026, 12, 1))


def test_a_cancelled_appointment_and_one_that_is_over_are_not_there_any_more() -> None:
    body = calendar(
        "UID:1\nSUMMARY:Off\nSTATUS:CANCELLED\nDTSTART:20261202T080000Z\nDURATION:PT1H",
        "UID:2\nSUMMARY:Over\nDTSTART:20261130T080000Z\nDURATION:PT1H",
    )
    assert keys(body, date(2026, 12, 1)) == {}


def test_of_two_versions_the_later_sequence_counts_in_whatever_order() -> None:
    old = "UID:1\nSEQUENCE:1\nSUMMARY:Old\nDTSTART:20261202T080000Z\nDURATION:PT1H"
    new = "UID:1\nSEQUENCE:2\nSUMMARY:New\nDTSTART:20261202T100000Z\nDURATION:PT1H"
    for events in ((old, new), (new, old)):
        [one] = on(calendar(*events), date(2026, 12, 1), AMSTERDAM).reading.observations
        assert one.title == "New"


def test_an_appointment_ends_by_itself_at_its_end() -> None:
    body = calendar("UID:1\nSUMMARY:A\nDTSTART;VALUE=DATE:20261202")
    [one] = on(body, date(2026, 12, 1), AMSTERDAM).reading.observations
    assert one.ends_at == datetime(2026, 12, 3, tzinfo=AMSTERDAM)
    assert one.ends_at - datetime(2026, 12, 1, tzinfo=AMSTERDAM) == timedelta(days=2)
