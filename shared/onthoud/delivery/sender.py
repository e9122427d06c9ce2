"""The sender: one send per message, and what follows when nobody knows whether it happened."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from onthoud.clock import Clock
from onthoud.deadline import Deadline
from onthoud.delivery.desk import Case, Desk
from onthoud.delivery.outbox import LEASE, RETRY, Entry, Outbox, State
from onthoud.delivery.switches import SwitchBoard, Switches, switches_key
from onthoud.errors import Conflict, OutOfTime, RetryableError
from onthoud.memory.head import head_key, not_erased_since, not_stopped, touched
from onthoud.observability import count, logger
from onthoud.ports.channel import Channel, FailureClass, Receipt, SendError
from onthoud.ports.table import Action, Check, Exists, Update
from onthoud.scope import Scope

SEND_TIMEOUT_S = 10.0
LEAST_TIMEOUT_S = 2.0


class Sender:
    """Sends what is in SENDING, and brings back to SENDING what may be tried again."""

    def __init__(self, desk: Desk, outbox: Outbox, channel: Channel) -> None:
        self._desk = desk
        self._outbox = outbox
        self._channel = channel
        self._clock: Clock = desk.clock

    def deliver(self, entry: Entry, deadline: Deadline, *, unsure: bool = False) -> Entry:
        """Send an entry that was just put into SENDING; return it as it then is.

        `unsure`: its next part may have arrived before, so that a refusal now does not prove that it was never sent.

        Raises:
            RetryableError: it was not sent, or nobody knows yet; the queue (or the sweeper) comes again.
        """
        receipt, first = Receipt(), entry.sent_parts
        for part in range(first, len(entry.parts)):
            try:
                receipt = self._channel.send(entry.outgoing(part), timeout_s=self._timeout(deadline))
            except SendError as error:
                if unsure and part == first:
                    return self._still_unsure(entry, error)
                return self._failed(entry, error)
            if part + 1 < len(entry.parts):
                entry = self._outbox.move(entry, sent_parts=part + 1)
        count("Sent")
        return self._sent(entry, receipt)

    def carry_on(self, entry: Entry, deadline: Deadline, *, approved: bool = False) -> Entry:
        """Go on with an entry that an earlier invocation left, wherever it stands; return it as it then is.

        Raises:
            RetryableError: it cannot be brought to an end now.
        """
        if entry.leased(self._clock.now()):
            raise OutOfTime("another invocation may still be sending this message")
        if entry.state is State.SENDING:
            return self._resolve(entry, deadline)
        if entry.state is State.PLANNED and (entry.hold == RETRY or approved):
            released = self.release(entry, approved=approved)
            return self._again(released, entry, deadline) if released.state is State.SENDING else released
        return entry

    def release(self, entry: Entry, *, approved: bool) -> Entry:
        """Bring a PLANNED entry to SENDING, unless a guard holds it: then it stays PLANNED with that as its reason.

        A kill switch holds even what a person has approved; a person who took over holds what nobody approved.

        Raises:
            Conflict: somebody else was quicker.
        """
        case, now = self._desk.reopen(entry), self._clock.now()
        if _is_void(case, entry):
            return self._outbox.move(entry, state=State.GONE, hold="")
        situation = case.situation(self._desk.settings, now)
        hold = situation.stop() if approved else self._interrupted(case, entry) or self._too_old(entry)
        if hold is not None:
            return entry if hold == entry.hold else self._outbox.move(entry, hold=hold)
        moved = replace(
            entry,
            state=State.SENDING,
            hold="",
            failure="",
            attempts=entry.attempts + 1,
            claimed_at=now,
            expires_at=max(entry.expires_at, self._desk.memory.expiry()),
        )
        self._desk.table.transact(self._releasing(case, entry, moved))
        return moved

    def uncount(self, entry: Entry) -> Entry:
        """Take a reply that was not sent after all out of the head's count; return the entry.

        If a crash loses this, the bot merely greets no newcomer.
        """
        if entry.key.pk.startswith("customer#"):
            head = head_key(Scope.of_partition(entry.key.pk))
            try:
                self._desk.table.write(Update(head, add={"replies": -1}, when=(Exists("replies"),)))
            except Conflict:
                logger.info("no head to uncount a reply in", entry=entry.id)
        return entry

    # -- inside ------------------------------------------------------------------------------------------------------

    def _releasing(self, case: Case, entry: Entry, moved: Entry) -> list[Action]:
        now = self._clock.now()
        actions: list[Action] = [
            Outbox.moving(entry, moved),
            Check(case.ref.key, case.record.unchanged),
            Check(switches_key(case.ref.space), Switches.not_stopped(case.ref.account)),
        ]
        if case.scope is not None:
            head = touched(case.scope, case.head, now, history=self._desk.memory.history, replies=1)
            actions.append(replace(head, when=(not_stopped(), not_erased_since(entry.created_at))))
        if case.thread is not None:
            customer = case.scope.partition if case.scope else ""
            counted = entry.hold == RETRY  # when it was first tried
            actions.append(case.thread.check() if counted else case.thread.answering(now, list(moved.parts), customer))
        return actions

    def _again(self, entry: Entry, left: Entry, deadline: Deadline) -> Entry:
        """Send what was tried before and refused: who can be asked is asked first, since some refuse too late."""
        if left.attempts and self._channel.can_read_back:
            entry, missing = self._read_back(entry, left, deadline)
            if not missing:
                count("FoundSent")
                return entry
        return self.deliver(entry, deadline)

    def _resolve(self, entry: Entry, deadline: Deadline) -> Entry:
        """Find out about an entry whose sender died or lost the answer.

        Only one may do so at a time: the claim raises the attempt, on the condition that it is still the one read.
        """
        left = entry
        entry = self._outbox.move(entry, attempts=entry.attempts + 1, claimed_at=self._clock.now())
        if self._channel.can_read_back:
            entry, missing = self._read_back(entry, left, deadline)
            if not missing:
                count("FoundSent")
                return entry
        elif not self._channel.is_idempotent:
            return self._unknown(entry)
        # Read last: the far end may have taken its time to answer, and a stop may have been set meanwhile.
        held = self._interrupted(self._desk.reopen(entry), entry) or self._too_old(left)
        if held is None:
            return self.deliver(entry, deadline, unsure=not self._channel.can_read_back)
        if not self._channel.can_read_back:
            return self._unknown(entry)  # it may have gone out before the stop; a person must look
        state = State.GONE if held == "deleted" else State.PLANNED
        return self.uncount(self._outbox.move(entry, state=state, hold="" if state is State.GONE else held))

    def _read_back(self, entry: Entry, left: Entry, deadline: Deadline) -> tuple[Entry, bool]:
        """Ask for each part that may have arrived; return the entry, and whether a part is missing.

        `left` is the entry as it was before it was claimed.
        """
        receipt = Receipt()
        for part in range(entry.sent_parts, len(entry.parts)):
            try:
                found = self._channel.find_own_reply(entry.outgoing(part), timeout_s=self._timeout(deadline))
            except SendError as error:
                # The claim stays; the lease is given back so that the next delivery may ask again.
                self._outbox.move(entry, claimed_at=left.claimed_at)
                raise RetryableError(f"the channel could not be read back: {error.code}") from None
            if found is None:
                return (entry if part == entry.sent_parts else self._outbox.move(entry, sent_parts=part)), True
            receipt = found
        return self._sent(entry, receipt), False

    def _interrupted(self, case: Case, entry: Entry) -> str | None:
        if _is_void(case, entry):
            return "deleted"
        situation = case.situation(self._desk.settings, self._clock.now())
        return situation.stop() or ("human_answered" if case.thread is not None and case.thread.human else None)

    def _failed(self, entry: Entry, error: SendError) -> Entry:
        logger.warning("send failed", entry=entry.id, failure=str(error.failure), code=error.code)
        count(f"SendFailed{error.failure.capitalize()}")
        match error.failure:
            case FailureClass.TRANSIENT:
                self.uncount(self._outbox.move(entry, state=State.PLANNED, hold=RETRY, failure=error.code))
                raise RetryableError(f"the channel refused for now: {error.code}", retry_after_s=error.retry_after_s)
            case FailureClass.AMBIGUOUS if self._channel.can_read_back or self._channel.is_idempotent:
                self._outbox.move(entry, claimed_at=self._lease_given_back(), failure=error.code)
                raise RetryableError(f"the channel's answer was lost: {error.code}")
            case FailureClass.AMBIGUOUS:
                return self._unknown(replace(entry, failure=error.code), was=entry)
            case FailureClass.AUTH:
                self._stop_account(entry)
                moved = self._outbox.move(entry, state=State.PLANNED, hold="channel_auth", failure=error.code)
            case FailureClass.POLICY:
                moved = self._outbox.move(entry, state=State.FAILED, failure=error.code)
            case FailureClass.GONE:
                moved = self._outbox.move(entry, state=State.GONE, failure=error.code)
        return self.uncount(moved)

    def _still_unsure(self, entry: Entry, error: SendError) -> Entry:
        """Handle the failure of a repetition: whatever it says, the first try may have arrived.

        try 1: the far end takes it, the answer is lost
        try 2: 429. Were it PLANNED now, as surely not sent, a stop would make a draft of it, a deletion GONE.
        """
        logger.warning("send failed again", entry=entry.id, failure=str(error.failure), code=error.code)
        count(f"SendFailed{error.failure.capitalize()}")
        if error.failure in {FailureClass.TRANSIENT, FailureClass.AMBIGUOUS}:
            self._outbox.move(entry, claimed_at=self._lease_given_back(), failure=error.code)
            raise RetryableError(f"still unknown whether it was sent: {error.code}", retry_after_s=error.retry_after_s)
        if error.failure is FailureClass.AUTH:
            self._stop_account(entry)
        return self._unknown(replace(entry, failure=error.code), was=entry)

    def _stop_account(self, entry: Entry) -> None:
        board = SwitchBoard(self._desk.table, self._desk.settings.space)
        board.account(entry.message.account_id, on=False, now=self._clock.now(), reason="channel_auth")
        logger.error("account stopped: the channel refuses its credentials", account=entry.message.account_id)

    def _lease_given_back(self) -> datetime:
        """Return the `claimed_at` of a call that is over: the next delivery need not wait."""
        return self._clock.now() - LEASE

    def _too_old(self, left: Entry) -> str | None:
        """Hold back a reply that nobody has tried to send for as long as makes an event too old."""
        limit = timedelta(hours=self._desk.settings.max_event_age_hours)
        idle = self._clock.now() - (left.claimed_at or left.created_at)
        return "too_old" if left.message.kind == "reply" and idle > limit else None

    def _unknown(self, entry: Entry, *, was: Entry | None = None) -> Entry:
        count("SendUnknown")
        moved = replace(entry, state=State.UNKNOWN)
        self._desk.table.write(Outbox.moving(was or entry, moved))
        return moved

    def _sent(self, entry: Entry, receipt: Receipt) -> Entry:
        try:
            return self._outbox.sent(entry, receipt, self._clock.now())
        except Conflict:
            # Somebody else has learned it first, or the customer was erased meanwhile: nothing is left to record.
            logger.info("already recorded as sent, or erased", entry=entry.id)
            return replace(entry, state=State.SENT)

    def _timeout(self, deadline: Deadline) -> float:
        return max(LEAST_TIMEOUT_S, min(SEND_TIMEOUT_S, deadline.remaining_s()))


def _is_void(case: Case, entry: Entry) -> bool:
    """Say whether nobody may get the message any more: its event is deleted or superseded, its customer erased."""
    erased = case.head.refuses(entry.created_at)
    return erased or bool(case.record.get("deleted_at")) or case.record.supersedes(entry.key)
