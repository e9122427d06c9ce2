"""Quarantine: what no retry can mend is kept with the reason, and acknowledged, so that it blocks nobody."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from onthoud import keys
from onthoud.clock import epoch, iso
from onthoud.errors import PermanentError
from onthoud.ports.table import Item, Key, Put, Table
from onthoud.privacy.registry import Estate, Store, erase_where
from onthoud.scope import Scope, Space
from onthoud.settings import QUARANTINE_DAYS
from onthoud.text.markup import storable

KIND = "quarantine"
VERSION = 1
PLAIN_BYTES = 64 * 1024
"""Up to here a body is stored as text; a larger one is compressed, and cut where even that is too large."""
MOST_BYTES = 150 * 1024
MAX_ID_CHARS = 1024
"""So much is kept of an event's id, which may be here because it is too long."""


def _partition(space: Space) -> str:
    return keys.join("quarantine", space.tenant, space.context)


def _erase(estate: Estate, scope: Scope) -> int:
    return erase_where(estate, _partition(estate.space), lambda item: item.get("customer") == scope.partition)


STORE = Store(
    KIND,
    holds="bodies of messages that cannot be processed, with the reason",
    retention=f"{QUARANTINE_DAYS} days (TTL)",
    erase=_erase,
)


@dataclass(frozen=True, slots=True)
class Suspect:
    """A message, or one event of it, that cannot be processed.

    Attributes:
        position: its place in the message, so that several of one message are kept apart.
        event_id: the platform's id where one can be read.
        customer: the partition of the customer where one can be read, so that erasing finds it.
    """

    queue: str
    bot: str
    message_id: str
    body: str
    reason: str
    position: int = 0
    event_id: str = ""
    customer: str = ""


def id_of(value: object) -> str:
    """Return an id as the edge models read it, numbers included; empty where it is none."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else ""


def customer_of(event: object, space: Space, person: str) -> str:
    """Return the partition of the customer whom an unreadable event is about, empty where that cannot be told.

    `person` names the field with the customer's id (`author`, `customer`).
    """
    fields = event if isinstance(event, dict) else {}
    inner = fields.get(person)
    ids = [fields.get("channel"), fields.get("account_id"), inner.get("id") if isinstance(inner, dict) else None]
    known = [id_of(one) for one in ids]
    if not all(known):
        return ""
    try:
        return Scope(space, *known).partition
    except PermanentError:
        return ""  # the id itself is what is wrong with the event


def isolate(table: Table, space: Space, suspect: Suspect, now: datetime) -> None:
    """Keep a message in quarantine. The same one again replaces itself."""
    item: Item = {
        "pk": _partition(space),
        "sk": keys.join("message", suspect.message_id, f"{suspect.position:04}", limit=keys.MAX_SORT_KEY_BYTES),
        "kind": KIND,
        "v": VERSION,
        "created_at": iso(now),
        "expires_at": epoch(now + timedelta(days=QUARANTINE_DAYS)),
        "queue": suspect.queue,
        "bot": suspect.bot,
        "message_id": suspect.message_id,
        "reason": suspect.reason[:500],
    }
    # An id with a lone surrogate may be the very reason why the event is here; no store takes one.
    for name, value in (("event_id", storable(suspect.event_id)[:MAX_ID_CHARS]), ("customer", suspect.customer)):
        if value:
            item[name] = value
    raw = suspect.body.encode("utf-8", "replace")
    if len(raw) <= PLAIN_BYTES:
        item["body"] = raw.decode()
    elif len(packed := zlib.compress(raw, 9)) <= MOST_BYTES:
        item["body_zlib"] = packed
    else:
        item["body_zlib"], item["cut_from"] = zlib.compress(raw[:PLAIN_BYTES]), len(raw)
    table.write(Put(item))


def body_of(item: Item) -> str:
    """Return a quarantined body."""
    if "body" in item:
        return str(item["body"])
    return zlib.decompress(item["body_zlib"]).decode("utf-8", "replace")


def quarantined(table: Table, space: Space, now: datetime) -> Iterator[dict[str, Any]]:
    """Yield what is in quarantine, oldest first, the body unpacked as `body`."""
    after: Key | None = None
    items: list[Item] = []
    while True:
        page = table.query(_partition(space), after=after)
        items += [item for item in page.items if item["expires_at"] > epoch(now)]
        if page.next is None:
            break
        after = page.next
    for item in sorted(items, key=lambda one: one["created_at"]):
        yield {**item, "body": body_of(item)}
