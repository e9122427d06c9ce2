"""The registry of stores: every kind of item says what it holds, how long, and how a customer is erased from it.

Every item carries its `kind`. A test walks the table after the end-to-end runs and fails on a kind that is not here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from onthoud.clock import Clock
from onthoud.ports.table import Delete, Key, Table
from onthoud.scope import Scope, Space


class Purgeable(Protocol):
    """A place outside the table that can be cleared of a customer (dead-letter queues, an index, objects)."""

    @property
    def name(self) -> str:
        """What the receipt calls it."""
        ...

    def purge(self, scope: Scope) -> int:
        """Remove what is the customer's; return how much."""
        ...


@dataclass(frozen=True, slots=True)
class Estate:
    """All places where something of a customer may lie."""

    table: Table
    clock: Clock
    space: Space
    outside: Sequence[Purgeable] = ()


Eraser = Callable[[Estate, Scope], int]


def in_customer_partition(estate: Estate, scope: Scope) -> int:
    """Eraser of what lies in the customer's partition: `erasure.erase` deletes that as a whole, so nothing is left."""
    del estate, scope
    return 0


def nothing_personal(estate: Estate, scope: Scope) -> int:
    """Eraser of what holds ids, hashes and settings only, never a customer's words."""
    del estate, scope
    return 0


@dataclass(frozen=True, slots=True)
class Store:
    """One kind of item.

    Attributes:
        kind: the item's `kind` attribute.
        holds: what it holds, in a line that an operator understands.
        retention: how long it stays and by what it ends, in a line.
        erase: removes a customer from it and returns how many items that were.
    """

    kind: str
    holds: str
    retention: str
    erase: Eraser


class Registry:
    """All stores, by kind."""

    def __init__(self, stores: Iterable[Store]) -> None:
        self._stores: dict[str, Store] = {}
        for store in stores:
            if store.kind in self._stores:
                raise ValueError(f"two stores call themselves {store.kind}")
            self._stores[store.kind] = store

    def __iter__(self) -> Iterator[Store]:
        return iter(self._stores.values())

    def kinds(self) -> frozenset[str]:
        """Return the kinds that are registered."""
        return frozenset(self._stores)


def erase_where(estate: Estate, pk: str, belongs: Callable[[dict[str, object]], bool], *, prefix: str = "") -> int:
    """Delete the items of a partition that `belongs` picks; return how many."""
    count, after = 0, None
    while True:
        page = estate.table.query(pk, prefix=prefix, after=after)
        for item in page.items:
            if belongs(item):
                estate.table.write(Delete(Key.of(item)))
                count += 1
        if page.next is None:
            return count
        after = page.next
