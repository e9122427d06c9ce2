"""The guards: what may hold a message back. Each is read before the model is paid, and again in the write that sends.

A message that is held back is never lost: it becomes a draft, with the guard's name as its reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from onthoud.delivery.switches import Switches
from onthoud.delivery.threads import Thread
from onthoud.memory.head import Head
from onthoud.settings import Settings


@dataclass(frozen=True, slots=True)
class Situation:
    """All that the guards look at, as read."""

    settings: Settings
    now: datetime
    account: str
    occurred_at: datetime
    head: Head
    switches: Switches
    thread: Thread | None = None

    def hold(self) -> str | None:
        """Return the name of the first guard that holds the message back, None where it may go."""
        return self.stop() or self.policy()

    def stop(self) -> str | None:
        """Return the kill switch that is off for this message: it holds back even what a person has approved."""
        switch = self.switches.stopped(self.account)
        if switch is not None:
            return f"switch_{switch}"
        if self.head.stopped:
            return "switch_customer"
        if self.thread is not None and self.thread.stopped:
            return "switch_thread"
        return None

    def policy(self) -> str | None:
        """Return the rule that wants a person to look first."""
        settings, now = self.settings, self.now
        if self.thread is not None and self.thread.human:
            return "human_answered"
        if self.thread is not None and self.thread.replies_this_hour(now) >= settings.replies_per_thread_and_hour:
            return "loop_guard"
        if now - self.occurred_at > timedelta(hours=settings.max_event_age_hours):
            return "too_old"
        if settings.daily_budget_usd and self.spent >= settings.daily_budget_usd:
            return "daily_budget"
        return None

    @property
    def spent(self) -> Decimal:
        """What the model has cost today, in the operator's time zone."""
        return self.switches.spent(self.now.astimezone(self.settings.operator_zone).date())
