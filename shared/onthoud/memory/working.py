"""Working memory: what is being said now, with this customer. The last ten turns, both sides', for thirty days.

A turn is one item in the customer's partition, in order of (time of occurrence, event, role); a reply has the time and
event of the comment that it answers, so it stands directly after it, in whatever order the events arrived. A reply's
item is at the same time its outbox entry (`delivery.outbox`): it becomes history by being sent, in one write.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from onthoud import keys
from onthoud.clock import Clock, epoch, from_iso, iso
from onthoud.memory.head import Head, head_key, touched
from onthoud.ports.table import Action, Exists, Item, Key, Missing, Put, Table, Update
from onthoud.privacy.registry import Store, in_customer_partition
from onthoud.scope import Scope

KIND = "turn"
VERSION = 1
PREFIX = "turn#"
Role = Literal["user", "assistant"]
_ROLE_ORDER: dict[Role, str] = {"user": "0", "assistant": "1"}

RENEWAL_SLACK = timedelta(hours=12)
"""A renewed turn gets this much more than the window, so that a busy customer's turns are renewed twice a day and not
at every event. What is read ends with the head's exact `window_until`; the slack is within DynamoDB's own TTL lag."""

MOST_RENEWED = 80
"""Turns renewed at once: a transaction takes 100 writes, and the reply needs a few."""

SPARE = 4
"""Turns read beyond the window, for replies that were planned but not sent."""

STORE = Store(
    KIND,
    holds="the words of customers and of the bot, one item per message; the bot's are its outbox entries as well",
    retention="HistoryDays after the customer's last activity (TTL)",
    erase=in_customer_partition,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of one side.

    Attributes:
        state: `said`, or `unknown` for a reply of which nobody knows whether it arrived.
        source: `said` by customer or bot, or `operator` for a person's answer on the account's behalf.
    """

    role: Role
    content: str
    timestamp: datetime
    event_id: str
    state: Literal["said", "unknown"] = "said"
    source: Literal["said", "operator"] = "said"

    @property
    def place(self) -> tuple[datetime, str, str]:
        """Where the turn stands in the order of the conversation."""
        return (self.timestamp, self.event_id, _ROLE_ORDER[self.role])


@dataclass(slots=True)
class Conversation:
    """A customer's window, and the head, as read; kept in hand while a batch of events is worked off."""

    scope: Scope
    head: Head
    turns: list[Turn]
    items: dict[Key, Item] = field(default_factory=dict)

    @property
    def answered_before(self) -> bool:
        """Whether the customer has been answered in this acquaintance: then the bot never introduces itself."""
        return self.head.replies > 0 or any(turn.role == "assistant" for turn in self.turns)

    def add(self, turn: Turn, window: int) -> None:
        """Put a turn in its place, as the table now has it; the same one again changes nothing."""
        others = [old for old in self.turns if old.place != turn.place]
        self.turns = sorted([*others, turn], key=lambda one: one.place)[-window:]

    def drop(self, event_id: str) -> None:
        """Take a customer's words out again."""
        self.turns = [turn for turn in self.turns if not (turn.event_id == event_id and turn.role == "user")]


def turn_key(scope: Scope, occurred_at: datetime, event_id: str, role: Role) -> Key:
    """Return a turn's key; its order as text is the order of the conversation.

    Raises:
        PermanentError: the event id is empty or too long.
    """
    sort = keys.join("turn", iso(occurred_at), event_id, _ROLE_ORDER[role], limit=keys.MAX_SORT_KEY_BYTES)
    return Key(scope.partition, sort)


def turn_of(item: Item) -> Turn | None:
    """Read a turn; None for a reply that is not (known to be) said."""
    state = item.get("state", "SENT")
    if state not in {"SENT", "UNKNOWN"}:
        return None
    return Turn(
        role=item["role"],
        content=item["content"],
        timestamp=from_iso(item["timestamp"]),
        event_id=item["event_id"],
        state="unknown" if state == "UNKNOWN" else "said",
        source=item.get("source", "said"),
    )


