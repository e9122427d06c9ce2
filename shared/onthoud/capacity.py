"""What DynamoDB charges, by its documented rules.

Sources: "DynamoDB item sizes and formats" and "Read and write capacity unit consumption" in the DynamoDB developer
guide. A write unit covers 1 KB of the larger of the item before and after; a read unit covers 4 KB read consistently;
a transaction costs double. Used where an event's cost must be in the very write that it describes, and in tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from onthoud.ports.table import Action, Delete, Item, Key, Put, Update

MAX_ITEM_BYTES = 400 * 1024
"""DynamoDB's limit for an item, names included."""


def value_size(value: Any) -> int:
    """Return the bytes that a value takes."""
    match value:
        case None | bool():
            return 1
        case str():
            return len(value.encode("utf-8", "surrogatepass"))
        case bytes():
            return len(value)
        case int() | float() | Decimal():
            # About 1 byte per two significant digits, plus one, plus one for the sign.
            digits = str(value).strip("-").replace(".", "").strip("0") or "0"
            return (len(digits) + 1) // 2 + 1 + (1 if str(value).startswith("-") else 0)
        case Mapping():
            return 3 + sum(len(name.encode()) + value_size(inner) + 1 for name, inner in value.items())
        case _:
            return 3 + sum(value_size(inner) + 1 for inner in value)


def item_size(item: Mapping[str, Any] | None) -> int:
    """Return the bytes that an item takes, attribute names included; 0 for none."""
    return sum(len(name.encode()) + value_size(value) for name, value in (item or {}).items())


def write_units(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> int:
    """Return the units of one plain write."""
    return max(1, -(-max(item_size(before), item_size(after)) // 1024))


def index_units(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> int:
    """Return the units of keeping the sparse state index: one for an entry that comes, one for an entry that goes."""
    was = ((before or {}).get("state_pk"), (before or {}).get("state_sk"))
    is_now = ((after or {}).get("state_pk"), (after or {}).get("state_sk"))
    if was == is_now:
        return 0
    return (1 if was[0] is not None else 0) + (1 if is_now[0] is not None else 0)


def read_units(sizes: Iterable[int]) -> float:
    """Return the units of consistently reading items of these sizes one by one (a missing item counts one unit)."""
    return float(sum(max(1, -(-size // 4096)) for size in sizes))


def query_units(sizes: Iterable[int], *, consistent: bool = True) -> float:
    """Return the units of a query that reads items of these sizes: their sum counts, and nothing found costs a unit."""
    units = float(max(1, -(-sum(sizes) // 4096)))
    return units if consistent else units / 2


def applied(action: Update, before: Item | None) -> Item:
    """Return the item as `action` leaves it."""
    after: Item = {"pk": action.key.pk, "sk": action.key.sk, **(before or {})}
    for name, value in action.set_once.items():
        after.setdefault(name, value)
    after.update(action.set)
    for name, amount in action.add.items():
        after[name] = after.get(name, 0) + amount
    for name in action.remove:
        after.pop(name, None)
    return after


def transact_units(actions: Iterable[Action], existing: Mapping[Key, Item]) -> int:
    """Return the units of a write transaction, given the items that were there before."""
    total = 0
    for action in actions:
        before = existing.get(action.key)
        after: Mapping[str, Any] | None = before
        if isinstance(action, Put):
            after = action.item
        elif isinstance(action, Update):
            after = applied(action, before)
        elif isinstance(action, Delete):
            after = None
        total += 2 * write_units(before, after) + index_units(before, after)
    return total
