"""EventBridge Scheduler: which occurrence of which schedule is due next, and what its target is given."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from infra.local.errors import TemplateError, Unknown
from infra.local.expressions import At, Cron, Rate, parse
from infra.local.template import ACCOUNT, REGION
from onthoud.clock import to_utc


@dataclass(slots=True)
class Schedule:
    """One schedule of the template.

    Attributes:
        name: its short name.
        arn: its ARN.
        function: the short name of the function that it runs.
        expression: when.
        input: the configured input, a JSON text with Scheduler's context attributes; None for Scheduler's own event.
        enabled: whether it runs by itself.
        handled_until: occurrences up to here have run.
    """

    name: str
    arn: str
    function: str
    expression: Cron | Rate | At
    input: str | None
    enabled: bool
    handled_until: datetime

    def due(self, horizon: datetime) -> datetime | None:
        """Return the occurrence that runs next, if it lies up to `horizon`; of a rate's many, the last."""
        if not self.enabled:
            return None
        first = self.expression.next_after(self.handled_until)
        if first is None or first > horizon:
            return None
        return self.expression.last_until(horizon) if isinstance(self.expression, Rate) else first

    def event(self, at: datetime, attempt: int = 1) -> Any:
        """Return what the function is given for the occurrence at `at`."""
        moment = to_utc(at).strftime("%Y-%m-%dT%H:%M:%SZ")
        if self.input is None:
            return {
                "version": "0",
                "id": str(uuid.uuid4()),
                "detail-type": "Scheduled Event",
                "source": "aws.scheduler",
                "account": ACCOUNT,
                "time": moment,
                "region": REGION,
                "resources": [self.arn],
                "detail": "{}",
            }
        text = self.input
        for attribute, value in (
            ("schedule-arn", self.arn),
            ("scheduled-time", moment),
            ("execution-id", str(uuid.uuid4())),
            ("attempt-number", str(attempt)),
        ):
            text = text.replace(f"<aws.scheduler.{attribute}>", value)
        return json.loads(text)


@dataclass(frozen=True, slots=True)
class Due:
    """An occurrence that is to run."""

    schedule: Schedule
    at: datetime


class Schedules:
    """All schedules of the stack."""

    def __init__(self, schedules: Iterable[Schedule]) -> None:
        self._by_name = {schedule.name: schedule for schedule in schedules}

    @property
    def names(self) -> list[str]:
        """The short names."""
        return sorted(self._by_name)

    def get(self, name: str) -> Schedule:
        """Return a schedule.

        Raises:
            Unknown: there is none of that name.
        """
        if name not in self._by_name:
            raise Unknown("schedule", name, self._by_name)
        return self._by_name[name]

    def next(self, horizon: datetime) -> Due | None:
        """Return the earliest occurrence that is due up to `horizon` and has not run."""
        due = [Due(schedule, at) for schedule in self._by_name.values() if (at := schedule.due(horizon)) is not None]
        return min(due, key=lambda one: (one.at, one.schedule.name), default=None)

    def done(self, due: Due) -> None:
        """Let the occurrence be a thing of the past."""
        due.schedule.handled_until = due.at

    def state(self) -> dict[str, str]:
        """Return how far each has run, to be kept between runs."""
        return {name: schedule.handled_until.isoformat() for name, schedule in self._by_name.items()}

    def restore(self, state: dict[str, str]) -> None:
        """Take up what an earlier run has kept."""
        for name, moment in state.items():
            if name in self._by_name:
                self._by_name[name].handled_until = datetime.fromisoformat(moment)


def build(name: str, arn: str, function: str, properties: dict[str, Any], now: datetime) -> Schedule:
    """Make a schedule from its resource's properties; it counts from `now`."""
    zone_name = str(properties.get("ScheduleExpressionTimezone", "UTC"))
    try:
        zone = ZoneInfo(zone_name)
    except (KeyError, ValueError, OSError) as error:
        raise TemplateError(f"schedule {name}: no time zone {zone_name!r}") from error
    given = properties.get("Target", {}).get("Input")
    if given is not None:
        try:
            json.loads(str(given))
        except ValueError as error:
            raise TemplateError(f"schedule {name}: its input is not JSON: {error}") from error
    return Schedule(
        name,
        arn,
        function,
        parse(str(properties["ScheduleExpression"]), zone, now.astimezone(UTC)),
        given,
        properties.get("State", "ENABLED") == "ENABLED",
        now,
    )
