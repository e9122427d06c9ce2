"""What one alert has to say to one audience now, or why it says nothing. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from onthoud.memory.alerts.fingerprint import Scalar
from onthoud.memory.alerts.model import Alert, Reported, Rules
from onthoud.memory.alerts.states import SHOWN, Announce, State


class NewsKind(StrEnum):
    """The kinds of line, in the order in which a brief without a model prints them."""

    NEW = "new"
    REOPENED = "reopened"
    UPDATE = "update"
    SNOOZE_ENDED = "snooze-ended"
    REMINDER = "reminder"
    MUTE_REVIEW = "mute-review"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class News:
    """A word that is due.

    Attributes:
        before: the material values that the audience was told last; None where it was told nothing.
        possibly_seen: an earlier attempt to tell it had an unknown outcome.
    """

    kind: NewsKind
    alert: Alert
    before: Mapping[str, Scalar] | None = None
    possibly_seen: bool = False


@dataclass(frozen=True, slots=True)
class Silence:
    """No word is due, and this is why."""

    reason: str


def news_of(alert: Alert, audience: str, now: datetime, rules: Rules) -> News | Silence:
    """Return what is due to `audience`."""
    told, perhaps = alert.reported.get(audience), alert.unsure.get(audience)
    if alert.state is State.GONE:
        kind = _of_gone(told, perhaps)
    elif alert.state in SHOWN:
        kind = _of_shown(alert, told, perhaps, now, rules)
    elif alert.state is State.MUTED and _announced(alert, told):
        kind = NewsKind.MUTE_REVIEW
    else:
        kind = None
    if kind is None:
        return Silence(silence_reason(alert, told))
    before = told or perhaps
    return News(kind, alert, before.material if before else None, perhaps is not None)


def _of_gone(told: Reported | None, perhaps: Reported | None) -> NewsKind | None:
    open_told = told is not None and not told.closed
    perhaps_told = told is None and perhaps is not None
    return NewsKind.RESOLVED if open_told or perhaps_told else None


def _announced(alert: Alert, told: Reported | None) -> bool:
    return alert.announce is not Announce.NONE and alert.seq > (told.seq if told is not None else 0)


def _of_shown(
    alert: Alert, told: Reported | None, perhaps: Reported | None, now: datetime, rules: Rules
) -> NewsKind | None:
    if told is None:
        return NewsKind.NEW
    if _announced(alert, told):
        return NewsKind.SNOOZE_ENDED if alert.announce is Announce.SNOOZE_ENDED else NewsKind.REOPENED
    if told.closed or (perhaps is not None and perhaps.closed):
        return NewsKind.REOPENED
    if told.hash != alert.hash or (perhaps is not None and perhaps.hash != alert.hash):
        return NewsKind.UPDATE
    if reminders_due(alert, now, rules) > told.reminders:
        return NewsKind.REMINDER
    return None


def reminders_due(alert: Alert, now: datetime, rules: Rules) -> int:
    """Return how many of the reminders set have come due; 0 where none are set."""
    if alert.surfaced_at is None:
        return 0
    age = (now - alert.surfaced_at).total_seconds() / 86400
    return sum(1 for days in rules.remind_after_days if age >= days)


def silence_reason(alert: Alert, told: Reported | None) -> str:
    """Return why an alert says nothing: one line for a person."""
    match alert.state:
        case State.SNOOZED:
            until = alert.snoozed_until.isoformat() if alert.snoozed_until else "a time"
            return f"snoozed until {until}"
        case State.SNOOZED_UNTIL_CHANGE:
            return "snoozed until it changes"
        case State.MUTED:
            return f"muted: {alert.mute_reason}"
        case State.RESOLVED:
            return f"resolved by {alert.resolved_by or 'hand'}, and unchanged since"
        case State.GONE | State.CLOSED:
            return "it is over"
        case _:
            return f"unchanged since it was told in {told.run}" if told is not None else "not told yet"
