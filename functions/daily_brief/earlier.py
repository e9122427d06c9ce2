"""What earlier runs left: a brief that was sent and not yet counted as told, one on its way, one that is too late."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from daily_brief.outlets import Outlet
from onthoud.clock import Clock
from onthoud.deadline import Deadline
from onthoud.delivery.desk import Desk
from onthoud.delivery.outbox import Entry, Outbox, State
from onthoud.errors import NotFound, RetryableError
from onthoud.memory.alerts.log import AlertLog
from onthoud.memory.alerts.store import KeptPlan
from onthoud.observability import count, logger
from onthoud.ports.archive import Archive
from onthoud.ports.channel import SendError
from onthoud.ports.table import Key

TOO_LATE = "too_late"
READ_BACK_TIMEOUT_S = 10.0


def copy_name(run: str, outlet: Outlet, outlets: Iterable[Outlet]) -> str:
    """Return the name of an audit copy; a way out other than the first has one of its own where it was told another."""
    first = next(iter(outlets))
    return f"{run}.md" if first.name == outlet.name else f"{run}.{outlet.name}.md"


@dataclass(frozen=True, slots=True)
class Earlier:
    """Settles plans whose delivery began."""

    desk: Desk
    outbox: Outbox
    log: AlertLog
    outlets: Mapping[str, Outlet]
    clock: Clock
    archive: Archive | None = None

    def settle(self, current: str, *, late: bool, deadline: Deadline) -> None:
        """Bring every plan on its way to an end, so that the next one knows what was told.

        Args:
            current: the present run; its own message may still be sent, that of an earlier one is too late.
            late: the present run is too late as well.
            deadline: the invocation's time.

        Raises:
            RetryableError: a message may still be being sent, or its channel cannot be asked now.
        """
        for kept in self.log.uncommitted():
            if kept.run > current:
                continue  # an old occurrence, repeated late, has no business with a later day's brief
            outlet = self.outlets.get(kept.audience)
            entry = self._entry(outlet, kept) if outlet is not None else None
            if outlet is None or entry is None:
                self.log.drop(kept)
                continue
            if kept.run == current and not late:
                if entry.leased(self.clock.now()):
                    # Another invocation sends it, or was killed at it: then the sweeper or the next run settles it.
                    logger.info("a brief is on its way", entry=entry.id)
                    continue
                entry = outlet.sender.carry_on(entry, deadline)
            else:
                entry = self._ended(outlet, entry)
            if self.archive is not None and entry.state in {State.SENT, State.UNKNOWN}:
                # Killed between the decision and the audit copy: what was sent is kept all the same.
                self.archive.put(copy_name(kept.run, outlet, self.outlets.values()), entry.message.text)
            self.conclude(kept, entry)

    def conclude(self, kept: KeptPlan, entry: Entry) -> None:
        """Remember what a delivery's outcome means for what was told."""
        match entry.state:
            case State.SENT:
                self.log.commit(kept)
                count("BriefDelivered")
            case State.UNKNOWN:
                self.log.commit(kept, certain=False)
                count("BriefUnknown")
            case State.FAILED | State.GONE:
                self.log.drop(kept)
                count("BriefFailed")
            case _:
                logger.warning("a brief waits", entry=entry.id, state=str(entry.state), hold=entry.hold)

    def _entry(self, outlet: Outlet | None, kept: KeptPlan) -> Entry | None:
        if outlet is None:
            return None
        ref = outlet.event(self.desk.settings.space, kept.run)
        reply = self.desk.open(ref, scope=None, occurred_at=self.clock.now()).record.reply
        return self._read(reply) if reply is not None else None

    def _read(self, key: Key) -> Entry | None:
        try:
            return self.outbox.read(key, self.clock.now())
        except NotFound:
            return None

    def _ended(self, outlet: Outlet, entry: Entry) -> Entry:
        """Find out about a message that must not be sent any more."""
        now = self.clock.now()
        if entry.state is State.PLANNED:
            return self.outbox.move(entry, state=State.FAILED, hold="", failure=TOO_LATE)
        if entry.state is not State.SENDING:
            return entry
        if entry.leased(now):
            raise RetryableError("an earlier brief may still be being sent")
        if not outlet.channel.can_read_back:
            return self.outbox.move(entry, state=State.UNKNOWN, failure=TOO_LATE)
        return self._asked(outlet, entry, now)

    def _asked(self, outlet: Outlet, entry: Entry, now: datetime) -> Entry:
        try:
            found = [
                outlet.channel.find_own_reply(entry.outgoing(part), timeout_s=READ_BACK_TIMEOUT_S)
                for part in range(len(entry.parts))
            ]
        except SendError as error:
            raise RetryableError(f"an earlier brief cannot be asked for: {error.code}") from None
        receipts = [receipt for receipt in found if receipt is not None]
        if len(receipts) == len(found):
            return self.outbox.sent(entry, receipts[-1], now)
        # A part of it arrived, or none: what was in it is told again.
        state = State.UNKNOWN if receipts else State.FAILED
        return self.outbox.move(entry, state=state, failure=TOO_LATE)
