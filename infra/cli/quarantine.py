"""`onthoud quarantine`: what no retry can mend, with the reason."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from infra.cli import show
from infra.cli.session import Session, session_of
from onthoud import keys
from onthoud.errors import NotFound

app = typer.Typer(
    name="quarantine",
    help="Messages that can never be processed, each with its reason.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(program: typer.Typer) -> None:
    """Add the commands."""
    program.add_typer(app)


@app.command("list")
def list_quarantine(ctx: typer.Context, json: show.AsJson = False) -> None:
    """List what is in quarantine, oldest first."""
    session = session_of(ctx)
    found = _read(session)
    if json:
        show.as_json([{name: value for name, value in one.items() if name != "body"} for one in found])
        return
    show.table(
        ["id", "queue", "at", "event", "reason"],
        [(one["id"], one["queue"], session.when(one["at"]), one["event_id"] or "", one["reason"]) for one in found],
        empty="The quarantine is empty.",
    )


@app.command("show")
def show_quarantined(
    ctx: typer.Context,
    quarantine_id: Annotated[str, typer.Argument(metavar="ID", help="The id, or SQS's message id for all of it.")],
    json: show.AsJson = False,
) -> None:
    """Print what is in quarantine of one message, its body included."""
    session = session_of(ctx)
    found = [one for one in _read(session) if quarantine_id in (one["id"], one["message_id"])]
    if not found:
        raise NotFound(f"{show.safe(quarantine_id)} is not in quarantine; see `onthoud quarantine list`")
    if json:
        show.as_json(found)
        return
    for one in found:
        show.pairs(
            [
                ("id", one["id"]),
                ("queue", one["queue"]),
                ("bot", one["bot"]),
                ("at", session.when(one["at"])),
                ("event", one["event_id"]),
                ("reason", one["reason"]),
                ("cut from", f"{one['cut_from']} bytes" if one["cut_from"] else ""),
            ]
        )
        show.line(f"\n{one['body']}\n")


def _read(session: Session) -> list[dict[str, Any]]:
    from onthoud.delivery.quarantine import quarantined

    runtime = session.runtime
    return [
        {
            # A message of several events has one entry for each.
            "id": f"{item['message_id']}.{keys.split(item['sk'])[2]}",
            "message_id": item["message_id"],
            "queue": item["queue"],
            "bot": item["bot"],
            "event_id": item.get("event_id"),
            "reason": item["reason"],
            "at": item["created_at"],
            "cut_from": int(item["cut_from"]) if "cut_from" in item else None,
            "body": item["body"],
        }
        for item in quarantined(runtime.table, runtime.settings.space, session.now)
    ]
