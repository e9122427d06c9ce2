"""Erasing a customer: every store, with a receipt of counts that is proven by reading back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from onthoud.clock import epoch, iso
from onthoud.errors import RetryableError
from onthoud.memory.head import KIND as HEAD
from onthoud.memory.head import TOMBSTONE_DAYS, VERSION, head_key
from onthoud.ports.table import Delete, Key, Update
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
    tombstone = Update(
        head_key(scope),
        set={
            "kind": HEAD,
            "v": VERSION,
            "erased_at": iso(now),
            "window_until": 0,
            "expires_at": epoch(now + timedelta(days=TOMBSTONE_DAYS)),
        },
        set_once={"created_at": iso(now)},
        remove=("first_seen", "last_activity", "replies", "name"),
    )
    counts: dict[str, int] = {}
    estate.table.write(tombstone)
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
