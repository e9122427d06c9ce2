"""`onthoud alerts`: the operator's hand on the alert log."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infra.cli import show
from infra.cli.session import Session, session_of
from onthoud.clock import iso
from onthoud.errors import NotFound

if TYPE_CHECKING:
    from onthoud.memory.alerts.explain import Story
    from onthoud.memory.alerts.log import AlertLog
    from onthoud.memory.alerts.model import Alert

BY = "operator"
Key = Annotated[str, typer.Argument(metavar="KEY", help="The alert's key, as `alerts list` prints it.")]

app = typer.Typer(
    name="alerts",
    help="What the daily brief tells, and what it keeps silent about.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(program: typer.Typer) -> None:
    """Add the commands."""
    program.add_typer(app)


@app.command("list")
def list_alerts(
    ctx: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Those that are over, too.")] = False,
    json: show.AsJson = False,
) -> None:
    """List the alerts, oldest first."""
    session = session_of(ctx)
    found = [as_dict(alert) for alert in _log(session).all(closed=everything)]
    if json:
        show.as_json(found)
        return
    show.table(
        ["key", "state", "since", "told", "title"],
        [
            (
                one["key"],
                one["state"],
                session.when(one["since"]),
                session.when(one["told_at"]),
                show.short(one["title"]),
            )
            for one in found
        ],
        empty="No alerts.",
    )


@app.command("show")
def show_alert(ctx: typer.Context, key: Key, json: show.AsJson = False) -> None:
    """Show one alert as it stands."""
    session = session_of(ctx)
    _print(session, _existing(_log(session), key), json=json)


@app.command()
def explain(ctx: typer.Context, key: Key, json: show.AsJson = False) -> None:
    """Tell the whole story of an alert: what happened to it, which brief told it, and why it is silent now."""
    from onthoud.memory.alerts.explain import story

    session = session_of(ctx)
    log = _log(session)
    alert = _existing(log, key)
    _print_story(session, story(alert, log.head().sources, session.now, log.rules), json=json)


@app.command("why-not")
def why_not(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Words that you missed in the brief.")],
    json: show.AsJson = False,
) -> None:
    """Find what was left out of the brief, and say why."""
    from onthoud.memory.alerts import explain as explaining

    session = session_of(ctx)
    log = _log(session)
    sources = log.head().sources
    found = explaining.why_not(text, log.all(closed=True), sources, session.now, log.rules)
    if json:
        show.as_json([_story_dict(one) for one in found])
        return
    for one in found:
        show.line(f"{one.key}  {one.title}")
        for audience, reason in one.now.items():
            show.line(f"  {audience}: {reason}")
    if not found:
        read = ", ".join(_source_line(session, name, state) for name, state in sorted(sources.items()))
        show.line(f"No alert has these words. Sources: {read or 'none was ever read'}.")


@app.command()
def snooze(
    ctx: typer.Context,
    key: Key,
    until: Annotated[str, typer.Option(help="A time (ISO 8601; without an offset, yours), or `change`.")],
    json: show.AsJson = False,
) -> None:
    """Keep an alert silent until a time, whatever changes, or until it changes."""
    session = session_of(ctx)
    log = _log(session)
    if until.strip().lower() == "change":
        alert = log.snooze_until_change(key, by=BY)
    else:
        alert = log.snooze(key, _moment(session, until, "--until"), by=BY)
    _print(session, alert, json=json)


@app.command()
def mute(
    ctx: typer.Context,
    key: Key,
    reason: Annotated[str, typer.Option(help="Why nobody needs to hear of it.")],
    review: Annotated[str, typer.Option(help="When you want to be asked again; in 90 days without.")] = "",
    json: show.AsJson = False,
) -> None:
    """Keep an alert silent for good, also when it goes and comes back; you are asked once at the review date."""
    session = session_of(ctx)
    review_at = _moment(session, review, "--review") if review else None
    _print(session, _log(session).mute(key, reason, by=BY, review_at=review_at), json=json)


@app.command()
def resolve(
    ctx: typer.Context,
    key: Key,
    note: Annotated[str, typer.Option(help="How it was solved.")] = "",
    json: show.AsJson = False,
) -> None:
    """Take an alert as solved: silent until it changes, or until it was gone and is back."""
    session = session_of(ctx)
    _print(session, _log(session).resolve(key, by=BY, note=note), json=json)


@app.command()
def reopen(ctx: typer.Context, key: Key, json: show.AsJson = False) -> None:
    """End a snooze, a mute or a resolution."""
    session = session_of(ctx)
    _print(session, _log(session).reopen(key, by=BY), json=json)


@app.command()
def note(
    ctx: typer.Context,
    key: Key,
    text: Annotated[str | None, typer.Option(help="A note; no source ever changes it.")] = None,
    owner: Annotated[str | None, typer.Option(help="Who takes care of it.")] = None,
    json: show.AsJson = False,
) -> None:
    """Write a note or an owner on an alert."""
    session = session_of(ctx)
    _print(session, _log(session).annotate(key, note=text, owner=owner, by=BY), json=json)


# -- inside ----------------------------------------------------------------------------------------------------------


def as_dict(alert: Alert) -> dict[str, Any]:
    """Return an alert as people read it."""
    told = max((memory.at for memory in alert.reported.values()), default=None)
    return {
        "key": alert.key,
        "state": _word(str(alert.state)),
        "title": alert.title,
        "source": alert.source,
        "kind": alert.kind,
        "since": iso(alert.first_seen),
        "changed_at": iso(alert.changed_at),
        "told_at": iso(told) if told else None,
        "told_to": sorted(alert.reported),
        "possibly_told_to": sorted(alert.unsure),
        "surfaced_at": iso(alert.surfaced_at) if alert.surfaced_at else None,
        "resolved_at": iso(alert.resolved_at) if alert.resolved_at else None,
        "resolved_by": alert.resolved_by or None,
        "snoozed_until": _until(alert),
        "mute_reason": alert.mute_reason or None,
        "review_at": iso(alert.review_at) if alert.review_at else None,
        "times": alert.times,
        "summary": alert.summary,
        "material": dict(alert.material),
        "details": dict(alert.data),
        "url": alert.url or None,
        "note": alert.note or None,
        "owner": alert.owner or None,
    }


def _word(state: str) -> str:
    """The state as people speak of it: whether the word RESOLVED was told already is the log's own business."""
    return {"gone": "resolved", "closed": "resolved"}.get(state, state.split("-")[0])


