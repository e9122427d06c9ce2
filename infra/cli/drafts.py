"""`onthoud drafts`: what waits for a person, escalations included."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from infra.cli import show
from infra.cli.entries import age, as_dict
from infra.cli.session import Session, at_a_terminal, session_of
from onthoud import keys
from onthoud.errors import PermanentError
from onthoud.ports.table import Key

if TYPE_CHECKING:
    from onthoud.delivery.outbox import Entry

DraftId = Annotated[str, typer.Argument(metavar="ID", help="The draft's id, as `drafts list` prints it.")]

app = typer.Typer(
    name="drafts",
    help="What waits for a person: drafts, and what the bot has escalated.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(program: typer.Typer) -> None:
    """Add the commands."""
    program.add_typer(app)


@app.command("list")
def list_drafts(
    ctx: typer.Context,
    hold: Annotated[str, typer.Option(help="Only those held by this reason, such as escalated.")] = "",
    json: show.AsJson = False,
) -> None:
    """List the drafts, oldest first, each with the reason why it waits."""
    session = session_of(ctx)
    entries = [entry for entry in session.drafts.waiting() if hold in ("", entry.hold)]
    answered = _answered(session, entries)
    found = [as_dict(entry, session.now) | {"answers": answered.get(entry.key)} for entry in entries]
    if json:
        show.as_json(found)
        return
    show.table(
        ["id", "age", "reason", "to", "thread", "answers", "text"],
        [
            (
                one["id"],
                age(one["age_s"]),
                one["why"],
                one["customer"] or one["to"],
                one["thread"] or "",
                show.short(one["answers"] or ""),
                show.short(one["text"]) or "(none yet)",
            )
            for one in found
        ],
        empty="No drafts.",
    )


@app.command()
def approve(ctx: typer.Context, draft: DraftId, json: show.AsJson = False) -> None:
    """Send a draft as it stands."""
    session = session_of(ctx)
    entry = session.drafts.approve(draft, session.deadline())
    _told(session, entry, json=json)
    if entry.state != "SENT":
        raise typer.Exit(1)


@app.command()
def edit(
    ctx: typer.Context,
    draft: DraftId,
    text: Annotated[str | None, typer.Option(help="The new text; without it, $EDITOR opens at a terminal.")] = None,
    json: show.AsJson = False,
) -> None:
    """Replace a draft's text; the bot's own is kept beside it. Nothing is sent: approve it then."""
    session = session_of(ctx)
    if text is None:
        text = _edited(session, draft)
    entry = session.drafts.edit(draft, text)
    _told(session, entry, json=json)


@app.command()
def reject(ctx: typer.Context, draft: DraftId, json: show.AsJson = False) -> None:
    """Drop a draft: it is never sent, and never was said."""
    session = session_of(ctx)
    _told(session, session.drafts.reject(draft), json=json)


# -- inside ----------------------------------------------------------------------------------------------------------


def _answered(session: Session, entries: list[Entry]) -> dict[Key, str]:
    """Return the words that each entry answers, where they are remembered: they stand directly before it."""
    before: dict[Key, Key] = {}
    for entry in entries:
        kind, *place = keys.split(entry.key.sk)
        if kind == "turn" and len(place) == 3:
            before[entry.key] = Key(entry.key.pk, keys.join("turn", place[0], place[1], "0"))
    wanted = sorted(before.values())
    found: dict[Key, str] = {}
    for start in range(0, len(wanted), 100):
        read = session.runtime.table.get_many(wanted[start : start + 100])
        found |= {key: str(item["content"]) for key, item in read.items()}
    return {key: found[words] for key, words in before.items() if words in found}


def _told(session: Session, entry: Entry, *, json: bool) -> None:
    shown = as_dict(entry, session.now)
    if json:
        show.as_json(shown)
        return
    said = {
        "SENT": "sent.",
        "GONE": "not sent: what it answers no longer exists.",
        "UNKNOWN": f"nobody knows whether it arrived: look, then `onthoud outbox settle {entry.id} --sent|--not-sent`.",
        "FAILED": f"dropped: {shown['why']}.",
        "PLANNED": f"not sent: {shown['why']}.",
        "SENDING": "on its way.",
    }[entry.state]
    if entry.state == "PLANNED" and entry.base.get("edited_at") and entry.attempts == 0 and not entry.failure:
        said = f"edited; `onthoud drafts approve {entry.id}` sends it ({shown['why']})."
    show.line(f"{entry.id}: {said}")


def _edited(session: Session, draft: str) -> str:
    if not at_a_terminal():
        raise typer.BadParameter("nobody sits at a terminal: give the new text", param_hint="--text")
    entry = session.runtime.outbox.find("draft", draft, session.now)
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="onthoud-draft-") as directory:
        file = Path(directory) / f"{entry.id}.txt"
        file.write_text(entry.message.text, encoding="utf-8")
        try:
            subprocess.run([*shlex.split(editor), str(file)], check=True)
        except (OSError, subprocess.CalledProcessError):
            raise PermanentError(f"the editor {editor!r} has failed: set EDITOR, or use --text") from None
        text = file.read_text(encoding="utf-8").strip()
    if text == entry.message.text.strip():
        raise PermanentError("the text is as it was: nothing is changed")
    return text
