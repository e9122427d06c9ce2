"""Attempts: how often work on a message was really begun.

SQS counts receives, and a receive is not an attempt: a message that is returned because the head of its group failed,
or because the invocation ran out of time, was never begun. So the queue's own maxReceiveCount is only a high ceiling,
and this count decides. It costs nothing on the normal path: the first receive writes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from onthoud import keys
from onthoud.clock import epoch, iso
from onthoud.ports.table import Item, Key, Table, Update
from onthoud.privacy.registry import Store, nothing_personal
from onthoud.scope import Space

KIND = "attempts"
VERSION = 1
KEPT_DAYS = 15

STORE = Store(
    KIND,
    holds="how often work on a message that came back was begun, and its last failure",
    retention=f"{KEPT_DAYS} days (TTL)",
    erase=nothing_personal,
)


@dataclass(frozen=True, slots=True)
class Attempts:
    """The count of one queue message (by SQS's message id: it is the delivery that is counted, not the event)."""

    table: Table
    space: Space
    message_id: str

    @property
    def key(self) -> Key:
        """Where the count lies."""
        return Key(keys.join("attempts", self.space.tenant, self.space.context, self.message_id), "count")

    def read(self) -> Item:
        """Return the count's item, empty where nothing was ever counted."""
        return self.table.get_many([self.key]).get(self.key, {})

    def begin(self, now: datetime) -> None:
        """Count that work is begun once more; only for a message that was received before."""
        self._write(now, add={"begun": 1})

    def advanced(self, now: datetime) -> None:
        """Take the last beginning back: part of the work was done, and time alone ended it."""
        self._write(now, add={"begun": -1})

    def failed(self, now: datetime, reason: str) -> None:
        """Keep the reason of a failure, for the dead letter."""
        self._write(now, set={"reason": reason[:300], "failed_at": iso(now)})

    def _write(self, now: datetime, *, set: dict[str, str] | None = None, add: dict[str, int] | None = None) -> None:
        self.table.write(
            Update(
                self.key,
                set={
                    "kind": KIND,
                    "v": VERSION,
                    "expires_at": epoch(now + timedelta(days=KEPT_DAYS)),
                    **(set or {}),
                },
                set_once={"created_at": iso(now)},
                add=add or {},
            )
        )
