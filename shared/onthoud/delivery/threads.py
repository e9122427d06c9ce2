"""A thread's state: who has taken it over, how often the bot has answered this hour, what it said, what is escalated.

Writes go through one condition, the revision: whatever was read when the decision was made still holds when it is
written.

    worker                         person (or another worker)
    reads thread, rev 4
    model writes a reply
                                   answers by hand: rev 5, human_at
    writes if rev = 4: refused
    reads again, finds the person, keeps silent (a draft)
"""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from onthoud import keys, naming
from onthoud.clock import epoch, iso
from onthoud.errors import Conflict, PermanentError
from onthoud.ports.table import Check, Compare, Item, Key, Missing, Table, Update, When
from onthoud.privacy.registry import Estate, Store
from onthoud.scope import Scope, Space
from onthoud.settings import LEDGER_DAYS

KIND = "thread"
VERSION = 1
SAID_KEPT = 20
FORM = "CHANNEL/ACCOUNT/POST/COMMENT"
"""How a thread's name looks."""


def _forget_customer(estate: Estate, scope: Scope) -> int:
    """Take the customer's key out of the threads that the customer's turns name."""
    partitions: set[str] = set()
    after: Key | None = None
    while True:
        page = estate.table.query(scope.partition, prefix="turn#", after=after)
        partitions |= {item["thread"] for item in page.items if "thread" in item}
        if page.next is None:
            break
        after = page.next
    count = 0
    for partition in sorted(partitions):
        mine = (Compare("customer", "=", scope.partition),)
        try:
            estate.table.write(Update(thread_key(partition), remove=("customer",), add={"rev": 1}, when=mine))
        except Conflict:
            continue  # somebody else wrote there last: nothing of this customer is left in it
        count += 1
    return count


STORE = Store(
    KIND,
    holds="per thread: takeover and stop, replies this hour, hashes of the bot's own words, the open escalation",
    retention=f"{LEDGER_DAYS} days after the last event (TTL); a takeover or a stop stays until it is lifted",
    erase=_forget_customer,
)


def thread_key(partition: str) -> Key:
    """Return the key of a thread's state."""
    return Key(partition, "state")


def thread_id(partition: str) -> str:
    """Return the id by which a person names a thread: `CHANNEL/ACCOUNT/POST/COMMENT`; see `naming`."""
    return naming.join(keys.split(partition)[3:])


def thread_named(space: Space, name: str) -> str:
    """Return the partition of the thread that a person has named; the inverse of `thread_id`.

    Raises:
        PermanentError: the name has another form.
    """
    try:
        return keys.join("thread", space.tenant, space.context, *naming.split(name, form=FORM))
    except PermanentError as error:
        raise PermanentError(f"a thread's name is {error}") from None


def fingerprint(text: str) -> str:
    """Return a hash of words as a platform may echo them: white space and Unicode form do not count."""
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def _hour(now: datetime) -> str:
    return now.strftime("%Y%m%d%H")


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread's state as read."""

    partition: str
    item: Item

    @classmethod
    def read(cls, partition: str, item: Item | None, now: datetime) -> Thread:
        """Read an item, filtering what has expired."""
        if item is None or item.get("expires_at", epoch(now) + 1) <= epoch(now):
            return cls(partition, {"rev": item["rev"]} if item else {})
        return cls(partition, item)

    @property
    def human(self) -> bool:
        """Whether a person has answered here."""
        return "human_at" in self.item

    @property
    def stopped(self) -> bool:
        """The kill switch of this thread."""
        return "stopped_at" in self.item

    @property
    def customer(self) -> str | None:
        """The partition of the customer who wrote here last."""
        return self.item.get("customer")

    @property
    def escalated(self) -> str | None:
        """The time of the comment of the open escalation."""
        return self.item.get("escalated_for")

    def replies_this_hour(self, now: datetime) -> int:
        """How often the bot has answered here in the present hour of the clock."""
        return int(self.item.get("hour_replies", 0)) if self.item.get("hour") == _hour(now) else 0

    def is_echo(self, text: str) -> bool:
        """Say whether these words are the bot's own, coming back from the platform."""
        return fingerprint(text) in self.item.get("said", [])

    @property
    def unchanged(self) -> When:
        """The condition that nobody has written the thread since it was read."""
        return (Compare("rev", "=", self.item["rev"]),) if "rev" in self.item else (Missing("rev"),)

    def check(self) -> Check:
        """Return the check that the thread is as it was read."""
        return Check(thread_key(self.partition), self.unchanged)

    def changed(self, now: datetime, **changes: Any) -> Update:
        """Return the write of changed fields; a field set to None goes away."""
        lasting = {**self.item, **changes}
        keep = any(lasting.get(name) is not None for name in ("human_at", "stopped_at"))
        values: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
        removed = tuple(name for name, value in changes.items() if value is None)
        values |= {"kind": KIND, "v": VERSION}
        if keep:
            removed += ("expires_at",)
        else:
            values["expires_at"] = epoch(now + timedelta(days=LEDGER_DAYS))
        return Update(
            thread_key(self.partition),
            set=values,
            set_once={"created_at": iso(now)},
            add={"rev": 1},
            remove=removed,
            when=self.unchanged,
        )

    def answering(self, now: datetime, parts: list[str], customer: str) -> Update:
        """Return the write that counts a reply and remembers the hashes of its words."""
        said = [*self.item.get("said", []), *(fingerprint(part) for part in parts)][-SAID_KEPT:]
        return self.changed(
            now, hour=_hour(now), hour_replies=self.replies_this_hour(now) + 1, said=said, customer=customer
        )


class ThreadBoard:
    """The operator's hand on threads."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def set(self, partition: str, now: datetime, **changes: Any) -> None:
        """Change a thread's lasting fields (`stopped_at`, `human_at`); None lifts them."""
        key = thread_key(partition)
        thread = Thread.read(partition, self._table.get_many([key]).get(key), now)
        self._table.write(thread.changed(now, **changes))
