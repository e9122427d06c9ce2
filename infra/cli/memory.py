"""`onthoud memory`: what is remembered of a customer, and forgetting it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from infra.cli import show
from infra.cli.entries import as_dict
from infra.cli.session import Session, at_a_terminal, customer_named, session_of
from onthoud.clock import epoch, iso
from onthoud.errors import RetryableError
from onthoud.ports.table import Item, Key
from onthoud.scope import FORM, Scope

CUSTOMER_HELP = f"The customer, {FORM}; a slash inside an id is written %2F."
Customer = Annotated[str, typer.Argument(metavar=FORM, help=CUSTOMER_HELP)]

app = typer.Typer(
    name="memory",
    help="What is remembered of a customer, and forgetting it.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(program: typer.Typer) -> None:
    """Add the commands."""
    program.add_typer(app)


@app.command("show")
def show_memory(ctx: typer.Context, customer: Customer, json: show.AsJson = False) -> None:
    """Print what the bots know of a customer: window, counters, profile, drafts, and how long each is kept."""
    session = session_of(ctx)
    found = remembered(session, customer_named(session, customer))
    if json:
        show.as_json(found)
        return
    _print(session, found)


@app.command()
def erase(
    ctx: typer.Context,
    customer: Customer,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: show.AsJson = False,
) -> None:
    """Erase a customer from every store, print a receipt of counts, and prove it by reading back.

    A tombstone stays, so that a message that comes late cannot bring the memory back.
    """
    session = session_of(ctx)
    scope = customer_named(session, customer)
    if not yes and at_a_terminal():
        typer.confirm(f"Erase everything that is remembered of {scope.name}? This cannot be undone.", abort=True)
    receipt = _erased(session, scope)
    if json:
        show.as_json(receipt)
        return
    if not receipt["total"]:
        show.line(f"Nothing was remembered of {scope.name}.")
    else:
        show.table(["store", "erased"], receipt["counts"].items(), empty="")
        show.line(f"Erased {receipt['total']} of {scope.name} at {session.when(receipt['erased_at'])}.")
    show.line(f"Read back: nothing is left in {receipt['stores_read_back']} stores. A tombstone stays.")


def remembered(session: Session, scope: Scope) -> dict[str, Any]:
    """Return what is remembered of a customer: one query of the customer's own partition."""
    from onthoud.memory.head import KIND as HEAD
    from onthoud.memory.head import Head
    from onthoud.memory.profile import KIND as PROFILE
    from onthoud.memory.profile import CustomerProfile
    from onthoud.stores import REGISTRY

    runtime, now = session.runtime, session.now
    items = [item for item in _partition(session, scope) if item.get("expires_at", epoch(now) + 1) > epoch(now)]
    of_kind = {kind: [item for item in items if item.get("kind") == kind] for kind in (HEAD, PROFILE)}
    head = Head.read(next(iter(of_kind[HEAD]), None), now)
    turns = runtime.memory.conversation(scope, head).turns
    counts: dict[str, int] = {}
    for item in items:
        counts[item.get("kind", "unknown")] = counts.get(item.get("kind", "unknown"), 0) + 1
    return {
        "customer": scope.name,
        "turns": [
            {
                "role": turn.role,
                "content": turn.content,
                "timestamp": iso(turn.timestamp),
                "event_id": turn.event_id,
                "state": turn.state,
                "source": turn.source,
            }
            for turn in turns
        ],
        "counters": {
            "name": head.name or None,
            "first_seen": iso(head.first_seen) if head.first_seen else None,
            "last_activity": iso(head.last_activity) if head.last_activity else None,
            "replies": head.replies,
            "stopped": head.stopped,
            "erased_at": iso(head.erased_at) if head.erased_at else None,
        },
        "profile": CustomerProfile.of_item(next(iter(of_kind[PROFILE]), None)).plain(),
        "waiting": [as_dict(entry, now) for entry in _waiting(items)],
        "stores": [
            {"kind": store.kind, "items": counts[store.kind], "holds": store.holds, "retention": store.retention}
            for store in REGISTRY
            if store.kind in counts
        ],
    }


# -- inside ----------------------------------------------------------------------------------------------------------


def _partition(session: Session, scope: Scope) -> list[Item]:
    found: list[Item] = []
    after: Key | None = None
    while True:
        page = session.runtime.table.query(scope.partition, after=after)
        found += page.items
        if page.next is None:
            return found
        after = page.next


def _waiting(items: list[Item]) -> list[Any]:
    from onthoud.delivery.outbox import Entry

    entries = [Entry.of_item(item) for item in items if "out" in item]
    return [entry for entry in entries if entry.queue is not None]


def _erased(session: Session, scope: Scope) -> dict[str, Any]:
    """Erase, then go through every store once more: what is found there now is no proof but a failure."""
    from infra.cli.estate import estate_of
    from onthoud.privacy.erasure import erase as erase_customer
    from onthoud.stores import REGISTRY

    estate = estate_of(session)
    with show.progress() as bar:
        task = bar.add_task("erasing", total=2)
        receipt = erase_customer(estate, REGISTRY, scope)
        bar.update(task, advance=1, description="reading back")
        left = {store.kind: store.erase(estate, scope) for store in REGISTRY}
        left |= {place.name: place.purge(scope) for place in estate.outside}
        left["memory"] = sum(1 for item in _partition(session, scope) if item["sk"] != "head")
        bar.update(task, advance=1)
    arrived = sorted(name for name, count in left.items() if count)
    if arrived:
        raise RetryableError(f"something arrived while {scope.name} was erased ({', '.join(arrived)}): run it again")
    return {
        "customer": scope.name,
        "erased_at": receipt.erased_at,
        "counts": receipt.counts,
        "total": receipt.total,
        "stores_read_back": len(left),
    }


def _print(session: Session, found: dict[str, Any]) -> None:
    counters = found["counters"]
    if not found["stores"]:
        show.line(f"Nothing is remembered of {found['customer']}.")
        return
    show.line(found["customer"])
    show.pairs(
        [
            ("name", counters["name"]),
            ("first seen", session.when(counters["first_seen"])),
            ("last activity", session.when(counters["last_activity"])),
            ("replies", counters["replies"]),
            ("stopped", "yes: the bot keeps silent for this customer" if counters["stopped"] else ""),
            ("erased at", session.when(counters["erased_at"])),
        ],
        indent=2,
    )
    show.line(f"\nWindow ({len(found['turns'])} turns)")
    show.pairs(
        [(f"{session.when(turn['timestamp'])}  {_who(turn)}", turn["content"]) for turn in found["turns"]], indent=2
    )
    if found["profile"]:
        show.line("\nProfile")
        show.pairs([(name, _flat(value)) for name, value in found["profile"].items()], indent=2)
    if found["waiting"]:
        show.line("\nWaiting")
        for entry in found["waiting"]:
            show.pairs([(entry["id"], f"{entry['why']}: {show.short(entry['text']) or '(no text yet)'}")], indent=2)
    show.line("\nKept")
    days = f"HistoryDays ({session.runtime.settings.history_days})"
    kept = [
        (f"{one['kind']} ({one['items']})", one["retention"].replace("HistoryDays", days)) for one in found["stores"]
    ]
    show.pairs(kept, indent=2)


def _who(turn: dict[str, Any]) -> str:
    if turn["role"] == "user":
        return "customer"
    if turn["state"] == "unknown":
        return "bot (nobody knows whether it arrived)"
    return "a person of ours" if turn["source"] == "operator" else "bot"


def _flat(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(_flat(one) for one in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {one}" for name, one in value.items())
    return str(value)
