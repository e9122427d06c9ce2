"""Semantic memory of a customer: the profile, one item, read in one consistent read.

Every value carries its source and its time. A profile of 4 KB costs one read unit. The booking bot reads it beside
what else it needs, in the same round trip: `profile_key` and `CustomerProfile.of_item` are enough for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

from onthoud.capacity import item_size
from onthoud.clock import Clock, iso
from onthoud.errors import Conflict, PermanentError
from onthoud.ports.table import Compare, Delete, Item, Key, Missing, Put, Table, When
from onthoud.privacy.registry import Store, in_customer_partition
from onthoud.scope import Scope

KIND: Final = "profile"
MAX_BYTES = 16 * 1024
"""The most that one profile may hold; the item is read with every booking."""
TRIES = 5

STORE = Store(
    KIND,
    holds="what is known of a customer: name, language, courts, level, remarks, own fields, each with its source",
    retention="until the operator or the customer removes it, or the customer is erased",
    erase=in_customer_partition,
)

Source: TypeAlias = Literal["operator", "booking", "said", "inferred"]
Level: TypeAlias = Literal["beginner", "intermediate", "advanced"]
Visibility: TypeAlias = Literal["public", "staff"]
AnyValue = TypeVar("AnyValue")
Redact: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Value(Generic[AnyValue]):
    """One value with where it comes from and since when it stands there (ISO 8601, UTC)."""

    value: AnyValue
    source: Source
    at: str


@dataclass(frozen=True, slots=True)
class Note:
    """A remark. Only `public` ones may ever reach a prompt that is written for the customer."""

    text: str
    visibility: Visibility
    source: Source
    at: str


@dataclass(frozen=True, slots=True)
class CustomerProfile:
    """What is known of a customer. `own` are the operator's own fields; all are optional."""

    name: Value[str] | None = None
    language: Value[str] | None = None
    time_zone: Value[str] | None = None
    preferred_courts: Value[tuple[str, ...]] | None = None
    experience_level: Value[Level] | None = None
    notes: tuple[Note, ...] = ()
    own: Mapping[str, Value[Any]] = field(default_factory=dict)

    @property
    def public_notes(self) -> tuple[str, ...]:
        """The remarks that the customer may see."""
        return tuple(note.text for note in self.notes if note.visibility == "public")

    @property
    def staff_notes(self) -> tuple[str, ...]:
        """The remarks that no customer may ever see."""
        return tuple(note.text for note in self.notes if note.visibility == "staff")

    def over(self, other: CustomerProfile) -> CustomerProfile:
        """Return this profile with what it lacks taken from `other`, the same person's under another identity."""
        return CustomerProfile(
            **{name: getattr(self, name) or getattr(other, name) for name in SINGLE},
            notes=(*self.notes, *(note for note in other.notes if note not in self.notes)),
            own={**other.own, **self.own},
        )

    def plain(self) -> dict[str, Any]:
        """Return the values without source and time, as a person or a script writes them."""
        shown: dict[str, Any] = {
            name: _bare(getattr(self, name).value) for name in SINGLE if getattr(self, name) is not None
        }
        if self.notes:
            shown["notes"] = [{"text": note.text, "visibility": note.visibility} for note in self.notes]
        return shown | {name: value.value for name, value in self.own.items()}

    @classmethod
    def of_item(cls, item: Mapping[str, Any] | None) -> CustomerProfile:
        """Read a stored profile; an empty one where there is none."""
        if item is None:
            return cls()
        values = {name: Value(**value) for name, value in item["fields"].items()}
        courts = values.pop("preferred_courts", None)
        return cls(
            **{name: values[name] for name in SINGLE if name in values},
            preferred_courts=courts and replace(courts, value=tuple(courts.value)),
            notes=tuple(Note(**note) for note in item["notes"]),
            own={name: Value(**value) for name, value in item["own"].items()},
        )


SINGLE: Final = tuple(one.name for one in fields(CustomerProfile) if one.name not in {"notes", "own"})
"""The fields that hold one value."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be written: only what is named changes. `notes` replaces all of them, `more_notes` adds."""

    values: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[tuple[str, Visibility], ...] | None = None
    more_notes: tuple[tuple[str, Visibility], ...] = ()


def profile_key(scope: Scope) -> Key:
    """Return where a customer's profile lies."""
    return Key(scope.partition, KIND)


def unchanged(before: Item | None) -> When:
    """Return the condition that an item is still as it was read.

    The birth is part of it: an item that was removed and written anew begins to count at 1 again.
    """
    if before is None:
        return (Missing("pk"),)
    return (Compare("rev", "=", before["rev"]), Compare("created_at", "=", before["created_at"]))


