"""The booking bot: what happens to one version of a booking."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from booking.alerts import clash, no_clash_any_more
from booking.closing import BOT, Closer, Known
from booking.record import subject_of
from booking.state import Clash, Silent, Step, Tell, Wait, decide
from booking.writing import Subject, Writer, Written
from onthoud.deadline import Deadline
from onthoud.delivery.desk import ROUNDS, Case
from onthoud.delivery.ledger import EventRef, Record
from onthoud.delivery.outbox import State
from onthoud.delivery.quarantine import Suspect, customer_of, id_of
from onthoud.delivery.worker import Message, Worker
from onthoud.errors import Conflict, NotFound, PermanentError
from onthoud.events.booking import Booking, booking_of
from onthoud.events.envelope import BOOKING, Unwrapped
from onthoud.memory.court_days import day_keys, taken_by
from onthoud.memory.identities import identities_key, links_of
from onthoud.memory.profile import CustomerProfile, profile_key
from onthoud.memory.working import Conversation
from onthoud.observability import count, logger
from onthoud.runtime import Runtime

SETTLED = "onthoud_settled"
"""Marks the copy of a cancellation that comes back after the wait; see `BookingBot._wait`."""


@dataclass(frozen=True, slots=True)
class Run:
    """One message being worked off."""

    message: Message
    deadline: Deadline


@dataclass(frozen=True, slots=True)
class Drafted:
    """A message that is ready: what it is about, its words, and the guard that holds it back."""

    about: Subject
    written: Written
    hold: str | None
    conversation: Conversation


class BookingBot:
    """Confirms bookings, once per version."""

    def __init__(self, runtime: Runtime, worker: Worker) -> None:
        self._runtime = runtime
        self._worker = worker
        self._desk = runtime.desk
        self._settings = runtime.settings
        self._writer = Writer(runtime.model, runtime.prices, runtime.settings)

    def process(self, unwrapped: Unwrapped, run: Run) -> None:
        """Work off one version of a booking.

        Raises:
            RetryableError: it cannot be brought to an end now.
        """
        event = unwrapped.event
        try:
            if unwrapped.schema != BOOKING:
                raise PermanentError("schema: not a booking")
            self._one(booking_of(event), event, run)
        except PermanentError as error:
            self._isolate(event, str(error), run)

    def _one(self, booking: Booking, event: Mapping[str, Any], run: Run) -> None:
        drafted: Drafted | None = None
        for _ in range(ROUNDS):
            known = self._open(booking)
            if booking.edition in known.case.record.decisions:
                self._again(booking, known.case, run)
                return
            settled = event.get(SETTLED) == booking.edition or not self._may_wait
            step = self._step(booking, known, settled=settled)
            if isinstance(step, Wait):
                if self._wait(booking, event, known):
                    return
                continue
            try:
                self._close(booking, known, step, run, drafted)
                return
            except _Overtaken as overtaken:
                drafted = overtaken.drafted
        raise Conflict(f"booking {booking.booking_id} kept changing while it was decided")

    # -- reading -----------------------------------------------------------------------------------------------------

    def _open(self, booking: Booking) -> Known:
        """Read all that decides, in one round trip; a second one for a person with several identities."""
        space = self._settings.space
        ref = EventRef(space, "booking", booking.channel, booking.account_id, booking.booking_id)
        scope = booking.scope(space)
        extra = [profile_key(scope), identities_key(scope)]
        earlier = replace(ref, event_id=booking.replaces) if booking.replaces else None
        if earlier is not None and earlier != ref:
            extra.append(earlier.key)
        days = day_keys(space, booking) if booking.is_active else []
        case = self._desk.open(ref, scope=scope, occurred_at=booking.occurred_at, extra=[*extra, *days])
        replaces = case.record.get("replaces")
        if earlier is None and replaces:
            earlier = replace(ref, event_id=replaces)
            case = replace(case, items={**case.items, **self._desk.table.get_many([earlier.key])})
        replaced = Record(earlier, case.items.get(earlier.key)) if earlier is not None and earlier != ref else None
        return Known(case, scope, replaced, {key: case.items[key] for key in days if key in case.items})

    def _profile(self, known: Known) -> tuple[CustomerProfile, list[str]]:
        """Return the profile and where it comes from; what it lacks, the identities that somebody has linked lend."""
        items = known.case.items
        own = profile_key(known.scope)
        profile = CustomerProfile.of_item(items.get(own))
        sources = ["profile"] if own in items else []
        links = links_of(items.get(identities_key(known.scope)))
        if links:
            found = self._desk.table.get_many([profile_key(link.other) for link in links])
            for link in links:
                item = found.get(profile_key(link.other))
                profile = profile.over(CustomerProfile.of_item(item))
                sources += [f"profile of {link.other.name}"] if item is not None else []
        return profile, sources

    def _step(self, booking: Booking, known: Known, *, settled: bool) -> Step:
        case = known.case
        if case.head.refuses(booking.occurred_at):
            return Silent("erased", remember=False)
        taken = taken_by(known.days.values(), booking, self._desk.clock.now()) if booking.is_active else None
        return decide(booking, case.record, known.replaced, taken, settled=settled)

    # -- the ways a version can go -----------------------------------------------------------------------------------

    def _close(self, booking: Booking, known: Known, step: Step, run: Run, drafted: Drafted | None) -> None:
        closer = Closer(self._runtime, booking, known)
        if isinstance(step, Tell) and self._settings.mode_of(BOT, booking.account_id) != "off":
            drafted = self._drafted(step, booking, known, run, drafted)
            closing = closer.told(step, drafted.about, drafted.written, drafted.hold, drafted.conversation)
        elif isinstance(step, Clash):
            clash(self._runtime, booking, step, known.scope)
            closing = closer.clashed(step)
        else:
            closing = closer.silent(step if isinstance(step, Silent) else Silent("mode_off"))
        try:
            self._desk.close(known.case, closing)
        except Conflict as conflict:
            raise _Overtaken(drafted) from conflict
        count(closing.decision.outcome.capitalize())
        if known.case.record.get("clash") and not isinstance(step, Clash):
            no_clash_any_more(self._runtime, booking)
        if closing.entry is not None and closing.entry.state is State.SENDING:
            self._runtime.sender.deliver(closing.entry, run.deadline)

    def _drafted(self, step: Tell, booking: Booking, known: Known, run: Run, before: Drafted | None) -> Drafted:
        """Write the message; what was written before somebody else's write is kept where it still fits."""
        now = self._desk.clock.now()
        conversation = self._desk.memory.conversation(known.scope, known.case.head)
        hold = known.case.situation(self._settings, now).hold()
        profile, sources = self._profile(known)
        about = subject_of(
            step.kind,
            booking,
            profile,
            self._settings,
            now=now,
            returning=conversation.answered_before,
            clean=self._runtime.redactor.clean,
        )
        if before is not None and before.about == about and (hold is not None or before.hold is None):
            written = before.written
        else:
            written = Written(about.plain) if hold else self._writer.write(about, run.deadline)
            written.memory_ids = sources if written.calls else []
        return Drafted(about, written, hold, conversation)

    @property
    def _may_wait(self) -> bool:
        return self._settings.move_wait_s > 0 and bool(self._settings.events_queue_url)

    def _wait(self, booking: Booking, event: Mapping[str, Any], known: Known) -> bool:
        """Free the court now and say so later; return False if somebody else wrote meanwhile.

        Some booking systems tell a move as two events, the old booking's cancellation and a new booking that replaces
        it, in either order. A FIFO queue cannot delay a message without blocking the customer's others, so a copy goes
        the way of all events, with a delay. Its coming back does not depend on this write: whoever crashes between the
        two does both again.
        """
        closer = Closer(self._runtime, booking, known)
        try:
            self._desk.table.transact(closer.waiting())
        except Conflict:
            return False
        body = json.dumps({**event, SETTLED: booking.edition}, ensure_ascii=False, separators=(",", ":"))
        queue = self._runtime.queue(self._settings.events_queue_url)
        name = known.case.ref.idempotency_key(f"wait {booking.edition}")
        queue.send(body, group="default", deduplication_id=name, delay_s=self._settings.move_wait_s)
        count("CancellationWaits")
        logger.info("a cancellation waits for what may replace it", booking_id=booking.booking_id)
        return True

    def _again(self, booking: Booking, case: Case, run: Run) -> None:
        """Handle a version that was decided before: a duplicate, or one whose message a crash left unfinished."""
        count("Duplicate")
        if case.record.reply is None or case.record.get("reply_for") != booking.edition:
            return
        try:
            entry = self._runtime.outbox.read(case.record.reply, self._desk.clock.now())
        except NotFound:
            return  # long over, or erased
        if entry.queue in {"sending", "retry"}:
            logger.info("carrying on", entry=entry.id, state=str(entry.state))
            self._runtime.sender.carry_on(entry, run.deadline)

    def _isolate(self, event: Mapping[str, Any], reason: str, run: Run) -> None:
        """Put the event into quarantine, with what can be read of whose it is."""
        self._worker.isolate(
            Suspect(
                self._worker.queue,
                BOT,
                run.message.message_id,
                run.message.body,
                reason,
                event_id=id_of(event.get("booking_id")),
                customer=customer_of(event, self._settings.space, "customer"),
            )
        )


class _Overtaken(Conflict):
    """A decision that somebody else's write has overtaken; what was written for it is kept."""

    def __init__(self, drafted: Drafted | None) -> None:
        super().__init__("a decision was overtaken")
        self.drafted = drafted
