"""Builds what closes the case of one version: decision, record, message, court days, the booking that was moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from booking.calendar import attachment
from booking.messages import subject
from booking.state import Clash, Silent, Tell
from booking.writing import Subject, Written
from onthoud.clock import epoch, iso
from onthoud.delivery.decisions import Decision, Outcome
from onthoud.delivery.desk import Case, Closing
from onthoud.delivery.ledger import KIND as EVENT
from onthoud.delivery.ledger import VERSION, Record
from onthoud.delivery.outbox import SHADOW, Entry, Outbox, State
from onthoud.errors import NotFound
from onthoud.events.booking import Booking
from onthoud.memory.court_days import DayWrites, day_keys, slot_name
from onthoud.memory.observations import observe
from onthoud.memory.working import Conversation, turn_key
from onthoud.ports.channel import Outgoing
from onthoud.ports.table import Action, Item, Key, Put, Update
from onthoud.runtime import Runtime
from onthoud.scope import Scope
from onthoud.settings import LEDGER_DAYS

BOT = "booking"
REPLY = ("reply_pk", "reply_sk", "reply_for")
"""Where a record says which message is the booking's own; without it, a message of it is superseded."""


@dataclass(frozen=True, slots=True)
class Known:
    """All that decides about a version, as read.

    Attributes:
        replaced: the record of the booking that this one replaces, if any.
        days: the court's days that it touches, if it is active.
    """

    case: Case
    scope: Scope
    replaced: Record | None
    days: Mapping[Key, Item]


