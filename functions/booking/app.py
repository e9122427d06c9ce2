"""Lambda: the bookings queue -> the booking bot."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from booking.bot import BookingBot, Run
from booking.closing import BOT
from onthoud.delivery.records import Batch, answer
from onthoud.observability import logger, metrics
from onthoud.runtime import Runtime
from onthoud.snapshot import preload

preload(os.environ)


@cache
def runtime() -> Runtime:
    """Return the warm function's parts."""
    return Runtime.from_environment()


@logger.inject_lambda_context(clear_state=True)
@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Confirm the bookings of a batch; report the messages that must come back."""
    parts = runtime()
    worker = parts.worker(BOT, "bookings", parts.settings.bookings_dead_letters_url)
    bot = BookingBot(parts, worker)
    return answer(
        Batch(event, context),
        lambda message, deadline: worker.work(
            message, deadline, lambda unwrapped: bot.process(unwrapped, Run(message, deadline))
        ),
    )
