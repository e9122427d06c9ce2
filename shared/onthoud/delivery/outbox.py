"""The outbox: what is to be sent, and what became of it.

    PLANNED ──> SENDING ──> SENT        the far end has it; now it is history
       ^           ├──────> UNKNOWN     nobody knows: a person decides
       └───────────┤        FAILED      the far end will never take it
      surely not   └──────> GONE        what it answers no longer exists
      sent: later

What is sent at once enters SENDING in the transaction that decides it; PLANNED is for drafts (with the reason in
`hold`) and for another try later (`hold` is `retry`). Each arrow is one conditional write:

    worker A                         worker B (redelivery, sweeper, a person)
    SENDING, attempt 1
    sends; stalls
                                     reads SENDING, attempt 1
                                     claims: attempt 1 -> 2, only if still 1   (a second B is refused here)
                                     reads back, or repeats with the same idempotency key
    answer arrives: SENT if SENDING
                                     SENT if SENDING: refused, reads SENT, is done
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal

from onthoud.clock import epoch, from_iso, iso
from onthoud.errors import NotFound
from onthoud.ports.channel import Outgoing, Receipt
from onthoud.ports.table import AnyOf, Compare, Condition, Item, Key, Missing, Put, Table, Update

VERSION = 1
RETRY = "retry"
"""The `hold` of what is PLANNED only until the next try."""
LEASE = timedelta(minutes=15)
"""Whoever began to send may still be at it for this long: no Lambda invocation lasts longer (AWS's own limit)."""
SHADOW = "shadow"
"""The `hold` of what would have been sent, in mode `shadow`; it is no draft."""


class State(StrEnum):
    """The states of an outgoing message."""

    PLANNED = "PLANNED"
    SENDING = "SENDING"
    SENT = "SENT"
    UNKNOWN = "UNKNOWN"
    FAILED = "FAILED"
    GONE = "GONE"


Queue = Literal["sending", "retry", "draft", "unknown"]
"""The lists in the state index: what a person or the sweeper has to look at."""


_OWN = frozenset(
    (
        *("pk", "sk", "v", "created_at", "expires_at", "state_pk", "state_sk", "event_pk", "event_sk", "out", "thread"),
        *("state", "content", "parts", "hold", "sent_parts", "failure", "platform_id", "claimed_at", "sent_at"),
        "attempts",
    )
)
"""The outbox's own attributes; the others are the turn's."""


def _moment(item: Item, name: str) -> datetime | None:
    return from_iso(item[name]) if name in item else None


@dataclass(frozen=True, slots=True)
class Entry:
    """One outgoing message.

    Attributes:
        key: where it lies; for words to a customer this is the place of the bot's turn.
        parts: the text, split at the channel's length; usually one.
        hold: why it is PLANNED and not sent: a guard's name, `retry`, `shadow`.
        event: the ledger record that it is the effect of.
        thread: the partition of the thread, empty where there is none.
        claimed_at: when somebody last began to send it; see `LEASE`.
        base: attributes of the item that are not the outbox's own (the turn's).
    """

    key: Key
    state: State
    message: Outgoing
    parts: tuple[str, ...]
    event: Key
    thread: str
    created_at: datetime
    expires_at: int
    hold: str = ""
    attempts: int = 0
    sent_parts: int = 0
    claimed_at: datetime | None = None
    sent_at: datetime | None = None
    failure: str = ""
    platform_id: str = ""
    base: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The short id by which a person names it."""
        return self.message.idempotency_key.rsplit("-", 1)[-1][:12]

    @property
    def queue(self) -> Queue | None:
        """The list in which it waits for somebody; None when it is done."""
        match self.state:
            case State.SENDING:
                return "sending"
            case State.UNKNOWN:
                return "unknown"
            case State.PLANNED if self.hold == RETRY:
                return "retry"
            case State.PLANNED if self.hold != SHADOW:
                return "draft"
        return None

    def leased(self, now: datetime) -> bool:
        """Say whether another invocation may still be sending it."""
        return self.state is State.SENDING and self.claimed_at is not None and now < self.claimed_at + LEASE

    def outgoing(self, part: int) -> Outgoing:
        """Return one part as it is sent; each part has an idempotency key of its own."""
        key = self.message.idempotency_key
        return replace(
            self.message,
            text=self.parts[part],
            idempotency_key=key if len(self.parts) == 1 else f"{key}.{part + 1}",
        )

    def to_item(self) -> Item:
        """Return the item."""
        message = self.message
        item: Item = {
            **self.base,
            "pk": self.key.pk,
            "sk": self.key.sk,
            "v": VERSION,
            "created_at": iso(self.created_at),
            "expires_at": self.expires_at,
            "state": str(self.state),
            "content": message.text,
            "event_pk": self.event.pk,
            "event_sk": self.event.sk,
            "attempts": self.attempts,
            "out": {
                "kind": message.kind,
                "channel": message.channel,
                "account": message.account_id,
                "to": message.to,
                "in_reply_to": message.in_reply_to,
                "key": message.idempotency_key,
                **({"extra": dict(message.extra)} if message.extra else {}),
            },
        }
        if len(self.parts) > 1:
            item["parts"] = list(self.parts)
        for name, value in (
            ("hold", self.hold),
            ("thread", self.thread),
            ("sent_parts", self.sent_parts),
            ("failure", self.failure),
            ("platform_id", self.platform_id),
            ("claimed_at", iso(self.claimed_at) if self.claimed_at else ""),
            ("sent_at", iso(self.sent_at) if self.sent_at else ""),
        ):
            if value:
                item[name] = value
        return item | queue_fields(self)

    @classmethod
    def of_item(cls, item: Item) -> Entry:
        """Read an item."""
        out = item["out"]
        message = Outgoing(
            kind=out["kind"],
            channel=out["channel"],
            account_id=out["account"],
            to=out["to"],
            in_reply_to=out["in_reply_to"],
            text=item["content"],
            idempotency_key=out["key"],
            extra=out.get("extra", {}),
        )
        return cls(
            key=Key.of(item),
            state=State(item["state"]),
            message=message,
            parts=tuple(item.get("parts", [item["content"]])),
            event=Key(item["event_pk"], item["event_sk"]),
            thread=item.get("thread", ""),
            created_at=from_iso(item["created_at"]),
            expires_at=item["expires_at"],
            hold=item.get("hold", ""),
            attempts=item["attempts"],
            sent_parts=item.get("sent_parts", 0),
            claimed_at=_moment(item, "claimed_at"),
            sent_at=_moment(item, "sent_at"),
            failure=item.get("failure", ""),
            platform_id=item.get("platform_id", ""),
            base={name: value for name, value in item.items() if name not in _OWN},
        )


def queue_fields(entry: Entry) -> dict[str, str]:
    """Return the attributes of the state index; the index is sparse, so what is done leaves it."""
    queue = entry.queue
    return {} if queue is None else {"state_pk": queue, "state_sk": iso(entry.created_at)}


class Outbox:
    """Moves entries along the arrows. Each move is refused (`Conflict`) when somebody else has moved the entry."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def read(self, key: Key, now: datetime) -> Entry:
        """Read an entry.

        Raises:
            NotFound: it is not there, or has expired.
        """
        item = self._table.get_many([key]).get(key)
        if item is None or not _is_there(item, now):
            raise NotFound("no such outgoing message; it was erased, or its time is over")
        return Entry.of_item(item)

    def waiting(self, queue: Queue, now: datetime) -> list[Entry]:
        """Return all entries of a list, oldest first, as they are now."""
        found: list[Entry] = []
        after: Key | None = None
        while True:
            page = self._table.query_state(queue, after=after)
            wanted = [Key.of(row) for row in page.items]
            for start in range(0, len(wanted), 100):
                part = wanted[start : start + 100]
                items = self._table.get_many(part)
                # What is not there, or has moved on: the index is behind the table.
                there = [Entry.of_item(items[key]) for key in part if _is_there(items.get(key), now)]
                found += [entry for entry in there if entry.queue == queue]
            if page.next is None:
                return found
            after = page.next

    def find(self, queue: Queue, short_id: str, now: datetime) -> Entry:
        """Return the entry of a list with this short id.

        Raises:
            NotFound: there is none.
        """
        for entry in self.waiting(queue, now):
            if entry.id == short_id:
                return entry
        raise NotFound(f"no {queue} with the id {short_id}")

    def move(self, entry: Entry, **changes: Any) -> Entry:
        """Do one move and return the entry as it now is."""
        moved = replace(entry, **changes)
        self._table.write(self.moving(entry, moved))
        return moved

    @staticmethod
    def moving(entry: Entry, moved: Entry) -> Update:
        """Return the write of a move, on the condition that the entry is in the state and attempt that was read.

        A draft's text is part of what was read:

            a person approves                another edits
            reads the text
                                             writes a better one
            PLANNED -> SENDING: refused, or the old words would go out and the new ones count as said
        """
        before, after = entry.to_item(), moved.to_item()
        changed = {name: value for name, value in after.items() if before.get(name) != value}
        gone = tuple(name for name in before if name not in after)
        return Update(
            entry.key,
            set=changed,
            remove=gone,
            when=(Compare("state", "=", str(entry.state)), Compare("attempts", "=", entry.attempts), _as_edited(entry)),
        )

    def sent(self, entry: Entry, receipt: Receipt, now: datetime) -> Entry:
        """Record that the far end has it. Whoever learns it first may say so, in whatever attempt."""
        moved = replace(
            entry,
            state=State.SENT,
            sent_at=now,
            platform_id=receipt.platform_id,
            sent_parts=0,
            hold="",
            failure="",
        )
        write = self.moving(entry, moved)
        unsent = tuple(Compare("state", "=", str(state)) for state in (State.SENDING, State.UNKNOWN))
        self._table.write(replace(write, when=(AnyOf(unsent),)))
        return moved


def _is_there(item: Item | None, now: datetime) -> bool:
    return item is not None and item.get("expires_at", 0) > epoch(now) and "out" in item


def _as_edited(entry: Entry) -> Condition:
    edited = entry.base.get("edited_at")
    return Missing("edited_at") if edited is None else Compare("edited_at", "=", edited)


def planting(entry: Entry) -> Put:
    """Return the write that stores a new entry; one of the same event that is there already is never replaced."""
    return Put(entry.to_item(), when=(Missing("pk"),))
