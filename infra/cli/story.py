"""The story of an event, put together from the ledger, the outbox and the quarantine; `explain` prints it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from infra.cli.entries import as_dict
from infra.cli.reasons import UNKNOWN, in_words
from onthoud import keys
from onthoud.clock import epoch
from onthoud.delivery import decisions
from onthoud.delivery.ledger import EventRef, event_partition, place
from onthoud.delivery.outbox import Entry, State
from onthoud.delivery.quarantine import quarantined
from onthoud.delivery.threads import thread_id
from onthoud.ports.table import Item, Key
from onthoud.scope import Scope

if TYPE_CHECKING:
    from onthoud.runtime import Runtime


BOOKING = ("status", "replaces", "replaced_by", "moved", "held", "clash")
"""What a booking's record says of its state."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which event: its id, and the channel and account where several have the same id."""

    event_id: str
    channel: str = ""
    account: str = ""

    def means(self, ref: EventRef) -> bool:
        """Say whether an event is meant."""
        return self.channel in ("", ref.channel) and self.account in ("", ref.account)


def stories(runtime: Runtime, asked: Asked) -> list[dict[str, Any]]:
    """Return the stories of all events with this id, quarantined deliveries last. One query, one read, no scan."""
    now = runtime.clock.now()
    found = [_story(runtime, item, now) for item in _records(runtime, asked, now)]
    return found + list(_quarantined(runtime, asked, now))


# -- inside ----------------------------------------------------------------------------------------------------------


def _records(runtime: Runtime, asked: Asked, now: datetime) -> Iterator[Item]:
    after: Key | None = None
    while True:
        page = runtime.table.query(event_partition(runtime.settings.space, asked.event_id), after=after)
        for item in page.items:
            if item.get("expires_at", 0) > epoch(now) and asked.means(EventRef.of_key(Key.of(item))):
                yield item
        if page.next is None:
            return
        after = page.next


def _story(runtime: Runtime, item: Item, now: datetime) -> dict[str, Any]:
    ref = EventRef.of_key(Key.of(item))
    reply = _read(runtime, item, "reply", now)
    turn = _read(runtime, item, "turn", now)
    told = []
    for name, stored in item["decisions"].items():
        mine = reply if item.get("reply_for", name) == name else None
        told.append(_decision(ref.event_id, stored, mine))
    entry = Entry.of_item(reply) if reply is not None else None
    thread = entry.thread if entry is not None else (turn or {}).get("thread", "")
    return {
        "event_id": ref.event_id,
        "kind": ref.kind,
        "channel": ref.channel,
        "account_id": ref.account,
        "customer": _customer(item),
        "thread": thread_id(thread) if thread else None,
        "occurred_at": item.get("created_on"),
        "deleted_at": item.get("deleted_at"),
        "first_seen_at": item["created_at"],
        "state": {name: item[name] for name in BOOKING if item.get(name) not in (None, "", [])},
        "remembered": {"text": turn["content"], "at": turn["timestamp"]} if turn is not None else None,
        "decisions": sorted(told, key=lambda one: str(one["at"])),
        "message": as_dict(entry, now) if entry is not None else None,
        "message_gone": entry is None and place(item, "reply") is not None,
    }


def _decision(event_id: str, stored: Mapping[str, Any], reply: Item | None) -> dict[str, Any]:
    shown = decisions.view(event_id, stored, reply)
    return {**shown, "decided": {"outcome": stored["outcome"], "reason": stored.get("reason", "")}, "why": _why(shown)}


def _why(shown: Mapping[str, Any]) -> str:
    if shown["state"] == State.UNKNOWN:
        return in_words(UNKNOWN)  # what a person must do matters more than the failure that led to it
    if shown["reason"]:
        return in_words(shown["reason"])
    if shown["state"] == State.SENT:
        return "it was answered, and the channel has taken the answer"
    if shown["state"] == State.SENDING:
        return "the answer is on its way; the sweeper finishes it if its worker has died"
    return ""


def _read(runtime: Runtime, item: Item, what: str, now: datetime) -> Item | None:
    key = place(item, what)
    if key is None:
        return None
    found = runtime.table.get_many([key]).get(key)
    return found if found is not None and found.get("expires_at", epoch(now) + 1) > epoch(now) else None


def _customer(item: Item) -> str | None:
    reply = place(item, "reply")
    partition = item.get("customer") or (reply.pk if reply is not None else "")
    return Scope.of_partition(partition).name if keys.split(partition)[0] == "customer" else None


def _quarantined(runtime: Runtime, asked: Asked, now: datetime) -> Iterator[dict[str, Any]]:
    for item in quarantined(runtime.table, runtime.settings.space, now):
        if asked.event_id in (item.get("event_id"), item["message_id"]):
            yield {
                "event_id": item.get("event_id") or item["message_id"],
                "kind": "quarantined message",
                "queue": item["queue"],
                "message_id": item["message_id"],
                "bot": item["bot"],
                "reason": item["reason"],
                "at": item["created_at"],
            }
