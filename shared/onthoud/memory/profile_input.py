"""Profiles as they come in: from the operator's CSV or JSON, the command line, an interface. A pydantic edge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from zoneinfo import available_timezones

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from onthoud.errors import PermanentError
from onthoud.memory.profile import SINGLE, Changes, Level, Visibility, profile_key
from onthoud.scope import Scope, Space

MAX_OWN_FIELDS = 50
LANGUAGE = r"^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$"
ADDRESS = ("channel", "account_id", "customer_id")
LIST_SEPARATOR = ";"

Court = Annotated[str, StringConstraints(min_length=1, max_length=256, strip_whitespace=True)]


class NoteInput(BaseModel):
    """A remark. One that does not say who may read it is for the staff."""

    text: str = Field(min_length=1, max_length=2000)
    visibility: Visibility = "staff"


class ProfileInput(BaseModel):
    """A profile without sources and times. Unknown fields are the operator's own."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True, frozen=True)

    name: str | None = Field(default=None, min_length=1, max_length=200)
    language: str | None = Field(default=None, pattern=LANGUAGE, max_length=35)
    time_zone: str | None = None
    preferred_courts: list[Court] | None = Field(default=None, max_length=50)
    experience_level: Level | None = None
    notes: list[NoteInput] | None = Field(default=None, max_length=50)

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str | None) -> str | None:
        if value is not None and value not in available_timezones():
            raise PydanticCustomError("no_IANA_time_zone", "no IANA time zone")
        return value

    def changes(self) -> Changes:
        """Return what the input names; a field that is null or absent is left as it is.

        Raises:
            PermanentError: an own field cannot be kept.
        """
        own = {name: _own(name, value) for name, value in (self.model_extra or {}).items() if value is not None}
        if len(own) > MAX_OWN_FIELDS:
            raise PermanentError(f"more than {MAX_OWN_FIELDS} own fields")
        return Changes(
            values={name: value for name in SINGLE if (value := getattr(self, name)) is not None},
            own=own,
            notes=None if self.notes is None else tuple((note.text, note.visibility) for note in self.notes),
        )


def _own(name: str, value: Any) -> Any:
    simple = isinstance(value, (str, int, bool)) or (
        isinstance(value, list) and all(isinstance(one, (str, int, bool)) for one in value)
    )
    if not simple:
        raise PermanentError(f"{name}: an own field holds text, whole numbers, yes or no, or a list of these")
    return value


def profile_input(value: Mapping[str, Any]) -> ProfileInput:
    """Read a profile.

    Raises:
        PermanentError: names each field that is wrong; holds none of the content.
    """
    try:
        return ProfileInput.model_validate(value)
    except ValidationError as error:
        faults = [
            f"{'.'.join(str(part) for part in fault['loc'])}: {fault['type'].replace('_', ' ')}"
            for fault in error.errors(include_url=False, include_input=False, include_context=False)
        ]
        raise PermanentError("; ".join(faults)) from None


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a file: where it stands, and what it says or why it cannot be used."""

    position: int
    scope: Scope | None = None
    changes: Changes | None = None
    fault: str = ""


def read_rows(rows: Iterator[tuple[int, Any]], space: Space) -> Iterator[Row]:
    """Read rows of `channel`, `account_id`, `customer_id` and a profile's fields; a bad one harms no other.

    A row that could not even be taken apart comes as the `PermanentError` that says why.
    """
    for position, raw in rows:
        try:
            yield _row(position, raw, space)
        except PermanentError as error:
            yield Row(position, fault=str(error))


def _row(position: int, raw: Any, space: Space) -> Row:
    if isinstance(raw, PermanentError):
        raise raw
    if not isinstance(raw, Mapping):
        raise PermanentError("not an object")
    missing = [name for name in ADDRESS if not isinstance(raw.get(name), str) or not raw[name]]
    if missing:
        raise PermanentError("; ".join(f"{name}: missing" for name in missing))
    scope = Scope(space, raw["channel"], raw["account_id"], raw["customer_id"])
    profile_key(scope)  # an id that cannot be a key is found here, before anything is written
    rest = {name: value for name, value in raw.items() if name not in ADDRESS}
    return Row(position, scope, profile_input(rest).changes())


def from_csv(record: Mapping[str | None, Any]) -> dict[str, Any]:
    """Turn a CSV record into a row: empty cells are absent, lists are parted by `;`, notes have columns of their own.

    Columns: `preferred_courts` (`Court 1;Court 3`), `public_note`, `staff_note`; others as they are named.

    Raises:
        PermanentError: the record has more cells than the header has columns.
    """
    if record.get(None):
        raise PermanentError("more cells than columns")
    row: dict[str, Any] = {name: value.strip() for name, value in record.items() if name and value and value.strip()}
    if "preferred_courts" in row:
        parts = (one.strip() for one in row["preferred_courts"].split(LIST_SEPARATOR))
        row["preferred_courts"] = [part for part in parts if part]
    notes = [
        {"text": row.pop(column), "visibility": visibility}
        for column, visibility in (("public_note", "public"), ("staff_note", "staff"))
        if column in row
    ]
    return row | ({"notes": notes} if notes else {})
