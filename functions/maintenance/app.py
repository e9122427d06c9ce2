"""Lambda: the maintenance schedule -> the sweeper, which finishes sends that a crash left."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from onthoud.deadline import Deadline
from onthoud.observability import logger, metrics
from onthoud.runtime import Runtime


@cache
def runtime() -> Runtime:
    """Return the warm function's parts."""
    return Runtime.from_environment()


@logger.inject_lambda_context(clear_state=True)
@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Sweep the outbox; the answer says what was done, in messages."""
    del event
    return asdict(runtime().sweeper.sweep(Deadline(context.get_remaining_time_in_millis)))
