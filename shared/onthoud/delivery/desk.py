"""The desk: where one event is opened with one read, and closed with one transaction.

open:  ledger, head, thread, switches (and what the bot asks for)          1 consistent BatchGetItem
...    the bot reads the window, asks the model, checks                     1 Query, n model calls
close: ledger + the customer's words + the reply in SENDING + head + thread + switches, or nothing of it
...    Sender.deliver                                                       1 send, 1 UpdateItem
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from onthoud import capacity
from onthoud.clock import Clock
from onthoud.delivery.decisions import Decision
from onthoud.delivery.guards import Situation
from onthoud.delivery.ledger import EventRef, Record, placed
from onthoud.delivery.outbox import Entry, State, planting
from onthoud.delivery.switches import Switches, switches_key
from onthoud.delivery.threads import Thread, thread_key
from onthoud.memory.head import Head, head_key, not_erased_since, not_stopped, touched
from onthoud.memory.working import Conversation, WorkingMemory
from onthoud.ports.table import Action, Check, Item, Key, Meter, Table, Update
from onthoud.scope import Scope
from onthoud.settings import Settings

ROUNDS = 6
"""How often an event is decided anew because somebody else wrote meanwhile, before the queue tries again."""


@dataclass(frozen=True, slots=True)
class Case:
    """One event with all that decides about it, as read in one go."""

    ref: EventRef
    scope: Scope | None
    record: Record
    head: Head
    switches: Switches
    thread: Thread | None
    occurred_at: datetime
    items: Mapping[Key, Item]
    opened: Meter

    def situation(self, settings: Settings, now: datetime) -> Situation:
        """Return what the guards look at."""
        return Situation(settings, now, self.ref.account, self.occurred_at, self.head, self.switches, self.thread)


@dataclass(frozen=True, slots=True)
class Closing:
    """What closes a case.

    Attributes:
        identity: the event's identity that is decided.
        decision: what was decided.
        writes: the customer's words and whatever else the bot writes with it.
        entry: the outgoing message, in SENDING or PLANNED.
        conversation: the window, whose turns are renewed by the activity; None where nothing is remembered.
        name: the customer's name as the event has it.
        thread: changed fields of the thread, beside those that a reply changes by itself.
        record: changed fields of the ledger record.
    """

    identity: str
    decision: Decision
    writes: Sequence[Action] = ()
    entry: Entry | None = None
    conversation: Conversation | None = None
    name: str = ""
    thread: Mapping[str, Any] = field(default_factory=dict)
    record: Mapping[str, Any] = field(default_factory=dict)


class Desk:
    """Opens and closes cases."""

    def __init__(self, table: Table, clock: Clock, settings: Settings, memory: WorkingMemory) -> None:
        self.table = table
        self.clock = clock
        self.settings = settings
        self.memory = memory

    def open(
        self,
        ref: EventRef,
        *,
        scope: Scope | None,
        occurred_at: datetime,
        thread: str = "",
        extra: Sequence[Key] = (),
    ) -> Case:
        """Read all that decides about an event, consistently, in one round trip. `thread` is its partition."""
        opened = self.table.meter.copy()
        now = self.clock.now()
        wanted = [ref.key, switches_key(ref.space), *extra]
        if scope is not None:
            wanted.append(head_key(scope))
        if thread:
            wanted.append(thread_key(thread))
        items = self.table.get_many(wanted)
        return Case(
            ref=ref,
            scope=scope,
            record=Record(ref, items.get(ref.key)),
            head=Head.read(items.get(head_key(scope)), now) if scope else Head(),
            switches=Switches.read(ref.space, items.get(switches_key(ref.space))),
            thread=Thread.read(thread, items.get(thread_key(thread)), now) if thread else None,
            occurred_at=occurred_at,
            items=items,
            opened=opened,
        )

    def reopen(self, entry: Entry) -> Case:
        """Read all that decides about a message that was stored earlier."""
        ref = EventRef.of_key(entry.event)
        scope = Scope.of_partition(entry.key.pk) if entry.key.pk.startswith("customer#") else None
        return self.open(ref, scope=scope, occurred_at=self.clock.now(), thread=entry.thread)

    def close(self, case: Case, closing: Closing) -> None:
        """Write all of it in one transaction, or nothing.

        Raises:
            Conflict: somebody else wrote meanwhile, or a guard was set: open the case again and decide again.
        """
        now = self.clock.now()
        rough = self._actions(case, closing, now, {"reads": 9, "writes": 9, "ru": Decimal("9.5"), "wu": 99})
        figures = self._figures(case, closing, rough)
        self.table.transact(self._actions(case, closing, now, figures))

    # -- inside ------------------------------------------------------------------------------------------------------

    def _actions(self, case: Case, closing: Closing, now: datetime, figures: Mapping[str, Any]) -> list[Action]:
        sending = closing.entry is not None and closing.entry.state is State.SENDING
        changes = dict(closing.record)
        if closing.entry is not None:
            customer = changes.get("customer") or case.record.get("customer")
            changes |= {**placed("reply", closing.entry.key, customer), "reply_for": closing.identity}
        actions: list[Action] = [
            case.record.decided(closing.identity, closing.decision.to_item(now, figures), now, **changes),
            *closing.writes,
        ]
        if closing.entry is not None:
            actions.append(planting(closing.entry))
        actions += self._head(case, closing, now, sending)
        actions += self._thread(case, closing, now, sending)
        actions += self._switches(case, closing, now, sending)
        return actions

    def _head(self, case: Case, closing: Closing, now: datetime, sending: bool) -> list[Action]:
        if case.scope is None or closing.conversation is None:
            return []
        update = touched(
            case.scope, case.head, now, history=self.memory.history, replies=1 if sending else 0, name=closing.name
        )
        when = (not_erased_since(case.occurred_at), *((not_stopped(),) if sending else ()))
        written = [action.key for action in closing.writes]
        return [
            Update(update.key, update.set, update.set_once, update.add, update.remove, when),
            *self.memory.renewals(closing.conversation, except_for=written),
        ]

    def _thread(self, case: Case, closing: Closing, now: datetime, sending: bool) -> list[Action]:
        thread = case.thread
        if thread is None:
            return []
        customer = case.scope.partition if case.scope else ""
        if sending and closing.entry is not None:
            answering = thread.answering(now, list(closing.entry.parts), customer)
            return [answering if not closing.thread else thread.changed(now, **{**answering.set, **closing.thread})]
        return [thread.changed(now, **closing.thread)] if closing.thread else []

    def _switches(self, case: Case, closing: Closing, now: datetime, sending: bool) -> list[Action]:
        when = Switches.not_stopped(case.ref.account) if sending else ()
        if closing.decision.cost_usd:
            day = now.astimezone(self.settings.operator_zone).date()
            return [case.switches.spend(closing.decision.cost_usd, day, when=when)]
        return [Check(switches_key(case.ref.space), when)] if when else []

    def _figures(self, case: Case, closing: Closing, actions: Sequence[Action]) -> dict[str, Any]:
        """Return what the event costs, this transaction and the write after the send included."""
        so_far = self.table.meter.since(case.opened)
        existing = {**case.items, **(closing.conversation.items if closing.conversation else {})}
        units = so_far.write_units + capacity.transact_units(actions, existing)
        writes = so_far.writes + 1
        if closing.entry is not None and closing.entry.state is State.SENDING:
            item = closing.entry.to_item()
            units += capacity.write_units(item, item) + 1  # the entry leaves the state index
            writes += 1
        return {
            "reads": so_far.reads,
            "writes": writes,
            "ru": Decimal(str(so_far.read_units)),
            "wu": Decimal(str(units)),
        }
