"""Alerts and what the log remembers beside them, as items of the table and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from onthoud.clock import epoch, from_iso, iso
from onthoud.memory.alerts.fingerprint import Scalar
from onthoud.memory.alerts.model import Alert, Entry, Reported, Rules, SourceState
from onthoud.memory.alerts.news import NewsKind
from onthoud.memory.alerts.planning import Telling
from onthoud.memory.alerts.states import Announce, State
from onthoud.ports.table import Item

SCHEMA = 1
ALERT, CLOSED, HEAD, PLAN = "alert", "alert-closed", "alert-log", "alert-plan"
DETAILS = ("summary", "url", "group_title", "data", "history", "note", "owner", "mute_reason")
"""What a closed alert loses when it is no longer among the last hundred; its title becomes its key."""

_TIMES = ("ends_at", "surfaced_at", "resolved_at", "snoozed_until", "review_at")
_WORDS = ("summary", "url", "group", "group_title", "resolved_by", "about", "mute_reason", "note", "owner")


def alert_item(alert: Alert, now: datetime, rules: Rules) -> Item:
    """Return the item without its key."""
    item: Item = {
        "kind": CLOSED if alert.state is State.CLOSED else ALERT,
        "v": SCHEMA,
        "created_at": iso(alert.first_seen),
        "changed_at": iso(alert.changed_at),
        "key": alert.key,
        "source": alert.source,
        "alert_kind": alert.kind,
        "title": alert.title,
        "state": str(alert.state),
        "hash": alert.hash,
        "material": dict(alert.material),
        "declaration": alert.declaration,
        "present": alert.present,
        "seq": alert.seq,
        "times": alert.times,
        "version": alert.version,
        "announce": str(alert.announce),
    }
    item.update({name: iso(value) for name in _TIMES if (value := getattr(alert, name)) is not None})
    item.update({name: value for name in _WORDS if (value := getattr(alert, name))})
    optional = {
        "data": dict(alert.data),
        "absent_in": list(alert.absent_in),
        "reported": {name: _reported_item(memory) for name, memory in alert.reported.items()},
        "unsure": {name: _reported_item(memory) for name, memory in alert.unsure.items()},
        "history": [_entry_item(entry) for entry in alert.history],
    }
    item.update({name: value for name, value in optional.items() if value})
    if alert.state is State.CLOSED:
        item["expires_at"] = epoch((alert.resolved_at or now) + rules.tombstone_life)
    return item


def alert_of(item: Mapping[str, Any]) -> Alert:
    """Read an alert back."""
    return Alert(
        key=item["key"],
        source=item["source"],
        kind=item["alert_kind"],
        title=item["title"],
        state=State(item["state"]),
        hash=item["hash"],
        material=_scalars(item["material"]),
        declaration=int(item["declaration"]),
        first_seen=from_iso(item["created_at"]),
        changed_at=from_iso(item["changed_at"]),
        data=_scalars(item.get("data", {})),
        present=item["present"],
        absent_in=tuple(item.get("absent_in", ())),
        announce=Announce(item.get("announce", "")),
        seq=int(item["seq"]),
        times=int(item["times"]),
        reported={name: _reported_of(memory) for name, memory in item.get("reported", {}).items()},
        unsure={name: _reported_of(memory) for name, memory in item.get("unsure", {}).items()},
        history=tuple(_entry_of(entry) for entry in item.get("history", ())),
        version=int(item["version"]),
        **_optional(item),
    )


def _optional(item: Mapping[str, Any]) -> dict[str, Any]:
    times = {name: from_iso(item[name]) for name in _TIMES if name in item}
    return {**times, **{name: item[name] for name in _WORDS if name in item}}


def _scalars(values: Mapping[str, Any]) -> dict[str, Scalar]:
    return {
        name: value if value is None or isinstance(value, (str, bool)) else int(value) for name, value in values.items()
    }


def _reported_item(memory: Reported) -> Item:
    return {
        "hash": memory.hash,
        "material": dict(memory.material),
        "at": iso(memory.at),
        "run": memory.run,
        "closed": memory.closed,
        "seq": memory.seq,
        "reminders": memory.reminders,
    }


def _reported_of(item: Mapping[str, Any]) -> Reported:
    return Reported(
        hash=item["hash"],
        material=_scalars(item.get("material", {})),
        at=from_iso(item["at"]),
        run=item["run"],
        closed=item["closed"],
        seq=int(item["seq"]),
        reminders=int(item["reminders"]),
    )


def _entry_item(entry: Entry) -> Item:
    item = {"at": iso(entry.at), "what": entry.what, "by": entry.by}
    return {**item, "note": entry.note} if entry.note else item


def _entry_of(item: Mapping[str, Any]) -> Entry:
    return Entry(from_iso(item["at"]), item["what"], item["by"], item.get("note", ""))


# -- the log's head and its plans ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Head:
    """What the log remembers of itself: its sources, and which closed alerts still have their details."""

    sources: Mapping[str, SourceState] = field(default_factory=dict)
    closed: tuple[str, ...] = ()
    version: int = 0


def head_item(head: Head, created_at: datetime) -> Item:
    """Return the item without its key."""
    return {
        "kind": HEAD,
        "v": SCHEMA,
        "created_at": iso(created_at),
        "sources": {name: source_item(state) for name, state in head.sources.items()},
        "closed": list(head.closed),
        "version": head.version,
    }


def head_of(item: Mapping[str, Any] | None) -> Head:
    """Read the head; a log that was never written has an empty one."""
    if item is None:
        return Head()
    sources = {name: source_of(state) for name, state in item["sources"].items()}
    return Head(sources, tuple(item["closed"]), int(item["version"]))


def source_item(state: SourceState) -> Item:
    """Return what is remembered of a source as a map."""
    times = {"read_at": state.read_at, "tried_at": state.tried_at, "failing_since": state.failing_since}
    item: Item = {name: iso(value) for name, value in times.items() if value is not None}
    return {**item, "complete": state.complete, "error": state.error, "held": state.held}


def source_of(item: Mapping[str, Any]) -> SourceState:
    """Read back what is remembered of a source."""
    times = {name: from_iso(item[name]) for name in ("read_at", "tried_at", "failing_since") if name in item}
    return SourceState(complete=item["complete"], error=item["error"], held=int(item["held"]), **times)


def telling_item(telling: Telling) -> Item:
    """Return one telling of a plan as a map."""
    return {
        "key": telling.key,
        "news": str(telling.kind),
        "hash": telling.hash,
        "material": dict(telling.material),
        "seq": telling.seq,
        "closed": telling.closed,
        "reminders": telling.reminders,
    }


def telling_of(item: Mapping[str, Any]) -> Telling:
    """Read one telling back."""
    return Telling(
        key=item["key"],
        kind=NewsKind(item["news"]),
        hash=item["hash"],
        material=_scalars(item["material"]),
        seq=int(item["seq"]),
        closed=item["closed"],
        reminders=int(item["reminders"]),
    )