def _until(alert: Alert) -> str | None:
    from onthoud.memory.alerts.states import State

    if alert.state is State.SNOOZED_UNTIL_CHANGE:
        return "change"
    return iso(alert.snoozed_until) if alert.snoozed_until else None


def _log(session: Session) -> AlertLog:
    from daily_brief.assembly import operator_log
    from daily_brief.settings import BriefSettings

    return operator_log(session.runtime, BriefSettings.from_environment(_environment(session)))


def _environment(session: Session) -> dict[str, str]:
    own = {f"ONTHOUD_{name.upper()}": str(value) for name, value in (("table", session.runtime.settings.table),)}
    space = session.runtime.settings.space
    own |= {"ONTHOUD_TENANT": space.tenant, "ONTHOUD_CONTEXT": space.context}
    return {**session.environment, **own}


def _existing(log: AlertLog, key: str) -> Alert:
    alert = log.get(key)
    if alert is None:
        raise NotFound(f"no alert has the key {show.safe(key)}; `onthoud alerts list --all` prints the keys")
    return alert


def _moment(session: Session, text: str, option: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no ISO 8601 time, such as 2026-12-05T09:00", param_hint=option) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=session.runtime.settings.operator_zone)


def _print(session: Session, alert: Alert, *, json: bool) -> None:
    one = as_dict(alert)
    if json:
        show.as_json(one)
        return
    show.line(f"{one['key']}: {one['state']}")
    times = ("since", "changed_at", "told_at", "resolved_at", "review_at")
    names = ("title", "summary", "resolved_by", "mute_reason", "note", "owner", "url")
    show.pairs([(name.replace("_", " "), one[name]) for name in names], indent=2)
    show.pairs([(name.removesuffix("_at"), session.when(one[name])) for name in times], indent=2)
    until = one["snoozed_until"]
    show.pairs([("until", session.when(until) if until and until != "change" else until)], indent=2)
    show.pairs(sorted({**one["material"], **one["details"]}.items()), indent=2)


def _story_dict(one: Story) -> dict[str, Any]:
    return {
        "key": one.key,
        "title": one.title,
        "state": _word(one.state),
        "times": one.times,
        "history": list(one.lines),
        "now": dict(one.now),
        "last_seen": iso(one.last_seen) if one.last_seen else None,
    }


def _print_story(session: Session, one: Story, *, json: bool) -> None:
    if json:
        show.as_json(_story_dict(one))
        return
    seen = f", last seen {session.when(iso(one.last_seen))}" if one.last_seen else ""
    show.line(f"{one.key}: {_word(one.state)}{seen}")
    show.line(f"  {one.title}")
    for entry in one.lines:
        at, _, rest = entry.partition(" ")
        show.line(f"  {session.when(at)}  {rest}")
    for audience, reason in one.now.items():
        show.line(f"  now, for {audience}: {reason}")


def _source_line(session: Session, name: str, state: Any) -> str:
    read = session.when(iso(state.read_at)) if state.read_at else "never read"
    return f"{name} FAILED (last read {read})" if state.failing_since else f"{name} {read}"
