"""Lambda: the events queue (EventBridge rules, SNS) -> the bots' FIFO queues."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from ingest.routing import route
from onthoud.delivery.quarantine import Suspect
from onthoud.delivery.records import Batch, answer
from onthoud.delivery.worker import Message, Worker
from onthoud.events.envelope import Unwrapped
from onthoud.observability import count, logger, metrics
from onthoud.ports.queue import Queue
from onthoud.runtime import Runtime

BOT = "ingest"


@cache
def runtime() -> tuple[Runtime, dict[str, Queue]]:
    """Return the warm function's parts."""
    parts = Runtime.from_environment()
    settings = parts.settings
    queues = {"comments": settings.comments_queue_url, "bookings": settings.bookings_queue_url}
    return parts, {name: parts.queue(url) for name, url in queues.items()}


def hand_over(unwrapped: Unwrapped, message: Message, worker: Worker, queues: dict[str, Queue]) -> None:
    """Put an event's messages on their queues; what cannot be read goes to quarantine and harms no other."""
    messages, unreadable = route(unwrapped)
    for position, one in enumerate(unreadable):
        body = json.dumps(one.event, ensure_ascii=False, default=str)
        worker.isolate(Suspect(worker.queue, BOT, message.message_id, body, one.reason, position=position))
    for routed in messages:
        queues[routed.queue].send(routed.body, group=routed.group, deduplication_id=routed.deduplication_id)
        count("Ingested")


@logger.inject_lambda_context(clear_state=True)
@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Route the events of a batch; report the messages that must come back."""
    parts, queues = runtime()
    worker = parts.worker(BOT, "events")
    return answer(
        Batch(event, context),
        lambda message, deadline: worker.work(
            message, deadline, lambda unwrapped: hand_over(unwrapped, message, worker, queues)
        ),
    )
