"""`onthoud identities`: saying, and unsaying, that two channels' customers are one person."""

from __future__ import annotations

import getpass
from typing import Annotated

import typer

from infra.cli import show
from infra.cli.memory import CUSTOMER_HELP, Customer
from infra.cli.session import Session, customer_named, session_of
from onthoud.memory.identities import Identities
from onthoud.scope import FORM

Other = Annotated[str, typer.Argument(metavar=FORM, help=CUSTOMER_HELP)]

app = typer.Typer(
    name="identities",
    help="Customers who are one person under several channels' ids: only where somebody has said so.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(program: typer.Typer) -> None:
    """Add the commands."""
    program.add_typer(app)


@app.command()
def link(
    ctx: typer.Context,
    a: Customer,
    b: Other,
    reason: Annotated[str, typer.Option("--reason", help="How you know, for the record.")] = "said by the operator",
    by: Annotated[str, typer.Option("--by", help="Who says so; you, unless named.")] = "",
    as_json: show.AsJson = False,
) -> None:
    """Say that two identities are one person: what one profile lacks is then taken from the other."""
    session = session_of(ctx)
    one, other = customer_named(session, a), customer_named(session, b)
    clean = session.runtime.redactor.clean
    _identities(session).link(one, other, by=by or _who(), reason=clean(reason))
    if as_json:
        show.as_json({"a": one.name, "b": other.name, "linked": True})
    else:
        show.line(f"{one.name} and {other.name} are one person from now on. `onthoud identities unlink` undoes it.")


@app.command()
def unlink(ctx: typer.Context, a: Customer, b: Other, as_json: show.AsJson = False) -> None:
    """Undo a link."""
    session = session_of(ctx)
    one, other = customer_named(session, a), customer_named(session, b)
    was_linked = _identities(session).unlink(one, other)
    if as_json:
        show.as_json({"a": one.name, "b": other.name, "linked": False, "was_linked": was_linked})
    elif was_linked:
        show.line(f"{one.name} and {other.name} are two persons again.")
    else:
        show.line(f"{one.name} and {other.name} were not linked.")


@app.command("show")
def show_links(ctx: typer.Context, customer: Customer, as_json: show.AsJson = False) -> None:
    """Print a customer's links: with whom, by whom, since when, and why."""
    session = session_of(ctx)
    scope = customer_named(session, customer)
    links = _identities(session).links(scope)
    if as_json:
        show.as_json([{"other": one.other.name, "by": one.by, "at": one.at, "reason": one.reason} for one in links])
        return
    rows = [(one.other.name, one.by, one.at, one.reason) for one in links]
    show.table(["identity", "by", "since", "reason"], rows, empty=f"{scope.name} has no links.")


def _identities(session: Session) -> Identities:
    return Identities(session.runtime.table, session.runtime.clock)


def _who() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "operator"
