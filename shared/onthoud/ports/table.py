"""The table port: one table of items under (`pk`, `sk`), written conditionally.

Conditions are data, not expressions, so that logic can be read, and so that an engine other than DynamoDB can keep
them. An item's values are `None`, `bool`, `int`, `Decimal`, `str`, `bytes`, lists and string-keyed dicts of these;
floats are converted by the adapter, NaN and infinities are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

Item: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """The address of an item."""

    pk: str
    sk: str

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> Key:
        """Return the key of an item that was read."""
        return cls(item["pk"], item["sk"])


# Conditions. All those of one action must hold (AND); `AnyOf` is the OR. `name` is a top-level attribute.


@dataclass(frozen=True, slots=True)
class Exists:
    """The attribute is there (`Exists("pk")`: the item is there)."""

    name: str


@dataclass(frozen=True, slots=True)
class Missing:
    """The attribute is not there (`Missing("pk")`: the item is not there)."""

    name: str


@dataclass(frozen=True, slots=True)
class Compare:
    """The attribute is there and `attribute <op> value` holds; `op` is one of `=`, `<>`, `<`, `<=`, `>`, `>=`."""

    name: str
    op: str
    value: Any


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of the conditions holds."""

    conditions: tuple[Condition, ...]


Condition: TypeAlias = Exists | Missing | Compare | AnyOf
When: TypeAlias = tuple[Condition, ...]


# Actions.


@dataclass(frozen=True, slots=True)
class Put:
    """Write the whole item, replacing one that is there unless a condition forbids."""

    item: Item
    when: When = ()

    @property
    def key(self) -> Key:
        """The key that is written."""
        return Key.of(self.item)


@dataclass(frozen=True, slots=True)
class Update:
    """Change attributes of an item, creating it unless a condition forbids.

    `set` replaces, `set_once` writes only where the attribute is missing, `add` adds to a number (a missing one counts
    as 0), `remove` takes attributes away.
    """

    key: Key
    set: Mapping[str, Any] = field(default_factory=dict)
    set_once: Mapping[str, Any] = field(default_factory=dict)
    add: Mapping[str, int] = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    when: When = ()


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove an item; removing what is not there is no error unless a condition says so."""

    key: Key
    when: When = ()


@dataclass(frozen=True, slots=True)
class Check:
    """Let the whole transaction depend on an item that it does not change."""

    key: Key
    when: When


Action: TypeAlias = Put | Update | Delete | Check


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a query. `next` continues behind its last item; None when there is no more."""

    items: list[Item]
    next: Key | None


@dataclass(slots=True)
class Meter:
    """What a table has been asked so far, in calls and capacity units."""

    reads: int = 0
    writes: int = 0
    read_units: float = 0.0
    write_units: float = 0.0

    def read(self, units: float) -> None:
        """Count one reading call."""
        self.reads += 1
        self.read_units += units

    def wrote(self, units: float) -> None:
        """Count one writing call."""
        self.writes += 1
        self.write_units += units

    def copy(self) -> Meter:
        """Return the figures as they are now."""
        return replace(self)

    def since(self, earlier: Meter) -> Meter:
        """Return what has come since."""
        return Meter(
            self.reads - earlier.reads,
            self.writes - earlier.writes,
            self.read_units - earlier.read_units,
            self.write_units - earlier.write_units,
        )


class Table(Protocol):
    """What Onthoud asks of its table. Reads are strongly consistent except those of the state index."""

    @property
    def meter(self) -> Meter:
        """What this table has been asked so far."""
        ...

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        """Read up to 100 items in one round trip; those that are not there are absent from the answer."""
        ...

    def query(
        self,
        pk: str,
        *,
        prefix: str = "",
        newest_first: bool = False,
        limit: int | None = None,
        after: Key | None = None,
    ) -> Page:
        """Read one page of a partition in sort-key order, where the sort key begins with `prefix`."""
        ...

    def query_state(self, state: str, *, limit: int | None = None, after: Key | None = None) -> Page:
        """Read one page of the keys of items in a state (`state_pk`), oldest `state_sk` first.

        The index is sparse and eventually consistent and holds keys only: an item without the two attributes is not in
        it. Read the item itself before acting on it.
        """
        ...

    def write(self, action: Put | Update | Delete) -> None:
        """Do one write.

        Raises:
            Conflict: its condition did not hold.
        """
        ...

    def transact(self, actions: Sequence[Action], *, token: str | None = None) -> None:
        """Do all of up to 100 actions on different items, or none.

        `token` (at most 36 characters) makes a repetition of the very same call within 10 minutes harmless.

        Raises:
            Conflict: a condition did not hold (`failed` says of which actions), or, after a few tries with `failed`
                empty, other transactions were in the way.
        """
        ...
