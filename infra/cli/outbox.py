"""`onthoud outbox`: sends whose outcome nobody knows, and settling them."""

from __future__ import annotations

from typing import Annotated

import typer

from infra.cli import show
from infra.cli.entries import age, as_dict
from infra.cli.session import session_of

app = typer.Typer(
    name="outbox", help="Sends of which nobody knows whether they arrived.", no_args_is_help=True, rich_markup_mode=None
)


def register(program: typer.Typer) -> None:
    """Add the commands."""
    program.add_typer(app)


@app.command("list")
def list_outbox(
    ctx: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Also what is on its way, or is tried again.")] = False,
    json: show.AsJson = False,
) -> None:
    """List the sends that a person must settle, oldest first."""
    session = session_of(ctx)
    entries = session.drafts.unsettled()
    if everything:
        entries += session.runtime.outbox.waiting("sending", session.now)
        entries += session.runtime.outbox.waiting("retry", session.now)
    found = [as_dict(entry, session.now) for entry in entries]
    if json:
        show.as_json(found)
        return
    show.table(
        ["id", "state", "age", "to", "in reply to", "failure", "text"],
        [
            (
                one["id"],
                one["state"],
                age(one["age_s"]),
                one["customer"] or one["to"],
                one["in_reply_to"],
                one["failure"],
                show.short(one["text"]),
            )
            for one in found
        ],
        empty="Nothing to settle.",
    )


@app.command()
def settle(
    ctx: typer.Context,
    entry_id: Annotated[str, typer.Argument(metavar="ID", help="The id, as `outbox list` prints it.")],
    sent: Annotated[bool, typer.Option("--sent/--not-sent", help="Whether you have found it on the channel.")],
    json: show.AsJson = False,
) -> None:
    """Record what you found on the channel: sent is history from then on; not sent becomes a draft."""
    session = session_of(ctx)
    entry = session.drafts.settle(entry_id, sent=sent)
    if json:
        show.as_json(as_dict(entry, session.now))
    elif sent:
        show.line(f"{entry.id}: settled as sent; it is part of the history now.")
    else:
        show.line(f"{entry.id}: settled as not sent; it is a draft now: `onthoud drafts approve {entry.id}` sends it.")