class Closer:
    """Builds the writes of one version."""

    def __init__(self, runtime: Runtime, booking: Booking, known: Known) -> None:
        self._runtime = runtime
        self._booking = booking
        self._known = known
        self._own = known.case.record
        self._now = runtime.clock.now()

    def silent(self, step: Silent) -> Closing:
        """Close without a message."""
        decision = Decision(BOT, "skipped", reason=step.reason, verb=self._booking.status)
        if not step.remember:
            return Closing(self._booking.edition, decision)
        return self._closing(decision)

    def clashed(self, step: Clash) -> Closing:
        """Close with the conflict: a person decides, the customer hears nothing."""
        decision = Decision(BOT, "escalated", reason=f"conflict: {step.reason}", verb=self._booking.status)
        return self._closing(decision, clash=step.reason)

    def told(
        self, step: Tell, about: Subject, written: Written, hold: str | None, conversation: Conversation
    ) -> Closing:
        """Close with a message: sent, held back, or only noted."""
        outcome, reason, state, hold = self._outcome(written, hold)
        decision = Decision(
            BOT,
            outcome,
            reason=reason,
            verb=self._booking.status,
            checks=written.checks,
            memory_ids=written.memory_ids,
            usage=written.usage,
            cost_usd=written.cost_usd,
            model=written.model,
            model_calls=written.calls,
            said=written.said,
        )
        entry = self._entry(step, about, written.text, state, hold or "")
        return self._closing(decision, entry=entry, conversation=conversation, about=about)

    def waiting(self) -> list[Action]:
        """Return the writes of a cancellation that is said later: the state moves on, nothing is decided."""
        ledger = self._own.item or {"decisions": {}, "created_at": iso(self._now)}
        days = DayWrites.begin(self._now, self._known.days)
        item: Item = {
            **ledger,
            **{name: value for name, value in self._record(days).items() if value is not None},
            "pk": self._own.ref.key.pk,
            "sk": self._own.ref.key.sk,
            "kind": EVENT,
            "v": VERSION,
            "event_id": self._own.ref.event_id,
            "rev": ledger.get("rev", 0) + 1,
            "held": self._booking.edition,
            "expires_at": epoch(self._now + timedelta(days=LEDGER_DAYS)),
        }
        for name in ("slots", *REPLY):
            item.pop(name, None)
        return [Put(item, when=self._own.unchanged), *self._voided(self._own), *self._let_go(), *days.actions()]

    # -- inside ------------------------------------------------------------------------------------------------------

    def _outcome(self, written: Written, hold: str | None) -> tuple[Outcome, str, State, str | None]:
        mode = self._runtime.settings.mode_of(BOT, self._booking.account_id)
        if mode == "shadow":
            return "skipped", SHADOW, State.PLANNED, SHADOW
        if hold is None and mode == "draft":
            hold = "mode_draft"
        if hold is not None:
            return "drafted", hold, State.PLANNED, hold
        return "confirmed", written.reason, State.SENDING, None

    def _closing(
        self,
        decision: Decision,
        *,
        entry: Entry | None = None,
        conversation: Conversation | None = None,
        about: Subject | None = None,
        clash: str | None = None,
    ) -> Closing:
        days = DayWrites.begin(self._now, self._known.days)
        record = self._record(days, takes=entry is not None and self._booking.is_active) | {"clash": clash}
        if entry is None:
            # What was to be sent for an earlier version has nothing to do with the booking as it is now.
            record |= dict.fromkeys(REPLY)
        writes: list[Action] = [*self._voided(self._own), *self._let_go()]
        if entry is not None and about is not None and self._booking.is_active:
            writes += self._moved_away(days)
            if entry.state is State.SENDING and self._own.get("observed") is None:
                record["observed"] = True
                writes.append(observe(self._known.scope, "court", about.court, at=self._now))
        return Closing(
            self._booking.edition,
            decision,
            writes=[*writes, *days.actions()],
            entry=entry,
            conversation=conversation,
            name=about.name if about is not None else "",
            record=record,
        )

    def _record(self, days: DayWrites, *, takes: bool = False) -> dict[str, Any]:
        """Return the booking's state as it is now, and change the court's days with it."""
        booking = self._booking
        name = slot_name(booking.channel, booking.booking_id)
        days.free([Key(pk, sk) for pk, sk in self._own.get("slots") or []], name)
        places = day_keys(self._runtime.settings.space, booking) if takes else []
        days.take(places, name, booking)
        return {
            "rank": booking.rank,
            "status": booking.status,
            "slots": [[key.pk, key.sk] for key in places] or None,
            "replaces": (booking.replaces or self._own.get("replaces")) if takes else None,
            "held": None,
        }

    def _moved_away(self, days: DayWrites) -> list[Action]:
        """Mark the booking that this one replaces, free its court, and take back what it still had to say."""
        replaced = self._known.replaced
        if replaced is None or self._booking.replaces is None:
            return []
        days.free(
            [Key(pk, sk) for pk, sk in replaced.get("slots") or []],
            slot_name(self._booking.channel, self._booking.replaces),
        )
        mark = {"replaced_by": self._booking.booking_id, "moved": True}
        return [*self._voided(replaced), self._touch(replaced, mark, remove=("slots", *REPLY))]

    def _let_go(self) -> list[Action]:
        """Let another booking replace the earlier one again, when this one no longer does."""
        replaced = self._known.replaced
        if replaced is None or self._booking.is_active or replaced.get("replaced_by") != self._booking.booking_id:
            return []
        return [self._touch(replaced, {}, remove=("replaced_by",))]

    def _touch(self, record: Record, changes: Mapping[str, Any], *, remove: tuple[str, ...]) -> Update:
        return Update(
            record.ref.key,
            set={
                "kind": EVENT,
                "v": VERSION,
                "event_id": record.ref.event_id,
                "expires_at": epoch(self._now + timedelta(days=LEDGER_DAYS)),
                **changes,
            },
            set_once={"created_at": iso(self._now), "decisions": {}},
            add={"rev": 1},
            remove=remove,
            when=record.unchanged,
        )

    def _voided(self, record: Record) -> list[Action]:
        """Take back what is PLANNED for an earlier version: a draft, or what waits for another try.

        What is being sent at this moment is found to be superseded by whoever carries on with it (`Sender`).
        """
        if record.reply is None:
            return []
        try:
            entry = self._runtime.outbox.read(record.reply, self._now)
        except NotFound:
            return []
        if entry.state is not State.PLANNED:
            return []
        return [Outbox.moving(entry, replace(entry, state=State.GONE, hold=""))]

    def _entry(self, step: Tell, about: Subject, text: str, state: State, hold: str) -> Entry:
        booking, runtime = self._booking, self._runtime
        sending = state is State.SENDING
        # The version is part of the name: a booking has one message per version, at the same time of occurrence too.
        key = turn_key(self._known.scope, booking.occurred_at, f"{booking.booking_id} {booking.edition}", "assistant")
        head = subject(step.kind, about.language, court=about.court, when=about.when)
        extra: dict[str, Any] = {"subject": head, "status": step.kind, "language": about.language}
        calendar = attachment(
            step.kind,
            uid=self._known.case.ref.idempotency_key("calendar") if booking.replaces is None else self._earlier_uid(),
            summary=", ".join(part for part in (about.court, about.venue) if part),
            venue=about.venue,
            when=about.when,
            changed_at=booking.updated_at or booking.occurred_at,
            now=self._now,
        )
        if calendar is not None:
            extra["attachments"] = [calendar]
        return Entry(
            key=key,
            state=state,
            message=Outgoing(
                kind="confirmation",
                channel=booking.channel,
                account_id=booking.account_id,
                to=booking.to,
                in_reply_to=booking.booking_id,
                text=text,
                idempotency_key=self._known.case.ref.idempotency_key(f"confirm {booking.edition}"),
                extra=extra,
            ),
            parts=(text,),
            event=self._known.case.ref.key,
            thread="",
            created_at=self._now,
            expires_at=runtime.memory.expiry(),
            hold=hold,
            claimed_at=self._now if sending else None,
            attempts=1 if sending else 0,
            base={
                "kind": "turn",
                "role": "assistant",
                "timestamp": iso(booking.occurred_at),
                "event_id": booking.booking_id,
                "source": "said",
                "importance": "0.75",
            },
        )

    def _earlier_uid(self) -> str:
        """Return the calendar's name of the booking that this one replaces, so that calendars move it too."""
        return replace(self._known.case.ref, event_id=self._booking.replaces or "").idempotency_key("calendar")
