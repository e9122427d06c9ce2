"""The whole story of an alert, and why something was left out: for a person, from what the log holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from onthoud.clock import iso
from onthoud.memory.alerts.model import Alert, Rules, SourceState
from onthoud.memory.alerts.news import Silence, news_of


@dataclass(frozen=True, slots=True)
class Story:
    """What is known of one alert.

    Attributes:
        lines: its history, oldest first.
        now: per audience, what the next brief does with it and why.
        last_seen: when its source last showed it; None if it is no longer shown.
    """

    key: str
    title: str
    state: str
    times: int
    lines: tuple[str, ...]
    now: Mapping[str, str]
    last_seen: datetime | None


def story(alert: Alert, sources: Mapping[str, SourceState], now: datetime, rules: Rules) -> Story:
    """Tell the story of an alert."""
    source = sources.get(alert.source)
    lines = [f"{iso(e.at)} {e.what} ({e.by})" + (f": {e.note}" if e.note else "") for e in alert.history]
    return Story(
        key=alert.key,
        title=alert.title,
        state=str(alert.state),
        times=alert.times,
        lines=tuple(lines),
        now={audience: _now(alert, audience, sources, now, rules) for audience in rules.audiences},
        last_seen=source.read_at if source is not None and alert.present else None,
    )


def _now(alert: Alert, audience: str, sources: Mapping[str, SourceState], now: datetime, rules: Rules) -> str:
    news = news_of(alert, audience, now, rules)
    if not isinstance(news, Silence):
        return f"due: {news.kind}" + (" (possibly seen)" if news.possibly_seen else "")
    return news.reason + _unchecked(sources.get(alert.source))


def _unchecked(source: SourceState | None) -> str:
    if source is None or source.failing_since is None:
        return ""
    return f"; not checked since {iso(source.failing_since)}"


def why_not(
    text: str, alerts: Iterable[Alert], sources: Mapping[str, SourceState], now: datetime, rules: Rules
) -> list[Story]:
    """Find the alerts whose words hold every word of `text`, live ones first, with the reason of their silence."""
    words = text.casefold().split()
    found = [alert for alert in alerts if words and all(word in _words(alert) for word in words)]
    found.sort(key=lambda alert: (not alert.live, alert.first_seen, alert.key))
    return [story(alert, sources, now, rules) for alert in found]


def _words(alert: Alert) -> str:
    values = " ".join(str(value) for value in (*alert.material.values(), *alert.data.values()))
    return f"{alert.key} {alert.title} {alert.summary} {alert.group_title} {values}".casefold()
