"""EventBridge Scheduler's expressions."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from infra.local.errors import TemplateError
from infra.local.expressions import parse

START = datetime(2026, 1, 1, tzinfo=UTC)


def times(expression: str, zone: str, after: str, count: int) -> list[str]:
    """The next times, in UTC, without seconds."""
    parsed, moment, found = parse(expression, ZoneInfo(zone), START), datetime.fromisoformat(after), []
    for _ in range(count):
        following = parsed.next_after(moment)
        assert following is not None
        moment = following
        found.append(moment.astimezone(UTC).isoformat(timespec="minutes")[:16])
    return found


@pytest.mark.parametrize(
    ("expression", "zone", "after", "expected"),
    [
        ("cron(30 6 * * ? *)", "Europe/Amsterdam", "2026-01-10T05:29:00Z", ["2026-01-10T05:30", "2026-01-11T05:30"]),
        ("cron(30 6 * * ? *)", "Europe/Amsterdam", "2026-01-10T05:30:00Z", ["2026-01-11T05:30", "2026-01-12T05:30"]),
        ("cron(30 6 * * ? *)", "Europe/Amsterdam", "2026-07-10T00:00:00Z", ["2026-07-10T04:30", "2026-07-11T04:30"]),
        ("cron(0/20 22-23 ? * MON *)", "UTC", "2026-01-05T22:30:00Z", ["2026-01-05T22:40", "2026-01-05T23:00"]),
        ("cron(30 3 ? * SUN *)", "UTC", "2026-01-01T00:00:00Z", ["2026-01-04T03:30", "2026-01-11T03:30"]),
        ("cron(0 9 ? * 2-6 *)", "UTC", "2026-01-02T10:00:00Z", ["2026-01-05T09:00", "2026-01-06T09:00"]),
        ("cron(0 9 ? * 5L *)", "UTC", "2026-01-01T10:00:00Z", ["2026-01-29T09:00", "2026-02-26T09:00"]),
        ("cron(0 9 ? * L *)", "UTC", "2026-01-01T10:00:00Z", ["2026-01-31T09:00", "2026-02-28T09:00"]),
        ("cron(0 9 ? * TUE#2 *)", "UTC", "2026-01-01T10:00:00Z", ["2026-01-13T09:00", "2026-02-10T09:00"]),
        ("cron(0 9 L * ? *)", "UTC", "2026-01-01T10:00:00Z", ["2026-01-31T09:00", "2026-02-28T09:00"]),
        ("cron(0 9 LW * ? *)", "UTC", "2026-01-01T10:00:00Z", ["2026-01-30T09:00", "2026-02-27T09:00"]),
        ("cron(0 9 1W * ? *)", "UTC", "2026-01-20T10:00:00Z", ["2026-02-02T09:00", "2026-03-02T09:00"]),
        ("cron(0 9 29 FEB ? *)", "UTC", "2026-01-01T10:00:00Z", ["2028-02-29T09:00"]),
        ("cron(0 9 1 1,7 ? 2027)", "UTC", "2026-01-01T10:00:00Z", ["2027-01-01T09:00", "2027-07-01T09:00"]),
        ("at(2026-06-01T09:00:00)", "Europe/Amsterdam", "2026-01-01T10:00:00Z", ["2026-06-01T07:00"]),
        ("rate(1 hour)", "UTC", "2026-01-01T10:30:00Z", ["2026-01-01T11:00", "2026-01-01T12:00"]),
        ("rate(2 days)", "UTC", "2025-12-01T00:00:00Z", ["2026-01-03T00:00", "2026-01-05T00:00"]),
    ],
)
def test_the_next_times(expression: str, zone: str, after: str, expected: list[str]) -> None:
    assert times(expression, zone, after, len(expected)) == expected


def test_a_time_that_does_not_exist_is_skipped() -> None:
    """Amsterdam, 29 March 2026: 01:59 is followed by 03:00."""
    found = times("cron(30 2 * * ? *)", "Europe/Amsterdam", "2026-03-27T12:00:00Z", 2)
    assert found == ["2026-03-28T01:30", "2026-03-30T00:30"]


def test_a_time_that_comes_twice_counts_the_first_time() -> None:
    """Amsterdam, 25 October 2026: 02:59 is followed by 02:00."""
    found = times("cron(30 2 * * ? *)", "Europe/Amsterdam", "2026-10-24T12:00:00Z", 2)
    assert found == ["2026-10-25T00:30", "2026-10-26T01:30"]


def test_what_comes_once_does_not_come_again() -> None:
    assert parse("at(2026-06-01T09:00:00)", ZoneInfo("UTC"), START).next_after(datetime(2027, 1, 1, tzinfo=UTC)) is None
    assert parse("cron(0 0 1 1 ? 2026)", ZoneInfo("UTC"), START).next_after(datetime(2027, 1, 1, tzinfo=UTC)) is None


@pytest.mark.parametrize(
    "expression",
    [
        "every day",
        "cron(0 9 * * *)",
        "cron(0 9 * * * *)",
        "cron(0 9 ? * ? *)",
        "cron(60 9 * * ? *)",
        "cron(0 25 * * ? *)",
        "cron(0 9 * 13 ? *)",
        "cron(0 9 ? * SOON *)",
        "rate(0 minutes)",
        "rate(1 minutes)",
        "rate(5 minute)",
        "rate(5 weeks)",
        "at(tomorrow)",
    ],
)
def test_what_scheduler_would_refuse_is_refused(expression: str) -> None:
    with pytest.raises(TemplateError, match="is wrong"):
        parse(expression, ZoneInfo("UTC"), START)
