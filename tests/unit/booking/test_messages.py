"""The plain messages: five languages, every status, three zones, both DST days; text, subject and calendar agree."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from babel.dates import format_date, format_time
from icalendar import Calendar

from booking.calendar import attachment
from booking.checks.lexicon import lexicon_of
from booking.messages import Kind, plain, subject
from booking.when import LANGUAGES, STYLES, When, describe, language_of, style_of

ZONES = ("Europe/Amsterdam", "America/Phoenix", "Australia/Sydney")
LOCALES = ("nl", "da", "de", "en", "en-GB", "zh")
READS_AS_CONFIRMED = re.compile(
    r"confirm|booked|reserved|see you|bevestigd|gereserveerd|tot dan|bekræft|reserveret|vi ses|bestätig|reserviert"
    r"|gebucht|确认|预留|成功",
    re.IGNORECASE,
)


def when(start: str, minutes: int = 60, zone: str = "Europe/Amsterdam", locale: str = "en") -> When:
    moment = datetime.fromisoformat(start)
    return describe(moment, moment + timedelta(minutes=minutes), ZoneInfo(zone), STYLES[locale])


def message(kind: Kind, language: str, at: When) -> str:
    return plain(kind, language, name="Ana", court="Court 3", venue="Onthoud Club", when=at)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["confirmed", "moved", "cancelled", "denied"])
def test_no_status_reads_as_another(language: str, kind: Kind) -> None:
    at = when("2026-12-01T18:00:00+01:00", locale=language)
    for text in (message(kind, language, at), subject(kind, language, court="Court 3", when=at)):
        assert bool(READS_AS_CONFIRMED.search(text)) == (kind == "confirmed"), text
        assert bool(lexicon_of(language).any_of("called_off").search(text)) == (kind in {"cancelled", "denied"}), text
        assert bool(lexicon_of(language).any_of("moved").search(text)) == (kind == "moved"), text
        assert "Court 3" in text and "Europe/Amsterdam" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_message_without_name_and_venue_has_no_gap(language: str) -> None:
    at = when("2026-12-01T18:00:00+01:00", locale=language)
    text = plain("confirmed", language, name="", court="Court 3", venue="", when=at)
    assert not re.search(r"\{|None|  |,,| ,|\n\n\n|\n$", text)


@pytest.mark.parametrize("locale", LOCALES)
def test_dates_and_times_are_those_of_cldr(locale: str) -> None:
    tag = locale.replace("-", "_")
    day = date(2026, 1, 1)
    for _ in range(366):
        start = datetime(day.year, day.month, day.day, day.day % 24, (day.month * 5) % 60, tzinfo=UTC)
        at = describe(start, start + timedelta(hours=1), ZoneInfo("UTC"), STYLES[locale])
        # CLDR writes the English time with a narrow space, and the British date with a comma that it dropped and took
        # up again; neither is worth a character that a chat cannot show.
        assert at.start_time == format_time(start, "short", locale=tag).replace("\u202f", " ")
        assert at.date.replace(",", "") == format_date(day, "full", locale=tag).replace(",", "")
        day += timedelta(days=1)


# (zone, instant of the start in UTC): the days on which the clocks change, before, across and after, and plain days.
DAYS = (
    ("Europe/Amsterdam", "2026-03-29T00:30:00Z"),
    ("Europe/Amsterdam", "2026-03-29T01:30:00Z"),
    ("Europe/Amsterdam", "2026-10-25T00:30:00Z"),
    ("Europe/Amsterdam", "2026-10-25T01:30:00Z"),
    ("America/Phoenix", "2026-03-08T09:30:00Z"),
    ("America/Phoenix", "2026-11-01T08:30:00Z"),
    ("Australia/Sydney", "2026-04-04T15:30:00Z"),
    ("Australia/Sydney", "2026-04-04T16:30:00Z"),
    ("Australia/Sydney", "2026-10-03T15:30:00Z"),
    ("Australia/Sydney", "2026-10-03T16:30:00Z"),
)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(("zone", "start"), DAYS)
@pytest.mark.parametrize("kind", ["confirmed", "moved", "cancelled"])
def test_text_subject_and_calendar_name_one_instant(zone: str, start: str, locale: str, kind: Kind) -> None:
    instant = datetime.fromisoformat(start)
    at = when(start, zone=zone, locale=locale)
    language = locale.split("-")[0]
    for text in (message(kind, language, at), subject(kind, language, court="Court 3", when=at)):
        assert read(text, zone, locale) == instant, text
    file = attachment(kind, uid="u", summary="s", venue="Onthoud Club", when=at, changed_at=instant, now=instant)
    assert file is not None
    event = Calendar.from_ical(file["content"]).walk("VEVENT")[0]
    assert event.decoded("DTSTART") == instant
    assert event.decoded("DTEND") == instant + timedelta(hours=1)
    assert event["STATUS"] == ("CANCELLED" if kind == "cancelled" else "CONFIRMED")
    assert "TZID" not in file["content"]


def read(text: str, zone: str, locale: str) -> datetime:
    """Read the first time and date of a message back, by the zone and the name of the clocks that it states."""
    days = [date(2026, 1, 1) + timedelta(days=offset) for offset in range(400)]
    noons = {day: noon(day, zone) for day in days}
    day = next(one for one, at in noons.items() if describe(at, at, ZoneInfo(zone), STYLES[locale]).date in text)
    found = re.search(r"(?<!\d)(\d{1,2})[:.](\d{2})(?: ([AP])M)?(?: ([A-Z]{3,4}))?", text)
    assert found is not None and zone in text
    hour = int(found[1]) % 12 + (12 if found[3] == "P" else 0) if found[3] else int(found[1])
    clock = found[4] or re.search(rf"{zone}, ([A-Z]{{3,4}})", text)[1]  # type: ignore[index]
    for fold in (0, 1):
        moment = datetime(day.year, day.month, day.day, hour, int(found[2]), tzinfo=ZoneInfo(zone), fold=fold)
        if moment.tzname() == clock:
            return moment.astimezone(UTC)
    raise AssertionError("the message names no instant")


def noon(day: date, zone: str) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=ZoneInfo(zone))


def test_twelve_and_twenty_four_hours_by_language() -> None:
    start = "2026-12-01T18:05:00+01:00"
    shown = {locale: when(start, locale=locale).hours for locale in LOCALES}
    assert shown == {
        "nl": "18:05–19:05",
        "da": "18.05–19.05",
        "de": "18:05–19:05",
        "en": "6:05 PM – 7:05 PM",
        "en-GB": "18:05–19:05",
        "zh": "18:05–19:05",
    }


def test_a_booking_over_midnight_names_both_days() -> None:
    at = when("2026-12-01T23:30:00+01:00", locale="de")
    assert at.line == "Dienstag, 1. Dezember 2026, 23:30 – Mittwoch, 2. Dezember 2026, 00:30 (Europe/Amsterdam, CET)"


def test_a_zone_whose_clocks_have_no_name_is_named_by_its_offset() -> None:
    assert when("2026-12-01T18:00:00Z", zone="Asia/Dubai").zone == "Asia/Dubai, UTC+04:00"


def test_languages_and_their_variants() -> None:
    assert language_of(None, "fr", "nl-BE", "de") == "nl"
    assert language_of("zh_Hans_CN") == "zh"
    assert language_of(None, default="da") == "da" and language_of("xx", default="xx") == "en"
    assert style_of("en", "en-GB") is STYLES["en-GB"] and style_of("en", "en-US") is STYLES["en"]
    assert style_of("en", None) is STYLES["en"] and style_of("nl", "nl-BE") is STYLES["nl"]


def test_a_denied_booking_has_no_calendar_entry() -> None:
    at = when("2026-12-01T18:00:00+01:00")
    assert attachment("denied", uid="u", summary="s", venue="", when=at, changed_at=at.start, now=at.start) is None
