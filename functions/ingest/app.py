"""Lambda: the events queue (EventBridge rules, SNS) -> the bots' FIFO queues."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from ingest.routing import route
from onthoud.delivery.quarantine import Suspect, customer_of, id_of
from onthoud.delivery.records import Batch, answer
from onthoud.delivery.worker import Message, Worker
from onthoud.errors import PermanentError
from onthoud.events.comment import Unreadable
from onthoud.events.envelope import BOOKING, Unwrapped
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
    for routed in messages:
        try:
            queues[routed.queue].send(routed.body, group=routed.group, deduplication_id=routed.deduplication_id)
        except PermanentError as error:  # too large, say
            unreadable.append(Unreadable(routed.event, str(error)))
        else:
            count("Ingested")
    for position, one in enumerate(unreadable):
        worker.isolate(_suspect(one, worker, message, position))


def _suspect(one: Unreadable, worker: Worker, message: Message, position: int) -> Suspect:
    fields = one.event if isinstance(one.event, dict) else {}
    is_booking = fields.get("schema") == BOOKING
    return Suspect(
        worker.queue,
        BOT,
        message.message_id,
        json.dumps(one.event, ensure_ascii=False, default=str),
        one.reason,
        position=position,
        event_id=id_of(fields.get("booking_id" if is_booking else "comment_id")),
        customer=customer_of(fields, worker.settings.space, "customer" if is_booking else "author"),
    )


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
