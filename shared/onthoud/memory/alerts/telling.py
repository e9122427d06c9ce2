"""What is remembered once a brief was delivered, or once nobody knows whether it was. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from onthoud.memory.alerts.advance import noted, settled
from onthoud.memory.alerts.model import Alert, Entry, Reported, Rules
from onthoud.memory.alerts.planning import Telling


def told(alert: Alert, telling: Telling, audience: str, run: str, at: datetime, rules: Rules) -> Alert:
    """Return the alert as surely told to `audience` in the state that the plan recorded, not in today's."""
    reported = {**alert.reported, audience: _memory(telling, run, at)}
    unsure = {name: memory for name, memory in alert.unsure.items() if name != audience}
    after = replace(alert, reported=reported, unsure=unsure, surfaced_at=alert.surfaced_at or at)
    return settled(noted(after, Entry(at, f"told {telling.kind}", run, audience), rules), rules)


def perhaps_told(alert: Alert, telling: Telling, audience: str, run: str, at: datetime, rules: Rules) -> Alert:
    """Return the alert as sent with an unknown outcome: the next brief repeats it as possibly seen."""
    unsure = {**alert.unsure, audience: _memory(telling, run, at)}
    after = replace(alert, unsure=unsure)
    return noted(after, Entry(at, f"perhaps told {telling.kind}", run, audience), rules)


def _memory(telling: Telling, run: str, at: datetime) -> Reported:
    return Reported(
        hash=telling.hash,
        material=telling.material,
        at=at,
        run=run,
        closed=telling.closed,
        seq=telling.seq,
        reminders=telling.reminders,
    )
