"""Identity links: two customers of different channels are one person only where somebody said so.

Each side keeps the link in one item of its own partition, so that a bot finds it in the round trip in which it reads
the rest, and so that erasing either side takes it away from both. A link says who made it, when and why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from onthoud.clock import Clock, iso
from onthoud.errors import Conflict, PermanentError
from onthoud.memory.profile import unchanged
from onthoud.ports.table import Delete, Item, Key, Put, Table
from onthoud.privacy.registry import Estate, Store
from onthoud.scope import Scope

KIND: Final = "identities"
MAX_LINKS = 20
"""The most identities that one is linked to directly."""
TRIES = 5


@dataclass(frozen=True, slots=True)
class Link:
    """One link as one side knows it, with its provenance (`at` is ISO 8601, UTC)."""

    other: Scope
    by: str
    reason: str
    at: str


def identities_key(scope: Scope) -> Key:
    """Return where a customer's links lie."""
    return Key(scope.partition, KIND)


def links_of(item: Mapping[str, Any] | None) -> tuple[Link, ...]:
    """Read the links of an item that was read; none where there is no item."""
    links = [] if item is None else item["links"].items()
    return tuple(
        Link(Scope.of_partition(partition), entry["by"], entry["reason"], entry["at"]) for partition, entry in links
    )


class Identities:
    """The links in the table."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def links(self, scope: Scope) -> tuple[Link, ...]:
        """Read the links that a customer is one end of."""
        key = identities_key(scope)
        return links_of(self._table.get_many([key]).get(key))

    def person(self, scope: Scope) -> tuple[Scope, ...]:
        """Return all identities of the person, the given one first: links count across several steps."""
        found, edge = [scope], [scope]
        while edge:
            keys = [identities_key(one) for one in edge]
            items = self._table.get_many(keys)
            edge = [link.other for key in keys for link in links_of(items.get(key)) if link.other not in found][
                : 100 - len(found)
            ]
            edge = list(dict.fromkeys(edge))
            found.extend(edge)
        return tuple(found)

    def link(self, one: Scope, other: Scope, *, by: str, reason: str) -> None:
        """Say that two identities are one person. Saying it again changes nothing.

        Raises:
            PermanentError: the two are the same, belong to different tenants or contexts, or have too many links.
        """
        if one == other:
            raise PermanentError("an identity cannot be linked to itself")
        if one.space != other.space:
            raise PermanentError("identities of different contexts cannot be linked")
        entry = {"by": by, "reason": reason, "at": iso(self._clock.now())}

        def with_link(links: dict[str, Any], partition: str) -> dict[str, Any]:
            if len(links) >= MAX_LINKS and partition not in links:
                raise PermanentError(f"an identity has {MAX_LINKS} links already")
            return {partition: entry} | links

        self._change((one, other), with_link)

    def unlink(self, one: Scope, other: Scope) -> bool:
        """Undo a link; return whether there was one."""
        linked = any(link.other == other for link in self.links(one))

        def without(links: dict[str, Any], partition: str) -> dict[str, Any]:
            return {known: entry for known, entry in links.items() if known != partition}

        self._change((one, other), without)
        return linked

    def _change(self, ends: Sequence[Scope], change: Callable[[dict[str, Any], str], dict[str, Any]]) -> None:
        keys = [identities_key(end) for end in ends]
        for attempt in range(TRIES):
            items = self._table.get_many(keys)
            writes = [
                self._write(key, items.get(key), change(dict((items.get(key) or {"links": {}})["links"]), other.pk))
                for key, other in zip(keys, reversed(keys), strict=True)
            ]
            try:
                actions = [write for write in writes if write is not None]
                if actions:
                    self._table.transact(actions)
            except Conflict:
                if attempt == TRIES - 1:
                    raise
            else:
                return

    def _write(self, key: Key, before: Item | None, links: dict[str, Any]) -> Put | Delete | None:
        """Return the write that leaves `links`; it holds only while the item is as it was read."""
        # link A-B             unlink A-C
        # read A {C}           read A {C}
        #                      write A {}
        # write A {B, C}   <-  would bring C back: the condition refuses it
        still = unchanged(before)
        if not links:
            return None if before is None else Delete(key, still)
        item: Item = {
            "pk": key.pk,
            "sk": key.sk,
            "kind": KIND,
            "v": 1,
            "created_at": iso(self._clock.now()) if before is None else before["created_at"],
            "rev": 1 if before is None else before["rev"] + 1,
            "links": links,
        }
        return Put(item, still)


def _forget(estate: Estate, scope: Scope) -> int:
    """Take a customer's links away from both ends; return how many items that changed."""
    identities = Identities(estate.table, estate.clock)
    links = identities.links(scope)
    for link in links:
        identities.unlink(scope, link.other)
    return len(links) + 1 if links else 0


STORE = Store(
    KIND,
    holds="which other identities a customer has been linked to, by whom, when and why",
    retention="until the link is undone, or either end is erased",
    erase=_forget,
)
