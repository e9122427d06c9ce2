"""Decisions: per event, what was retrieved, answered, checked and sent, with its cost. Ids and hashes, never words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from onthoud import keys
from onthoud.clock import epoch, iso
from onthoud.delivery.ledger import event_partition, place
from onthoud.delivery.outbox import RETRY, State
from onthoud.delivery.quarantine import quarantined
from onthoud.ports.model import Usage
from onthoud.ports.table import Item, Key, Table
from onthoud.scope import Space

Outcome = Literal["replied", "confirmed", "skipped", "escalated", "drafted", "quarantined", "failed"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one identity of an event.

    Attributes:
        reason: why, in the code's own words (`own_comment`, `duplicate_text`, a guard's name, ...).
        checks: the checks that ran on the model's answer; those that failed end in `!`.
        memory_ids: what stood in the prompt: ids of turns, facts, passages.
        cited: those of them that the model says it used.
        said: SHA-256 of the answer's text, empty where there was none.
    """

    bot: str
    outcome: Outcome
    reason: str = ""
    verb: str = ""
    checks: Sequence[str] = ()
    memory_ids: Sequence[str] = ()
    cited: Sequence[str] = ()
    usage: Usage = field(default_factory=Usage)
    cost_usd: Decimal = Decimal(0)
    model: str = ""
    model_calls: int = 0
    said: str = ""

    def to_item(self, now: datetime, figures: Mapping[str, Any]) -> Item:
        """Return the decision as it stands in the ledger."""
        item: Item = {
            "bot": self.bot,
            "outcome": self.outcome,
            "at": iso(now),
            **{name: value for name, value in figures.items() if value},
        }
        for name, value in (
            ("reason", self.reason),
            ("verb", self.verb),
            ("checks", list(self.checks)),
            ("memory_ids", list(self.memory_ids)),
            ("cited", list(self.cited)),
            ("model", self.model),
            ("model_calls", self.model_calls),
            ("said", self.said),
            ("cost_usd", str(self.cost_usd) if self.cost_usd else ""),
        ):
            if value:
                item[name] = value
        if self.usage != Usage():
            item["tokens"] = {"input": self.usage.input, "output": self.usage.output}
            if self.usage.cache_read or self.usage.cache_write:
                item["tokens"] |= {"cache_read": self.usage.cache_read, "cache_write": self.usage.cache_write}
        return item


_BY_STATE: dict[str, tuple[Outcome, str]] = {
    State.FAILED: ("failed", "refused by the far end"),
    State.GONE: ("skipped", "gone"),
    State.UNKNOWN: ("failed", "outcome unknown: a person decides (onthoud outbox list)"),
    State.PLANNED: ("drafted", ""),
}


def view(event_id: str, stored: Mapping[str, Any], reply: Item | None) -> dict[str, Any]:
    """Return a decision as people read it: the stored one, with what became of its message since."""
    outcome, reason = stored["outcome"], stored.get("reason", "")
    state = reply.get("state") if reply is not None else None
    if outcome in {"replied", "confirmed", "drafted"} and state in _BY_STATE:
        outcome, why = _BY_STATE[state]
        failure, hold = (reply or {}).get("failure"), (reply or {}).get("hold")
        # What holds it back now, not what an earlier try met with; `retry` is no reason of its own.
        reason = (hold if hold != RETRY else None) or failure or hold or why or reason
    if outcome in {"drafted", "escalated"} and state == State.SENT:
        outcome = "confirmed" if stored["bot"] == "booking" else "replied"
    return {
        "event_id": event_id,
        "bot": stored["bot"],
        "outcome": outcome,
        "reason": reason,
        "verb": stored.get("verb", ""),
        "checks": stored.get("checks", []),
        "memory_ids": stored.get("memory_ids", []),
        "cited": stored.get("cited", []),
        "model": stored.get("model", ""),
        "model_calls": stored.get("model_calls", 0),
        "tokens": stored.get("tokens", {"input": 0, "output": 0}),
        "cost_usd": float(stored.get("cost_usd", 0)),
        "reads": stored.get("reads", 0),
        "writes": stored.get("writes", 0),
        "units": {"read": float(stored.get("ru", 0)), "write": float(stored.get("wu", 0))},
        "at": stored["at"],
        "state": state,
    }


def of_event(table: Table, space: Space, event_id: str, now: datetime) -> list[dict[str, Any]]:
    """Return all decisions about an event id, oldest first, quarantined deliveries of it included."""
    records: list[Item] = []
    after: Key | None = None
    while True:
        page = table.query(event_partition(space, event_id), after=after)
        records += [item for item in page.items if item.get("expires_at", 0) > epoch(now)]
        if page.next is None:
            break
        after = page.next
    found = views(table, records)
    found += [one for one in quarantined_views(table, space, now) if one["event_id"] == event_id]
    return sorted(found, key=lambda one: one["at"])


def views(table: Table, records: Sequence[Item]) -> list[dict[str, Any]]:
    """Return the decisions of ledger records, with what became of their messages."""
    wanted = sorted({key for item in records if (key := place(item, "reply")) is not None})
    read: dict[Key, Item] = {}
    for start in range(0, len(wanted), 100):
        read |= table.get_many(wanted[start : start + 100])
    found = []
    for item in records:
        key = place(item, "reply")
        reply = read.get(key) if key is not None else None
        for name, stored in item["decisions"].items():
            mine = reply if item.get("reply_for", name) == name else None
            found.append(view(item["event_id"], stored, mine) | {"channel": keys.split(item["sk"])[1]})
    return found


def quarantined_views(table: Table, space: Space, now: datetime) -> list[dict[str, Any]]:
    """Return the decisions that quarantined messages amount to."""
    return [
        view(
            item.get("event_id") or item["message_id"],
            {"bot": item["bot"], "outcome": "quarantined", "reason": item["reason"], "at": item["created_at"]},
            None,
        )
        for item in quarantined(table, space, now)
    ]
