"""Lambda's event source mapping for SQS: batches, partial batch responses, and what a failure means."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from infra.local.errors import TemplateError
from infra.local.queues import Queue, Queues
from infra.local.template import REGION
from infra.local.workers import Outcome

log = logging.getLogger("onthoud.local")

MAX_RECEIVED = 10
"""SQS hands out at most ten messages a call; a larger batch would need a batching window, which none of ours has."""


@dataclass(frozen=True, slots=True)
class EventSource:
    """A queue that a function is fed from."""

    queue: Queue
    function: str
    batch_size: int
    reports_failures: bool


def build(queue: Queue, function: str, properties: Mapping[str, Any]) -> EventSource:
    """Make an event source from its resource's properties.

    Raises:
        TemplateError: it asks for what the local stack does not do.
    """
    if properties.get("FilterCriteria"):
        raise TemplateError(f"event source of {function}: the local stack does not filter")
    types = properties.get("FunctionResponseTypes", [])
    return EventSource(
        queue, function, min(int(properties.get("BatchSize", 10)), MAX_RECEIVED), "ReportBatchItemFailures" in types
    )


def event_of(source: EventSource, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the event that Lambda makes of received messages."""
    return {
        "Records": [
            {
                "messageId": message["MessageId"],
                "receiptHandle": message["ReceiptHandle"],
                "body": message["Body"],
                "attributes": message.get("Attributes", {}),
                "messageAttributes": {
                    name: _attribute(value) for name, value in message.get("MessageAttributes", {}).items()
                },
                "md5OfBody": message["MD5OfBody"],
                "eventSource": "aws:sqs",
                "eventSourceARN": source.queue.arn,
                "awsRegion": REGION,
            }
            for message in messages
        ]
    }


def _attribute(value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "stringValue": value.get("StringValue"),
        "binaryValue": value.get("BinaryValue"),
        "stringListValues": [],
        "binaryListValues": [],
        "dataType": value["DataType"],
    }


def failed_ids(source: EventSource, outcome: Outcome, ids: list[str]) -> tuple[set[str], str | None]:
    """Tell which messages of a batch failed, and why if not by the function's own word.

    Lambda's rule: an empty or null response, or an empty or null list, is a complete success. A response of another
    kind, an item without an id or with one that is not of the batch, an exception or a timeout fail the whole batch.
    """
    everything = set(ids)
    if outcome.error is not None:
        return everything, outcome.error
    if not source.reports_failures or not outcome.result:
        return set(), None
    result = outcome.result
    if not isinstance(result, dict) or "batchItemFailures" not in result:
        return everything, "the response holds no batchItemFailures"
    failures = result["batchItemFailures"]
    if failures is None:
        return set(), None
    named = [item.get("itemIdentifier") if isinstance(item, dict) else None for item in failures]
    if not all(isinstance(name, str) and name in everything for name in named):
        return everything, "batchItemFailures holds an item that is not of this batch"
    return {str(name) for name in named}, None


async def settle(queues: Queues, source: EventSource, messages: list[dict[str, Any]], failed: set[str]) -> None:
    """Delete what did not fail; what did comes back after its visibility timeout."""
    for message in messages:
        if message["MessageId"] not in failed:
            await queues.delete(source.queue, message["ReceiptHandle"])
