"""Lambda: the daily schedule -> one brief for the local date of its occurrence."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from daily_brief.assembly import assemble, runtime
from daily_brief.run import BriefRun, Parts
from onthoud.clock import from_iso
from onthoud.deadline import Deadline
from onthoud.observability import logger, metrics


@cache
def parts() -> Parts:
    """Return the warm function's parts."""
    return assemble(runtime())


def scheduled_at(event: dict[str, Any], now: datetime) -> datetime:
    """Return the occurrence that an event is for; one without a time, such as a call by hand, is for now.

    Scheduler writes the occurrence's time into the input, and repeats it unchanged when it tries again hours later.
    """
    try:
        return from_iso(str(event["scheduled_at"]))
    except (KeyError, ValueError):
        return now


@logger.inject_lambda_context(clear_state=True)
@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Tell the operator; the answer says what became of each way out."""
    made = parts()
    run = BriefRun(made, scheduled_at(event, made.clock.now()), Deadline(context.get_remaining_time_in_millis))
    outcomes = run.run()
    logger.info("brief", run=run.name, outcomes=outcomes)
    return {"brief": run.name, "outcomes": outcomes}
