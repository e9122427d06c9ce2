"""`onthoud profiles`: what is known of customers, loaded from the operator's own files or edited one by one."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from infra.cli import show
from infra.cli.memory import Customer
from infra.cli.session import Session, customer_named, session_of
from onthoud.errors import PermanentError

CHUNK = 100
CSV = ("channel", "account_id", "customer_id")

app = typer.Typer(
    name="profiles",
    help="What is known of customers: their names, languages, courts, levels, remarks and your own fields.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(program: typer.Typer) -> None:
    """Add the commands."""
    program.add_typer(app)


@app.command()
def load(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, JSON (a list) or JSON Lines.")],
    as_json: show.AsJson = False,
) -> None:
    """Load profiles: a row names its customer by channel, account_id and customer_id.

    Fields: name, language, time_zone, preferred_courts (in CSV parted by ;), experience_level (beginner, intermediate,
    advanced), notes (in CSV the columns public_note and staff_note), and any of your own. What a row does not name
    stays as it is. A bad row is named and skipped.
    """
    session = session_of(ctx)
    loaded, faults = _load(session, file)
    if as_json:
        show.as_json({"loaded": loaded, "skipped": [{"row": row, "reason": reason} for row, reason in faults]})
    else:
        for row, reason in faults:
            show.line(f"{file.name}, row {row}: skipped: {reason}")
        show.line(f"{loaded} profiles loaded, {len(faults)} rows skipped.")
    if faults and not loaded:
        raise typer.Exit(1)


@app.command("show")
def show_profile(ctx: typer.Context, customer: Customer, as_json: show.AsJson = False) -> None:
    """Print a customer's profile: every value with its source and since when it stands there."""
    session = session_of(ctx)
    from onthoud.memory.profile import SINGLE

    scope = customer_named(session, customer)
    profile = _profiles(session).get(scope)
    if as_json:
        show.as_json(profile.plain())
        return
    named = {name: getattr(profile, name) for name in SINGLE} | dict(profile.own)
    rows = [
        (
            name,
            ", ".join(value.value) if isinstance(value.value, (tuple, list)) else value.value,
            value.source,
            value.at,
        )
        for name, value in named.items()
        if value is not None
    ]
    rows += [(f"note ({note.visibility})", note.text, note.source, note.at) for note in profile.notes]
    show.table(["field", "value", "source", "since"], rows, empty=f"Nothing is known of {scope.name}.")


@app.command("set")
def set_profile(
    ctx: typer.Context,
    customer: Customer,
    values: Annotated[
        list[str],
        typer.Argument(
            metavar="FIELD=VALUE...", help="Lists are parted by ;. public_note and staff_note add a remark."
        ),
    ],
    as_json: show.AsJson = False,
) -> None:
    """Change single fields of a customer's profile."""
    from dataclasses import replace

    from onthoud.memory.profile_input import from_csv, profile_input

    session = session_of(ctx)
    scope = customer_named(session, customer)
    record: dict[str | None, Any] = {}
    for one in values:
        name, equals, value = one.partition("=")
        if not equals or not name or not value:
            raise typer.BadParameter(f"{one!r} is not of the form FIELD=VALUE", param_hint="FIELD=VALUE")
        record[name] = value
    changes = profile_input(from_csv(record)).changes()
    # A remark is added to those that are there; a file says all of them.
    changes = replace(changes, notes=None, more_notes=changes.notes or ())
    _profiles(session).save(scope, changes, source="operator")
    if as_json:
        show.as_json(_profiles(session).get(scope).plain())
    else:
        show.line(f"The profile of {scope.name} is changed.")


# -- inside ----------------------------------------------------------------------------------------------------------


def _flat(value: Any) -> str:
    return ", ".join(str(one) for one in value) if isinstance(value, (tuple, list)) else str(value)


def _profiles(session: Session) -> Any:
    from onthoud.memory.profile import Profiles

    return Profiles(session.runtime.table, session.runtime.clock, session.runtime.redactor.clean)


def _load(session: Session, file: Path) -> tuple[int, list[tuple[int, str]]]:
    from onthoud.memory.profile_input import Row, read_rows

    profiles, space = _profiles(session), session.runtime.settings.space
    raw = _raw_rows(file)
    faults: list[tuple[int, str]] = []
    loaded = 0
    with show.progress() as bar:
        task = bar.add_task("loading profiles", total=len(raw))
        for start in range(0, len(raw), CHUNK):
            rows = list(read_rows(iter(raw[start : start + CHUNK]), space))
            good: list[Row] = [row for row in rows if not row.fault]
            faults += [(row.position, row.fault) for row in rows if row.fault]
            pairs = [(row.scope, row.changes) for row in good]
            if pairs:
                results: Sequence[str] = profiles.save_many(pairs, source="operator")
                faults += [(row.position, why) for row, why in zip(good, results, strict=True) if why]
                loaded += sum(1 for why in results if not why)
            bar.update(task, advance=len(rows))
    return loaded, sorted(faults)


def _raw_rows(file: Path) -> list[tuple[int, Any]]:
    """Return the rows with their numbers: lines of CSV and JSON Lines, places in a JSON list (from 1).

    Raises:
        PermanentError: the file as a whole cannot be read.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise PermanentError(f"{file.name} cannot be read: {type(error).__name__}") from None
    if file.suffix.lower() == ".csv":
        return list(_csv_rows(file.name, text))
    if text.lstrip().startswith("["):
        whole = _json(text)
        if isinstance(whole, PermanentError):
            raise PermanentError(f"{file.name} is not JSON")
        return list(enumerate(whole, 1))
    lines = enumerate(text.splitlines(), 1)
    return [(number, _json(line)) for number, line in lines if line.strip()]


def _csv_rows(name: str, text: str) -> Iterator[tuple[int, Any]]:
    from onthoud.memory.profile_input import from_csv

    reader = csv.DictReader(text.splitlines(keepends=True))
    missing = [column for column in CSV if column not in (reader.fieldnames or [])]
    if missing:
        raise PermanentError(f"{name}: the header lacks {', '.join(missing)}")
    for record in reader:
        try:
            yield reader.line_num, from_csv(record)
        except PermanentError as error:
            yield reader.line_num, error


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return PermanentError("not JSON")
