"""The head of a customer's memory: who is there since when, answered how often, and until when the window lives.

One small item per customer. It carries the two facts that must outlive the last ten turns (the customer was answered
before; the customer is stopped or was erased), and the window's end, which every activity moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from onthoud.clock import epoch, from_iso, iso
from onthoud.ports.table import AnyOf, Compare, Condition, Item, Key, Missing, Update
from onthoud.privacy.registry import Store, in_customer_partition
from onthoud.scope import Scope

KIND = "head"
VERSION = 1
TOMBSTONE_DAYS = 90
"""How long an erasure is remembered; longer than queues, dead letters and the ledger can bring an old event back."""

STORE = Store(
    KIND,
    holds="when a customer was first and last active, how many replies were sent, whether the bot is stopped for them",
    retention="ends with the window (HistoryDays after the last activity); a stop stays until it is lifted, an "
    f"erasure is remembered for {TOMBSTONE_DAYS} days",
    erase=in_customer_partition,
)


def _moment(item: Item, name: str) -> datetime | None:
    """Read a time that an erasure may have taken out just before somebody touched the head."""
    return from_iso(item[name]) if name in item else None


def head_key(scope: Scope) -> Key:
    """Return the key of a customer's head."""
    return Key(scope.partition, "head")


@dataclass(frozen=True, slots=True)
class Head:
    """What the head says, as of a moment.

    Attributes:
        alive: whether the window has not ended; if it has, the bot starts afresh.
        until: when it ends, in epoch seconds.
        first_seen: start of the present acquaintance; None for a new customer.
        replies: replies sent in it.
        stopped: the kill switch of this customer.
        erased_at: when the customer was last erased.
    """

    alive: bool = False
    until: int = 0
    first_seen: datetime | None = None
    last_activity: datetime | None = None
    replies: int = 0
    name: str = ""
    stopped: bool = False
    erased_at: datetime | None = None

    @classmethod
    def read(cls, item: Item | None, now: datetime) -> Head:
        """Read an item, filtering what has expired: DynamoDB deletes late."""
        if item is None:
            return cls()
        erased = item.get("erased_at")
        lasting = cls(stopped="stopped_at" in item, erased_at=from_iso(erased) if erased else None)
        if item.get("window_until", 0) <= epoch(now):
            return lasting
        return cls(
            alive=True,
            until=item["window_until"],
            first_seen=_moment(item, "first_seen"),
            last_activity=_moment(item, "last_activity"),
            replies=max(0, item.get("replies", 0)),
            name=item.get("name", ""),
            stopped=lasting.stopped,
            erased_at=lasting.erased_at,
        )

    def refuses(self, occurred_at: datetime) -> bool:
        """Say whether an event is from before the customer was erased, and must not bring anything back."""
        return self.erased_at is not None and occurred_at <= self.erased_at


def not_erased_since(occurred_at: datetime) -> Condition:
    """Return the condition that no erasure has come after the event."""
    return AnyOf((Missing("erased_at"), Compare("erased_at", "<", iso(occurred_at))))


def not_stopped() -> Condition:
    """Return the condition that the bot is not stopped for this customer."""
    return Missing("stopped_at")


def touched(scope: Scope, head: Head, now: datetime, *, history: timedelta, replies: int = 0, name: str = "") -> Update:
    """Return the write that records activity: the window's end moves, and only ever later.

    After an ended window the counters start afresh, on purpose.
    """
    until = max(head.until, epoch(now + history))
    keep_until = until
    if head.erased_at is not None:
        keep_until = max(until, epoch(head.erased_at + timedelta(days=TOMBSTONE_DAYS)))
    changes: dict[str, Any] = {"kind": KIND, "v": VERSION, "last_activity": iso(now), "window_until": until}
    if name:
        changes["name"] = name
    if not head.stopped:
        changes["expires_at"] = keep_until
    if head.alive:
        return Update(head_key(scope), set=changes, set_once={"created_at": iso(now)}, add={"replies": replies})
    changes |= {"first_seen": iso(now), "replies": replies, "created_at": iso(now)}
    forget_name = () if name else ("name",)
    return Update(head_key(scope), set=changes, remove=forget_name)
