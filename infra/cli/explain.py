"""`onthoud explain`: the whole story of one event."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from infra.cli import show
from infra.cli.entries import state_in_words
from infra.cli.session import Session, session_of
from onthoud.errors import NotFound
from onthoud.settings import LEDGER_DAYS


def register(program: typer.Typer) -> None:
    """Add the command."""
    program.command()(explain)


def explain(
    ctx: typer.Context,
    event_id: Annotated[str, typer.Argument(metavar="EVENT_ID", help="The platform's id: comment, booking, brief.")],
    channel: Annotated[str, typer.Option(help="Only of this channel.")] = "",
    account: Annotated[str, typer.Option(help="Only of this account.")] = "",
    json: show.AsJson = False,
) -> None:
    """Tell the story of an event: what was decided and why, what the bot knew, said and sent, and what it cost."""
    from infra.cli.story import Asked, stories

    session = session_of(ctx)
    found = stories(session.runtime, Asked(event_id, channel, account))
    if not found:
        raise NotFound(
            f"nothing is known of the event {show.safe(event_id)}: it never arrived, is on its way still, or is older "
            f"than {LEDGER_DAYS} days. Look into `onthoud dead-letters list` and `onthoud quarantine list`"
        )
    if json:
        show.as_json(found)
        return
    for position, story in enumerate(found):
        if position:
            show.line()
        if "reason" in story:
            _quarantined(session, story)
        else:
            _print(session, story)


# -- inside ----------------------------------------------------------------------------------------------------------


def _quarantined(session: Session, story: dict[str, Any]) -> None:
    since = session.when(story["at"])
    show.line(f"{story['event_id']}: in quarantine since {since}, from the queue {story['queue']}")
    show.pairs([("why", story["reason"]), ("look", f"onthoud quarantine show {story['message_id']}")], indent=2)


def _print(session: Session, story: dict[str, Any]) -> None:
    show.line(f"{story['kind']} {story['event_id']} on {story['channel']}, account {story['account_id']}")
    remembered = story["remembered"]
    show.pairs(
        [
            ("customer", story["customer"]),
            ("thread", story["thread"]),
            ("happened", session.when(story["occurred_at"])),
            ("arrived", session.when(story["first_seen_at"])),
            ("deleted", session.when(story["deleted_at"])),
            *((name.replace("_", " "), value) for name, value in story["state"].items()),
            (
                "its words",
                remembered["text"] if remembered else "not in memory (never kept, deleted, erased or expired)",
            ),
        ],
        indent=2,
    )
    for decision in story["decisions"]:
        show.line()
        _decision(session, decision)
    show.line()
    if story["message"] is not None:
        _message(session, story["message"])
    elif story["message_gone"]:
        show.line("Message: no longer there (erased, or its time is over)")
    else:
        show.line("Message: none")


def _decision(session: Session, decision: dict[str, Any]) -> None:
    tokens, units = decision["tokens"], decision["units"]
    decided = decision["decided"]
    before = f"{decided['outcome']} {decided['reason']}".strip()
    after = f"{decision['outcome']} {decision['reason']}".strip()
    asked = decision["model_calls"]
    show.line(f"{session.when(decision['at'])}  {decision['bot']}: {decision['outcome']}")
    show.pairs(
        [
            ("event", decision["verb"]),
            ("why", decision["why"]),
            ("reason", decision["reason"]),
            ("decided as", before if before != after else ""),
            ("in the prompt", "\n".join(decision["memory_ids"]) if asked else ""),
            ("used, it says", "\n".join(decision["cited"])),
            ("checks", _checks(decision["checks"])),
            ("model", f"{decision['model']}, {asked} call{'s' if asked != 1 else ''}" if asked else "not asked"),
            ("tokens", ", ".join(f"{name} {count}" for name, count in tokens.items()) if asked else ""),
            ("cost", f"{decision['cost_usd']:.6f} USD" if asked else ""),
            ("database", f"{decision['reads']} reads, {decision['writes']} writes"),
            ("capacity", f"{units['read']:g} read units, {units['write']:g} write units"),
        ],
        indent=2,
    )


def _checks(checks: list[str]) -> str:
    return ", ".join(f"{name.replace('!', ' FAILED ', 1).strip()}" for name in checks)


def _message(session: Session, message: dict[str, Any]) -> None:
    show.line(f"Message {message['id']}: {message['state']}, {state_in_words(message['state'])}")
    show.pairs(
        [
            ("text", message["text"] or "(none yet)"),
            ("the bot's", message["bot_text"]),
            ("held", message["why"] if message["hold"] else ""),
            ("last failure", message["failure"]),
            ("to", message["to"]),
            ("in reply to", message["in_reply_to"]),
            ("attempts", message["attempts"]),
            ("written", session.when(message["created_at"])),
            ("edited", session.when(message["edited_at"])),
            ("begun", session.when(message["claimed_at"])),
            ("sent", session.when(message["sent_at"])),
            ("platform's id", message["platform_id"]),
        ],
        indent=2,
    )
