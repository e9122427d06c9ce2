"""An outgoing message as the commands show it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from infra.cli.reasons import in_words
from onthoud.clock import iso
from onthoud.delivery.ledger import EventRef
from onthoud.delivery.outbox import Entry, State
from onthoud.delivery.threads import thread_id
from onthoud.errors import PermanentError
from onthoud.scope import Scope

_STATES = {
    State.PLANNED: "not sent",
    State.SENDING: "on its way",
    State.SENT: "sent",
    State.UNKNOWN: "nobody knows whether it arrived",
    State.FAILED: "will not be sent",
    State.GONE: "what it answers no longer exists",
}


def as_dict(entry: Entry, now: datetime) -> dict[str, Any]:
    """Return an entry as JSON shows it; `why` is what a person reads."""
    message = entry.message
    return {
        "id": entry.id,
        "state": str(entry.state),
        "why": why(entry),
        "hold": entry.hold,
        "kind": message.kind,
        "event_id": EventRef.of_key(entry.event).event_id,
        "channel": message.channel,
        "account_id": message.account_id,
        "to": message.to,
        "in_reply_to": message.in_reply_to,
        "customer": customer_of(entry),
        "thread": thread_id(entry.thread) if entry.thread else None,
        "text": message.text,
        "bot_text": entry.base.get("bot_text"),
        "edited_at": entry.base.get("edited_at"),
        "attempts": entry.attempts,
        "failure": entry.failure,
        "platform_id": entry.platform_id,
        "created_at": iso(entry.created_at),
        "claimed_at": iso(entry.claimed_at) if entry.claimed_at else None,
        "sent_at": iso(entry.sent_at) if entry.sent_at else None,
        "age_s": int((now - entry.created_at).total_seconds()),
    }


def why(entry: Entry) -> str:
    """Return in plain words where a message stands, and what holds it there."""
    reason = entry.hold or entry.failure
    return in_words(reason) if reason else _STATES[entry.state]


def state_in_words(state: str) -> str:
    """Return a state in plain words."""
    return _STATES[State(state)]


def customer_of(entry: Entry) -> str | None:
    """Return the name of the customer to whom an entry goes; None for one that goes to no customer."""
    try:
        return Scope.of_partition(entry.key.pk).name
    except PermanentError:
        return None


def age(seconds: int) -> str:
    """Return an age as a person says it."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{max(0, seconds)} s"