class WorkingMemory:
    """Reads windows and builds the writes that change them. The writes are actions, to be part of one transaction."""

    def __init__(self, table: Table, clock: Clock, *, window: int, history: timedelta) -> None:
        self._table = table
        self._clock = clock
        self.window = window
        self.history = history

    def read(self, scope: Scope) -> Conversation:
        """Return head and window by two consistent reads. A read error is an error, never an empty history."""
        key = head_key(scope)
        head = Head.read(self._table.get_many([key]).get(key), self._clock.now())
        return self.conversation(scope, head)

    def conversation(self, scope: Scope, head: Head) -> Conversation:
        """Return the window of a customer whose head has been read: one query, none where the window has ended."""
        found = Conversation(scope, head, [])
        if not head.alive:
            return found
        now = epoch(self._clock.now())
        after: Key | None = None
        while len(found.turns) < self.window:
            page = self._table.query(
                scope.partition, prefix=PREFIX, newest_first=True, limit=self.window + SPARE, after=after
            )
            for item in page.items:
                turn = turn_of(item) if item.get("expires_at", now + 1) > now else None
                if turn is not None and len(found.turns) < self.window:
                    found.turns.append(turn)
                    found.items[Key.of(item)] = item
            if page.next is None:
                break
            after = page.next
        found.turns.reverse()
        return found

    def said(
        self,
        scope: Scope,
        turn: Turn,
        *,
        raw: dict[str, Any] | None = None,
        thread: str = "",
        importance: float = 0.5,
    ) -> Put:
        """Return the write that remembers words that were said.

        `raw` is the sensory record (type, size, hash, ...); `thread` the partition of the thread where it was said.
        """
        now = self._clock.now()
        key = turn_key(scope, turn.timestamp, turn.event_id, turn.role)
        item: Item = {
            "pk": key.pk,
            "sk": key.sk,
            "kind": KIND,
            "v": VERSION,
            "created_at": iso(now),
            "source": turn.source,
            "importance": f"{importance:g}",
            "role": turn.role,
            "content": turn.content,
            "timestamp": iso(turn.timestamp),
            "event_id": turn.event_id,
            "expires_at": self.expiry(),
        }
        item |= {name: value for name, value in (("raw", raw), ("thread", thread)) if value}
        return Put(item)

    def expiry(self) -> int:
        """Return the TTL of a turn written now, in epoch seconds."""
        return epoch(self._clock.now() + self.history + RENEWAL_SLACK)

    def renewals(self, conversation: Conversation, *, except_for: Iterable[Key] = ()) -> list[Update]:
        """Return the writes that make the window's turns live as long as the window, which activity has renewed.

        Only those that would end too early are written, the first to end first. A turn that was deleted meanwhile is
        not resurrected.
        """
        due = epoch(self._clock.now() + self.history)
        skip = set(except_for)
        ending = sorted(
            (item["expires_at"], key)
            for key, item in conversation.items.items()
            if item["expires_at"] < due and key not in skip
        )
        return [
            Update(key, set={"expires_at": self.expiry()}, when=(Exists("pk"),)) for _, key in ending[:MOST_RENEWED]
        ]

    def remember(self, scope: Scope, turns: Sequence[Turn]) -> Conversation:
        """Remember words outside of any bot's event (an import, a fourth bot): one transaction, each turn once.

        Returns:
            The conversation as it now is.
        """
        conversation = self.read(scope)
        new = {turn.place: turn for turn in turns}
        puts = [self.said(scope, turn) for turn in new.values()]
        actions: list[Action] = [
            *puts,
            touched(scope, conversation.head, self._clock.now(), history=self.history),
            *self.renewals(conversation, except_for=[put.key for put in puts]),
        ]
        self._table.transact(actions)
        return self.read(scope)


def first_only(action: Put) -> Put:
    """Return the same write, refused where the item is there already."""
    return Put(action.item, when=(*action.when, Missing("pk")))
