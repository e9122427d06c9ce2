"""The ledger: one record per platform event, which finds duplicates long after window and queues have forgotten.

It holds ids, hashes and figures, never words. An event's identity is what the platform says happened (for a comment:
id, verb, the text's hash); each identity is decided once, and the decision stands in the record.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from onthoud import keys
from onthoud.clock import epoch, iso
from onthoud.ports.table import Compare, Item, Key, Missing, Put, When
from onthoud.privacy.registry import Store, nothing_personal
from onthoud.scope import Space
from onthoud.settings import LEDGER_DAYS

KIND = "event"
VERSION = 1

STORE = Store(
    KIND,
    holds="per event: its identities, what was decided and why, costs, and where the reply lies; ids and hashes only",
    retention=f"{LEDGER_DAYS} days, longer than queues and dead letters can bring an event back (TTL)",
    erase=nothing_personal,
)


@dataclass(frozen=True, slots=True)
class EventRef:
    """The platform's name for what happened: unique within (channel, account) for its kind (`comment`, `booking`)."""

    space: Space
    kind: str
    channel: str
    account: str
    event_id: str

    @property
    def key(self) -> Key:
        """The key of the event's record."""
        return Key(
            event_partition(self.space, self.event_id),
            keys.join(self.kind, self.channel, self.account, limit=keys.MAX_SORT_KEY_BYTES),
        )

    @classmethod
    def of_key(cls, key: Key) -> EventRef:
        """Read a reference back from the key of its record."""
        _, tenant, context, event_id = keys.split(key.pk)
        kind, channel, account = keys.split(key.sk)
        return cls(Space(tenant, context), kind, channel, account, event_id)

    def idempotency_key(self, purpose: str) -> str:
        """Return the key that every attempt at one effect of this event carries: 40 characters, the same for ever."""
        name = "\n".join([self.key.pk, self.key.sk, purpose])
        return f"{purpose[:7]}-{hashlib.sha256(name.encode()).hexdigest()[:32]}"


def event_partition(space: Space, event_id: str) -> str:
    """Return the partition of all records of an event id, whichever account it is of."""
    return keys.join("event", space.tenant, space.context, event_id)


def identity(*parts: str) -> str:
    """Return a short name for one identity of an event (`created` and the text's hash, say)."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def place(item: Item, what: str) -> Key | None:
    """Return where the event's `reply` or `turn` lies; its partition is the customer's unless the record says else."""
    if f"{what}_sk" not in item:
        return None
    return Key(item.get(f"{what}_pk") or item["customer"], item[f"{what}_sk"])


def placed(what: str, key: Key, customer: str | None) -> dict[str, str | None]:
    """Return the fields of the record that say where `what` lies; see `place`."""
    return {f"{what}_pk": None if key.pk == customer else key.pk, f"{what}_sk": key.sk}


@dataclass(frozen=True, slots=True)
class Record:
    """An event's record as read; `item` is None for an event that was never seen."""

    ref: EventRef
    item: Item | None

    @property
    def decisions(self) -> dict[str, dict[str, Any]]:
        """The decisions, by identity."""
        return dict(self.item["decisions"]) if self.item else {}

    @property
    def reply(self) -> Key | None:
        """Where the event's outgoing message lies, if one was ever stored."""
        return place(self.item, "reply") if self.item else None

    def supersedes(self, message: Key) -> bool:
        """Say whether a stored message is not the event's any more: a later version of a booking has its own."""
        return self.item is not None and self.ref.kind == "booking" and self.reply != message

    def get(self, name: str) -> Any:
        """Return a field of the record, None where it has none."""
        return self.item.get(name) if self.item else None

    @property
    def unchanged(self) -> When:
        """The condition that nobody has written the record since it was read.

        worker A            worker B (the same event, delivered twice)
        reads rev 0         reads rev 0
        model, ...          model, ...
        writes rev 1        -
                            writes rev 1: refused, reads again, finds the decision, is a duplicate
        """
        return (Missing("pk"),) if self.item is None else (Compare("rev", "=", self.item["rev"]),)

    def decided(self, name: str, decision: dict[str, Any], now: datetime, **changes: Any) -> Put:
        """Return the write that adds a decision (and fields of the record); a field set to None goes away."""
        item: Item = {
            "kind": KIND,
            "v": VERSION,
            "created_at": iso(now),
            **(self.item or {}),
            **{field: value for field, value in changes.items() if value is not None},
            "pk": self.ref.key.pk,
            "sk": self.ref.key.sk,
            "event_id": self.ref.event_id,
            "rev": (self.item["rev"] if self.item else 0) + 1,
            "decisions": {**self.decisions, name: decision},
            "expires_at": epoch(now + timedelta(days=LEDGER_DAYS)),
        }
        for field, value in changes.items():
            if value is None:
                item.pop(field, None)
        return Put(item, when=self.unchanged)
