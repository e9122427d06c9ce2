"""The ways out of a brief. Each is an audience of the alert log, with a memory of its own of what it was told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from daily_brief.compose import Brief
from onthoud import keys
from onthoud.clock import epoch
from onthoud.delivery.desk import Case
from onthoud.delivery.ledger import EventRef
from onthoud.delivery.outbox import Entry, State
from onthoud.delivery.sender import Sender
from onthoud.memory.alerts.stores import BRIEF, BRIEF_LOG, OPERATOR, operator_partition
from onthoud.ports.channel import Channel, Outgoing
from onthoud.ports.table import Key
from onthoud.scope import Space
from onthoud.settings import LEDGER_DAYS


def _whole(text: str) -> tuple[str, ...]:
    return (text,)


def audience(name: str) -> str:
    """Return what the alert log calls a way out."""
    return f"{OPERATOR}/{name}"


@dataclass(frozen=True, slots=True)
class Outlet:
    """One way out.

    Attributes:
        name: `channel` (the stack's own), `slack` or `email`.
        to: whom it reaches there.
        split: cuts a text into the parts that the channel takes.
    """

    name: str
    channel: Channel
    sender: Sender
    to: str = OPERATOR
    split: Callable[[str], tuple[str, ...]] = field(default=_whole)

    @property
    def audience(self) -> str:
        """What the alert log calls it."""
        return audience(self.name)

    @property
    def account(self) -> str:
        """What the kill switch calls it, so that a refused credential stops this way out and no other."""
        return BRIEF_LOG if self.name == "channel" else f"{BRIEF_LOG}-{self.name}"

    def event(self, space: Space, run: str) -> EventRef:
        """Return the ledger's name for one run's brief on this way out."""
        return EventRef(space, BRIEF, self.name, self.account, run)

    def entry(self, case: Case, run: str, brief: Brief, now: datetime, *, about: Sequence[str] = ()) -> Entry:
        """Return the outgoing message of a run, about to be sent.

        `about` names the customers (by partition) whom a line of it concerns, so that erasing them finds it.
        """
        return Entry(
            key=Key(
                operator_partition(case.ref.space, BRIEF_LOG, OPERATOR),
                keys.join(BRIEF, run, self.name, limit=keys.MAX_SORT_KEY_BYTES),
            ),
            state=State.SENDING,
            message=Outgoing(
                kind="brief",
                channel=self.name,
                account_id=self.account,
                to=self.to,
                in_reply_to=run,
                text=brief.text,
                idempotency_key=case.ref.idempotency_key("brief"),
                extra={"subject": brief.subject},
            ),
            parts=self.split(brief.text),
            event=case.ref.key,
            thread="",
            created_at=now,
            expires_at=epoch(now + timedelta(days=LEDGER_DAYS)),
            claimed_at=now,
            attempts=1,
            # The sweeper and the drafts know the stack's own channel only; another is finished by the brief itself.
            base={
                "kind": BRIEF,
                **({} if self.name == "channel" else {"outlet": self.name}),
                **({"about": list(about)} if about else {}),
            },
        )
