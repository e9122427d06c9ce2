"""The engine's queues: put, receive and delete by SQS's own calls, and looks that SQS itself does not offer.

This is the one module that reads MiniStack's internal queue records.
"""

from __future__ import annotations

import importlib
import json
import re
import time
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from infra.local.engine import Engine, EngineError
from infra.local.errors import Malformed

_GROUP = re.compile(r"[A-Za-z0-9!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]{1,128}")
"""SQS: 1 to 128 letters, digits and punctuation. MiniStack does not check it."""


@dataclass(frozen=True, slots=True)
class Queue:
    """One queue of the template."""

    name: str
    logical_id: str
    physical_name: str
    arn: str
    is_fifo: bool


@dataclass(frozen=True, slots=True)
class Lying:
    """A message as it lies in a queue.

    Attributes:
        known_as: the id under which it was received, which a function that gives a message up writes on the copy (SQS
            itself keeps a message's id when it moves it).
        reason: what a function wrote on it when it gave it up.
    """

    message_id: str
    known_as: str
    body: str
    group: str | None
    arrived_at: datetime
    reason: str


class Queues:
    """All queues of the stack."""

    def __init__(self, engine: Engine, queues: Iterable[Queue]) -> None:
        self._engine = engine
        self.by_arn = {queue.arn: queue for queue in queues}
        self._module: Any = importlib.import_module("ministack.services.sqs")

    def _record(self, queue: Queue) -> dict[str, Any]:
        record: dict[str, Any] = self._module._get_q(queue.physical_name)
        return record

    async def send(self, queue: Queue, body: str, *, group: str | None = None, deduplication: str | None = None) -> str:
        """Put a message on a queue; return its id. A FIFO message without a deduplication id gets a fresh one.

        Raises:
            Malformed: what SQS refuses, with its reason.
        """
        request: dict[str, Any] = {"QueueUrl": queue.physical_name, "MessageBody": body}
        if queue.is_fifo:
            request["MessageGroupId"] = _checked("MessageGroupId", group or "default")
            request["MessageDeduplicationId"] = _checked("MessageDeduplicationId", deduplication or uuid.uuid4().hex)
        try:
            answer = await self._engine.call("sqs", "SendMessage", request)
        except EngineError as refused:
            raise Malformed(f"{refused.code}: {refused.message}") from refused
        return str(answer["MessageId"])

    async def receive(self, queue: Queue, most: int) -> list[dict[str, Any]]:
        """Receive up to `most` messages that are visible now."""
        request = {
            "QueueUrl": queue.physical_name,
            "MaxNumberOfMessages": most,
            "WaitTimeSeconds": 0,
            "MessageSystemAttributeNames": ["All"],
            "MessageAttributeNames": ["All"],
        }
        messages: list[dict[str, Any]] = (await self._engine.call("sqs", "ReceiveMessage", request)).get("Messages", [])
        return messages

    async def delete(self, queue: Queue, receipt: str) -> None:
        """Delete a message; one whose receipt is no longer valid has been received anew and stays."""
        try:
            await self._engine.call("sqs", "DeleteMessage", {"QueueUrl": queue.physical_name, "ReceiptHandle": receipt})
        except EngineError as refused:
            if refused.code != "ReceiptHandleIsInvalid":
                raise

    def size(self, queue: Queue) -> int:
        """How many messages lie in a queue, hidden ones included."""
        return len(self._record(queue)["messages"])

    def lying(self, queue: Queue) -> Iterator[Lying]:
        """Look at all messages of a queue that it still retains, in order; no receive count changes."""
        record, now = self._record(queue), time.time()
        kept_s = float(record["attributes"]["MessageRetentionPeriod"])
        for message in list(record["messages"]):
            if message.get("enqueued_at", message["sent_at"]) + kept_s <= now:
                continue
            yield Lying(
                message["id"],
                _attribute(message, "message_id") or message["id"],
                message["body"],
                message.get("group_id"),
                datetime.fromtimestamp(message.get("enqueued_at", message["sent_at"]), UTC),
                _attribute(message, "reason"),
            )

    def remove(self, queue: Queue, message_id: str) -> None:
        """Take a message out, as a redrive does."""
        record = self._record(queue)
        record["messages"] = [message for message in record["messages"] if message["id"] != message_id]

    def oldest_visible(self, queue: Queue) -> float | None:
        """When the oldest message that is visible now was sent, in epoch seconds."""
        now = time.time()
        return min((m["sent_at"] for m in self._record(queue)["messages"] if m["visible_at"] <= now), default=None)

    def next_visible(self, queue: Queue) -> float | None:
        """When the next hidden message becomes visible, in epoch seconds; None when none is hidden."""
        now = time.time()
        return min((m["visible_at"] for m in self._record(queue)["messages"] if m["visible_at"] > now), default=None)

    def dead_letter_queue(self, queue: Queue) -> Queue | None:
        """Where messages go that were received too often."""
        policy = self._record(queue)["attributes"].get("RedrivePolicy")
        return self.by_arn.get(json.loads(policy)["deadLetterTargetArn"]) if policy else None


def _attribute(message: dict[str, Any], name: str) -> str:
    return str(message["message_attributes"].get(name, {}).get("StringValue", ""))


def _checked(name: str, value: str) -> str:
    if not _GROUP.fullmatch(value):
        raise Malformed(
            f"InvalidParameterValue: {name} can only include alphanumeric and punctuation characters, 1 to 128 of them"
        )
    return value
