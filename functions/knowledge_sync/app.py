"""Lambda: the knowledge queue (S3's notifications) and the nightly schedule -> the vector index."""

from __future__ import annotations

from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from knowledge_sync.keeping import carry_out, keeper_of, reconcile
from knowledge_sync.messages import read
from onthoud.deadline import Deadline
from onthoud.delivery.records import Batch, answer
from onthoud.observability import logger, metrics
from onthoud.runtime import Runtime

BOT = "knowledge_sync"


@cache
def runtime() -> Runtime:
    """Return the warm function's parts."""
    return Runtime.from_environment()


@logger.inject_lambda_context(clear_state=True)
@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Bring the named documents into step, or all of them; report the messages that must come back."""
    parts = runtime()
    if "Records" not in event:
        deadline = Deadline(context.get_remaining_time_in_millis)
        return reconcile(keeper_of(parts, deadline), parts)
    worker = parts.worker(BOT, "knowledge")
    return answer(
        Batch(event, context),
        lambda message, deadline: worker.guard(
            message, deadline, lambda: carry_out(read(message.body), parts, deadline)
        ),
    )
