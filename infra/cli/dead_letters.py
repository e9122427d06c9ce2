"""`onthoud dead-letters`: what was given up, why, and sending it back."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Annotated, Any

import typer

from infra.cli import show
from infra.cli.session import Session, session_of
from onthoud.clock import from_iso, iso

_DURATION = re.compile(r"(\d+)\s*(s|m|min|h|d|w)")
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}

Since = Annotated[
    str, typer.Option(metavar="TIME", help="Only since then: an ISO 8601 time with offset, or 30m, 12h, 7d, 2w ago.")
]
Queue = Annotated[str, typer.Option(metavar="NAME", help="Only of this queue: comments, bookings, events, ...")]

app = typer.Typer(
    name="dead-letters",
    help="Messages that were given up: look at them, send them back.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(program: typer.Typer) -> None:
    """Add the commands."""
    program.add_typer(app)


@app.command("list")
def list_dead_letters(
    ctx: typer.Context,
    since: Since = "",
    queue: Queue = "",
    bodies: Annotated[bool, typer.Option("--bodies", help="Print the bodies too; --json has them always.")] = False,
    json: show.AsJson = False,
) -> None:
    """List the dead letters with the reason of each. Of one FIFO group the first ten are seen."""
    session = session_of(ctx)
    found = _lying(session, queue, since)
    if json:
        show.as_json(found)
        return
    show.table(
        ["message id", "queue", "at", "reason", "bytes"],
        [(*_row(session, one), len(one["body"].encode())) for one in found],
        empty="No dead letters.",
    )
    if bodies:
        for one in found:
            show.line(f"\n{one['message_id']}\n{one['body']}")


@app.command()
def redrive(
    ctx: typer.Context,
    since: Since = "",
    queue: Queue = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be sent.")] = False,
    json: show.AsJson = False,
) -> None:
    """Send dead letters back to their queue, byte for byte; they run through the same guards as any message.

    What was answered meanwhile is found a duplicate, what a switch holds becomes a draft, what is too old too.
    """
    session = session_of(ctx)
    if dry_run:
        found = _lying(session, queue, since)
        if json:
            show.as_json({"would_send": len(found), "messages": found})
            return
        show.table(
            ["message id", "queue", "at", "reason"],
            [_row(session, one) for one in found],
            empty="No dead letters.",
        )
        show.line(f"Would send {len(found)}. Nothing is sent.")
        return
    done = _redriven(session, queue, since)
    failed = sum(one["failed"] for one in done)
    if json:
        show.as_json({"sent": sum(one["sent"] for one in done), "failed": failed, "queues": done})
    else:
        show.table(
            ["queue", "sent", "older, left", "refused", "why"],
            [(one["queue"], one["sent"], one["left"], one["failed"], one["failure"]) for one in done],
            empty="No dead letters.",
        )
    if failed:
        raise typer.Exit(1)


def moment(text: str, now: datetime) -> datetime | None:
    """Read a time or a duration before `now`; None for an empty text.

    Raises:
        BadParameter: it is neither.
    """
    if not text:
        return None
    if (found := _DURATION.fullmatch(text.strip())) is not None:
        return now - timedelta(seconds=int(found[1]) * _SECONDS[found[2]])
    try:
        return from_iso(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is neither a time with offset (2026-11-30T09:00:00Z) nor a duration (12h)", param_hint="--since"
        ) from None


# -- inside ----------------------------------------------------------------------------------------------------------


def _lying(session: Session, queue: str, since: str) -> list[dict[str, Any]]:
    from infra.cli.estate import dead_letter_queues
    from onthoud.delivery.dead_letters import lying

    runtime, start = session.runtime, moment(since, session.now)
    return [
        {
            "queue": one.queue,
            "message_id": one.message_id,
            "reason": one.reason,
            "body": one.body,
            "group": one.group or None,
            "at": one.at,
        }
        for place in dead_letter_queues(session, queue)
        for one in lying(place, runtime.table, runtime.settings.space, start)
    ]


def _row(session: Session, one: dict[str, Any]) -> tuple[str, ...]:
    return (one["message_id"], one["queue"], session.when(one["at"]), one["reason"])


def _redriven(session: Session, queue: str, since: str) -> list[dict[str, Any]]:
    from infra.cli.estate import dead_letter_queues
    from onthoud.delivery.dead_letters import redrive as send_back

    start = moment(since, session.now)
    done: list[dict[str, Any]] = []
    with show.progress() as bar:
        for place in dead_letter_queues(session, queue):
            count = place.queue.count()
            if not count:
                continue
            task = bar.add_task(place.name, total=count)
            one = send_back(place, start, lambda sent, task=task: bar.update(task, completed=sent))  # type: ignore[misc]
            done.append(
                {
                    "queue": one.queue,
                    "sent": one.sent,
                    "left": one.left,
                    "failed": one.failed,
                    "failure": one.failure,
                    "since": iso(start) if start else None,
                }
            )
    return done
