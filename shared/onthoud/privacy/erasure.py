"""Erasing a customer: every store, with a receipt of counts that is proven by reading back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from onthoud.clock import epoch, iso
from onthoud.errors import Conflict, RetryableError
from onthoud.memory.head import KIND as HEAD
from onthoud.memory.head import TOMBSTONE_DAYS, VERSION, head_key
from onthoud.ports.table import Delete, Exists, Key, Missing, Table, Update
from onthoud.privacy.registry import Estate, Registry
from onthoud.scope import Scope

PASSES = 3


@dataclass(frozen=True, slots=True)
class EraseReceipt:
    """What an erasure removed. `total` 0 means that nothing was there, which is not the same as success."""

    erased_at: str
    counts: dict[str, int]

    @property
    def total(self) -> int:
        """How many items went, in all stores."""
        return sum(self.counts.values())


def erase(estate: Estate, registry: Registry, scope: Scope) -> EraseReceipt:
    """Remove everything of a customer and leave a tombstone, so that a late message brings nothing back.

    The tombstone comes first: whatever is being written at this moment either is seen by the walk below, or is
    refused by the tombstone.

    Raises:
        RetryableError: something was still there when read back, since writes kept arriving; run it again.
    """
    now = estate.clock.now()
    counts: dict[str, int] = {}
    _entomb(estate.table, scope, now)
    for store in registry:
        _add(counts, store.kind, store.erase(estate, scope))
    for place in estate.outside:
        _add(counts, place.name, place.purge(scope))
    for _ in range(PASSES):
        left = _partition(estate, scope)
        if not left:
            return EraseReceipt(iso(now), counts)
        for key, kind in left:
            estate.table.write(Delete(key))
            _add(counts, kind, 1)
    if _partition(estate, scope):
        raise RetryableError("new items kept arriving while the customer was erased; run it again")
    return EraseReceipt(iso(now), counts)


def _entomb(table: Table, scope: Scope, now: datetime) -> None:
    """Turn the head into a tombstone. It ends by itself, unless the bot is stopped for the customer: a stop stays."""
    ends = {"expires_at": epoch(now + timedelta(days=TOMBSTONE_DAYS))}
    for _ in range(PASSES):
        for stopped in (False, True):
            tombstone = Update(
                head_key(scope),
                set={
                    "kind": HEAD,
                    "v": VERSION,
                    "erased_at": iso(now),
                    "window_until": 0,
                    **({} if stopped else ends),
                },
                set_once={"created_at": iso(now)},
                remove=("first_seen", "last_activity", "replies", "name", *(tuple(ends) if stopped else ())),
                when=(Exists("stopped_at") if stopped else Missing("stopped_at"),),
            )
            try:
                table.write(tombstone)
            except Conflict:
                continue  # the stop is not, or no longer, as supposed
            return
    raise RetryableError("the customer was stopped and let go on all the while; run it again")


def _partition(estate: Estate, scope: Scope) -> list[tuple[Key, str]]:
    """Return what lies in the customer's partition, the tombstone aside."""
    found: list[tuple[Key, str]] = []
    after: Key | None = None
    while True:
        page = estate.table.query(scope.partition, after=after)
        found += [(Key.of(item), item.get("kind", "unknown")) for item in page.items if item["sk"] != "head"]
        if page.next is None:
            return found
        after = page.next


def _add(counts: dict[str, int], name: str, amount: int) -> None:
    if amount:
        counts[name] = counts.get(name, 0) + amount
