"""The table port in memory, for unit tests and simulations. `tests/integration/test_table_conformance.py` holds it
to the same behaviour as the DynamoDB adapter on the engine."""

from __future__ import annotations

import copy
import threading
from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from typing import Any

from onthoud import capacity
from onthoud.errors import Conflict
from onthoud.ports.table import (
    Action,
    AnyOf,
    Check,
    Compare,
    Condition,
    Delete,
    Exists,
    Item,
    Key,
    Meter,
    Missing,
    Page,
    Put,
    Update,
)

_OPS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def holds(condition: Condition, item: Item | None) -> bool:
    present = item or {}
    match condition:
        case Exists(name):
            return name in present
        case Missing(name):
            return name not in present
        case Compare(name, op, value):
            # As in DynamoDB: `<>` holds for a missing attribute, every other comparison does not.
            if name not in present:
                return op == "<>"
            same_kind = isinstance(present[name], str) == isinstance(value, str)
            return _OPS[op](present[name], value) if same_kind or op in {"=", "<>"} else False
        case AnyOf(conditions):
            return any(holds(inner, item) for inner in conditions)


class MemoryTable:
    """`hook(operation, phase)` is called before and after each call, so that tests can kill or fail there."""

    def __init__(self, hook: Callable[[str, str], None] | None = None) -> None:
        self.items: dict[str, dict[str, Item]] = {}
        self.order: dict[str, list[str]] = {}
        self.calls: list[str] = []
        self.meter = Meter()
        self.hook = hook or (lambda operation, phase: None)
        self._lock = threading.RLock()

    # -- helpers for tests -------------------------------------------------------------------------------------------

    def all_items(self) -> list[Item]:
        return [copy.deepcopy(item) for part in self.items.values() for item in part.values()]

    def sweep(self, now_epoch: int) -> int:
        """Delete what has expired, as DynamoDB's TTL does late."""
        gone = [Key.of(item) for item in self.all_items() if item.get("expires_at", now_epoch + 1) <= now_epoch]
        for key in gone:
            self._delete(key)
        return len(gone)

    # -- the port ----------------------------------------------------------------------------------------------------

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        assert 0 < len(keys) <= 100 and len(set(keys)) == len(keys)
        with self._call("get_many"):
            found = {key: item for key in keys if (item := self._get(key)) is not None}
            self.meter.read(capacity.read_units(capacity.item_size(found.get(key)) for key in keys))
            return copy.deepcopy(found)

    def query(
        self,
        pk: str,
        *,
        prefix: str = "",
        newest_first: bool = False,
        limit: int | None = None,
        after: Key | None = None,
    ) -> Page:
        with self._call("query"):
            part = self.items.get(pk, {})
            names = [name for name in self.order.get(pk, []) if name.startswith(prefix)]
            if newest_first:
                names.reverse()
            if after is not None:
                names = [name for name in names if (name < after.sk if newest_first else name > after.sk)]
            chosen = names if limit is None else names[:limit]
            items = [copy.deepcopy(part[name]) for name in chosen]
            size = sum(capacity.item_size(item) for item in items)
            self.meter.read(max(1, -(-size // 4096)))
            more = limit is not None and len(names) > limit
            return Page(items, Key(pk, chosen[-1]) if more and chosen else None)

    def query_state(self, state: str, *, limit: int | None = None, after: Key | None = None) -> Page:
        with self._call("query_state"):
            rows = sorted(
                (item["state_sk"], item["pk"], item["sk"])
                for part in self.items.values()
                for item in part.values()
                if item.get("state_pk") == state and "state_sk" in item
            )
            if after is not None:
                behind = self._get(after)
                mark = (behind["state_sk"], after.pk, after.sk) if behind and "state_sk" in behind else ("", "", "")
                rows = [row for row in rows if row > mark]
            chosen = rows if limit is None else rows[:limit]
            items = [{"pk": pk, "sk": sk, "state_pk": state, "state_sk": at} for at, pk, sk in chosen]
            more = limit is not None and len(rows) > limit
            return Page(items, Key(chosen[-1][1], chosen[-1][2]) if more else None)

    def write(self, action: Put | Update | Delete) -> None:
        with self._call("write"):
            if not self._holds(action):
                raise Conflict("the condition of a write did not hold", failed=[0])
            self.meter.wrote(self._apply(action, 1))

    def transact(self, actions: Sequence[Action], *, token: str | None = None) -> None:
        assert 0 < len(actions) <= 100
        assert len({action.key for action in actions}) == len(actions), "two actions on one item"
        with self._call("transact"):
            failed = [position for position, action in enumerate(actions) if not self._holds(action)]
            if failed:
                raise Conflict("a condition of a transaction did not hold", failed=failed)
            self.meter.wrote(sum(self._apply(action, 2) for action in actions))

    # -- inside ------------------------------------------------------------------------------------------------------

    def _call(self, operation: str) -> _Call:
        return _Call(self, operation)

    def _get(self, key: Key) -> Item | None:
        return self.items.get(key.pk, {}).get(key.sk)

    def _holds(self, action: Action) -> bool:
        item = self._get(action.key)
        return all(holds(condition, item) for condition in action.when)

    def _put(self, item: Item) -> None:
        key = Key.of(item)
        assert capacity.item_size(item) < capacity.MAX_ITEM_BYTES / 2, "an item comes near the limit"
        part = self.items.setdefault(key.pk, {})
        order = self.order.setdefault(key.pk, [])
        if key.sk not in part:
            insort(order, key.sk)
        part[key.sk] = copy.deepcopy(item)

    def _delete(self, key: Key) -> None:
        part = self.items.get(key.pk, {})
        if part.pop(key.sk, None) is not None:
            order = self.order[key.pk]
            order.pop(bisect_left(order, key.sk))

    def _apply(self, action: Action, factor: int) -> int:
        before = copy.deepcopy(self._get(action.key))
        match action:
            case Put(item):
                self._put(item)
            case Update():
                self._put(capacity.applied(action, before))
            case Delete():
                self._delete(action.key)
            case Check():
                pass
        after = self._get(action.key)
        return factor * capacity.write_units(before, after) + capacity.index_units(before, after)


class _Call:
    """One call: atomic, counted, with the test's hook before and after."""

    def __init__(self, table: MemoryTable, operation: str) -> None:
        self._table, self._operation = table, operation

    def __enter__(self) -> None:
        self._table.hook(self._operation, "before")
        self._table._lock.acquire()
        self._table.calls.append(self._operation)

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._table._lock.release()
        if kind is None:
            self._table.hook(self._operation, "after")