class Profiles:
    """The profiles in the table."""

    def __init__(self, table: Table, clock: Clock, redact: Redact) -> None:
        self._table = table
        self._clock = clock
        self._redact = redact

    def get(self, scope: Scope) -> CustomerProfile:
        """Read a profile: one round trip, consistent, 1 unit per 4 KB."""
        key = profile_key(scope)
        return CustomerProfile.of_item(self._table.get_many([key]).get(key))

    def save(self, scope: Scope, changes: Changes, *, source: Source, afresh: bool = False) -> None:
        """Write changes over what is there, or in place of it (`afresh`).

        Raises:
            PermanentError: the profile would be too large.
            Conflict: others kept writing the same profile.
        """
        key = profile_key(scope)
        for attempt in range(TRIES):
            before = self._table.get_many([key]).get(key)
            try:
                self._table.write(self.put(scope, before, changes, source=source, afresh=afresh))
            except Conflict:
                if attempt == TRIES - 1:
                    raise
            else:
                return

    def save_many(self, rows: Sequence[tuple[Scope, Changes]], *, source: Source) -> list[str]:
        """Write up to 100 profiles: one round trip reads what is there, one transaction writes them all.

        A transaction costs twice the write units, and a hundredth of the round trips. Where somebody else is in its
        way, the rows are written one by one.

        Returns:
            For each row what is wrong with it, empty where it was written.
        """
        known = self._table.get_many(list(dict.fromkeys(profile_key(scope) for scope, _ in rows)))
        faults = [""] * len(rows)
        puts: dict[Key, Put] = {}
        singly: list[int] = []
        for position, (scope, changes) in enumerate(rows):
            key = profile_key(scope)
            try:
                put = self.put(scope, known.get(key), changes, source=source)
            except PermanentError as error:
                faults[position] = str(error)
                continue
            if key in puts:
                singly.append(position)  # the same customer once more: over what the first row has written
            else:
                puts[key] = put
        try:
            if puts:
                self._table.transact(list(puts.values()))
        except Conflict:
            singly = [position for position, fault in enumerate(faults) if not fault]
        for position in singly:
            self.save(*rows[position], source=source)
        return faults

    def put(self, scope: Scope, before: Item | None, changes: Changes, *, source: Source, afresh: bool = False) -> Put:
        """Return the write that brings `changes` over the item `before`; it holds only while that is still there.

        Raises:
            PermanentError: the profile would be too large.
        """
        now = iso(self._clock.now())
        base = None if afresh else before
        item: Item = {
            "pk": scope.partition,
            "sk": KIND,
            "kind": KIND,
            "v": 1,
            "created_at": now if before is None else before["created_at"],
            "updated_at": now,
            "rev": 1 if before is None else before["rev"] + 1,
            "fields": self._merged(base, "fields", changes.values, source, now),
            "own": self._merged(base, "own", changes.own, source, now),
            "notes": self._notes(base, changes, source, now),
        }
        if item_size(item) > MAX_BYTES:
            raise PermanentError(f"the profile would be larger than {MAX_BYTES // 1024} KB")
        return Put(item, unchanged(before))

    def delete(self, scope: Scope) -> None:
        """Remove a profile; one that is not there is no error."""
        self._table.write(Delete(profile_key(scope)))

    def _merged(
        self, base: Item | None, part: str, values: Mapping[str, Any], source: Source, now: str
    ) -> dict[str, Any]:
        merged: dict[str, Any] = dict(base[part]) if base else {}
        for name, value in values.items():
            clean = self._clean(value)
            # The same value again keeps its first source and time: they say where it was learned.
            if name not in merged or merged[name]["value"] != clean:
                merged[name] = {"value": clean, "source": source, "at": now}
        return merged

    def _notes(self, base: Item | None, changes: Changes, source: Source, now: str) -> list[dict[str, Any]]:
        kept: list[dict[str, Any]] = list(base["notes"]) if base else []
        if changes.notes is not None:
            wanted = {(self._redact(text), visibility) for text, visibility in changes.notes}
            kept = [note for note in kept if (note["text"], note["visibility"]) in wanted]
        known = {(note["text"], note["visibility"]) for note in kept}
        for text, visibility in (*(changes.notes or ()), *changes.more_notes):
            note = (self._redact(text), visibility)
            if note not in known:
                known.add(note)
                kept.append({"text": note[0], "visibility": visibility, "source": source, "at": now})
        return kept

    def _clean(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._redact(value)
        if isinstance(value, (list, tuple)):
            return [self._clean(one) for one in value]
        return value


def _bare(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
