"""`onthoud switch`: stopping the bots, and letting them go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infra.cli import show
from infra.cli.session import Session, customer_named, session_of
from onthoud.clock import iso
from onthoud.errors import Conflict, PermanentError
from onthoud.scope import FORM as CUSTOMER_FORM
from onthoud.scope import Scope

if TYPE_CHECKING:
    from onthoud.delivery.threads import Thread

_THREAD_FORM = "CHANNEL/ACCOUNT/POST/COMMENT"
_TRIES = 5

Account = Annotated[str, typer.Option(metavar="A", help="Only this account.")]
Customer = Annotated[str, typer.Option(metavar=CUSTOMER_FORM, help="Only this customer.")]
ThreadName = Annotated[str, typer.Option(metavar=_THREAD_FORM, help="Only this thread, as drafts and explain name it.")]

app = typer.Typer(
    name="switch", help="The kill switch: stop the bots, let them go on.", no_args_is_help=True, rich_markup_mode=None
)


def register(program: typer.Typer) -> None:
    """Add the commands."""
    program.add_typer(app)


@dataclass(frozen=True, slots=True)
class Places:
    """What is switched: everything where nothing is named."""

    account: str
    scope: Scope | None
    thread: str

    @classmethod
    def named(cls, session: Session, account: str, customer: str, thread: str) -> Places:
        """Read the options.

        Raises:
            BadParameter: a name has not the form that it should have.
        """
        scope = customer_named(session, customer, "--customer") if customer else None
        return cls(account, scope, _partition(session, thread) if thread else "")

    @property
    def everything(self) -> bool:
        """Whether nothing is named."""
        return not (self.account or self.scope or self.thread)


@app.command()
def off(
    ctx: typer.Context,
    account: Account = "",
    customer: Customer = "",
    thread: ThreadName = "",
    reason: Annotated[str, typer.Option(help="Why, for whoever reads it later.")] = "operator",
    json: show.AsJson = False,
) -> None:
    """Stop the bots: nothing is sent from now on; what they would have sent becomes drafts."""
    session = session_of(ctx)
    places = Places.named(session, account, customer, thread)
    _flip(session, places, on=False, reason=reason)
    _told(session, places, json=json)


@app.command()
def on(
    ctx: typer.Context,
    account: Account = "",
    customer: Customer = "",
    thread: ThreadName = "",
    json: show.AsJson = False,
) -> None:
    """Let the bots go on. For a thread this also ends a person's takeover. Drafts stay drafts: approve them."""
    session = session_of(ctx)
    places = Places.named(session, account, customer, thread)
    _flip(session, places, on=True, reason="")
    _told(session, places, json=json)


@app.command("show")
def show_switches(
    ctx: typer.Context,
    customer: Customer = "",
    thread: ThreadName = "",
    json: show.AsJson = False,
) -> None:
    """Print which switches are off, and what today has cost; a customer's or a thread's own switch if you name one."""
    session = session_of(ctx)
    _told(session, Places.named(session, "", customer, thread), json=json)


# -- inside ----------------------------------------------------------------------------------------------------------


def _partition(session: Session, thread: str) -> str:
    from onthoud.delivery.threads import thread_named

    try:
        return thread_named(session.runtime.settings.space, thread)
    except PermanentError as error:
        raise typer.BadParameter(str(error), param_hint="--thread") from None


def _flip(session: Session, places: Places, *, on: bool, reason: str) -> None:
    from onthoud.delivery.switches import SwitchBoard
    from onthoud.delivery.threads import ThreadBoard

    board = SwitchBoard(session.runtime.table, session.runtime.settings.space)
    now = session.now
    if places.everything:
        board.all(on=on, now=now, reason=reason)
    if places.account:
        board.account(places.account, on=on, now=now, reason=reason)
    if places.scope is not None:
        board.customer(places.scope, on=on, now=now, reason=reason)
    if places.thread:
        changes = {"stopped_at": None, "human_at": None} if on else {"stopped_at": iso(now)}
        for attempt in range(_TRIES):
            try:
                ThreadBoard(session.runtime.table).set(places.thread, now, **changes)
                return
            except Conflict:  # a bot has written the thread meanwhile
                if attempt == _TRIES - 1:
                    raise


def state(session: Session, places: Places) -> dict[str, Any]:
    """Return the switches: those of all and of accounts, and of what is named."""
    from onthoud.delivery.switches import Switches, switches_key
    from onthoud.delivery.threads import Thread, thread_id, thread_key
    from onthoud.memory.head import Head, head_key

    settings, now = session.runtime.settings, session.now
    key = switches_key(settings.space)
    wanted = [key]
    if places.scope is not None:
        wanted.append(head_key(places.scope))
    if places.thread:
        wanted.append(thread_key(places.thread))
    items = session.runtime.table.get_many(wanted)
    switches = Switches.read(settings.space, items.get(key))
    stops = {name.removeprefix("stop:"): value for name, value in switches.item.items() if name.startswith("stop:")}
    today = now.astimezone(settings.operator_zone).date()
    found: dict[str, Any] = {
        "all": {"on": "stop" not in switches.item, "since": switches.item.get("stop")},
        "accounts": [{"account": account, "on": False, "since": since} for account, since in sorted(stops.items())],
        "mode": settings.mode,
        "spent_today_usd": str(switches.spent(today)),
        "daily_budget_usd": str(settings.daily_budget_usd) if settings.daily_budget_usd else None,
    }
    if places.scope is not None:
        head = Head.read(items.get(head_key(places.scope)), now)
        found["customer"] = {"customer": places.scope.name, "on": not head.stopped}
    if places.thread:
        thread = Thread.read(places.thread, items.get(thread_key(places.thread)), now)
        found["thread"] = {"thread": thread_id(places.thread), "on": _runs(thread), "human": thread.human}
    return found


def _runs(thread: Thread) -> bool:
    return not (thread.stopped or thread.human)


def _told(session: Session, places: Places, *, json: bool) -> None:
    found = state(session, places)
    if json:
        show.as_json(found)
        return
    rows = [("all", _word(found["all"]["on"], _since(session, found["all"]["since"])))]
    rows += [(f"account {one['account']}", _word(False, _since(session, one["since"]))) for one in found["accounts"]]
    if places.account and places.account not in {one["account"] for one in found["accounts"]}:
        rows.append((f"account {places.account}", "on"))
    if "customer" in found:
        rows.append((f"customer {found['customer']['customer']}", _word(found["customer"]["on"], "")))
    if "thread" in found:
        taken = " (a person has taken over)" if found["thread"]["human"] else ""
        rows.append((f"thread {found['thread']['thread']}", _word(found["thread"]["on"], "") + taken))
    budget = f" of {found['daily_budget_usd']}" if found["daily_budget_usd"] else ""
    rows += [("mode", found["mode"]), ("spent today", f"{found['spent_today_usd']}{budget} USD")]
    show.pairs(rows)


def _since(session: Session, since: str | None) -> str:
    """Return since when and why, as a person reads it; stored are an ISO time and the reason behind it."""
    moment, _, reason = (since or "").partition(" ")
    return f"since {session.when(moment)}: {reason}" if moment else ""


def _word(on: bool, since: str) -> str:
    return "on" if on else f"OFF {since}".strip()
