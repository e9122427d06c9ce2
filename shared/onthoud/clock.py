"""The one clock. Every time in Onthoud is aware and in UTC; zones appear only where a person reads."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the present instant."""

    def now(self) -> datetime:
        """Return the present instant, aware, in UTC."""
        ...


class SystemClock:
    """The machine's wall clock."""

    def now(self) -> datetime:
        """Return the present instant, aware, in UTC."""
        return datetime.now(UTC)


def to_utc(moment: datetime) -> datetime:
    """Return `moment` in UTC.

    Raises:
        ValueError: `moment` is naive; a time without an offset names no instant.
    """
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise ValueError("a time without an offset names no instant")
    return moment.astimezone(UTC)


def iso(moment: datetime) -> str:
    """Return `moment` as `2026-11-30T09:00:00.000000Z`: UTC, microseconds, so that text order is time order."""
    return to_utc(moment).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def from_iso(text: str) -> datetime:
    """Read an ISO 8601 time with an offset; the inverse of `iso`."""
    return to_utc(datetime.fromisoformat(text))


def epoch(moment: datetime) -> int:
    """Return `moment` as whole epoch seconds, the unit of DynamoDB's TTL, rounded up so that nothing ends early."""
    seconds = to_utc(moment).timestamp()
    whole = int(seconds)
    return whole if whole == seconds else whole + 1
