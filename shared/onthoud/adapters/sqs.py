"""The queue port over SQS, and what the command line needs to look after dead letters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from onthoud.adapters import aws
from onthoud.adapters.aws_errors import Fault, code_of, fault_of, fault_of_code
from onthoud.clock import iso
from onthoud.errors import PermanentError, RetryableError
from onthoud.ports.queue import QueueMessage

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

REASON = "reason"
"""The message attribute that says why a message is a dead letter."""

MAX_BYTES = 1_048_576
"""SQS: what a message, and a batch of them, may weigh, attributes included (1 MiB; 256 KiB before August 2025)."""

_BATCH = 10
_REASON_CHARACTERS = 1024


@dataclass(frozen=True, slots=True)
class NewMessage:
    """One message of a batch that is to be sent."""

    body: str
    group: str
    deduplication_id: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    delay_s: int = 0


@dataclass(frozen=True, slots=True)
class Untaken:
    """A message of a batch that the queue did not take: its place in the batch, and why."""

    index: int
    error: RetryableError | PermanentError


class SqsQueue:
    """One queue. It is FIFO if its address ends in `.fifo`; only then do group and deduplication id travel."""

    def __init__(self, url: str, *, client: SQSClient | None = None) -> None:
        """Keep the queue's address; the client is made at the first use unless one is given."""
        self._url = url
        self._given = client
        self._is_fifo = url.endswith(".fifo")

    def send(
        self,
        body: str,
        *,
        group: str,
        deduplication_id: str,
        attributes: Mapping[str, str] | None = None,
        delay_s: int = 0,
    ) -> None:
        """Put a message on the queue, byte for byte; see the port."""
        message = NewMessage(body, group, deduplication_id, attributes or {}, delay_s)
        _check(message)
        try:
            self._client().send_message(QueueUrl=self._url, **self._fields(message))
        except Exception as error:
            raise _error(fault_of(error), code_of(error)) from None

    def send_many(self, messages: Sequence[NewMessage]) -> list[Untaken]:
        """Put messages on the queue in order and tell which of them it did not take; all others are on it."""
        untaken: list[Untaken] = []
        for chunk in _chunks(messages, untaken):
            untaken += self._send_chunk(chunk)
        return sorted(untaken, key=lambda one: one.index)

    def _send_chunk(self, chunk: list[tuple[int, NewMessage]]) -> list[Untaken]:
        entries: Any = [{"Id": str(index), **self._fields(message)} for index, message in chunk]
        try:
            answer = self._client().send_message_batch(QueueUrl=self._url, Entries=entries)
        except Exception as error:
            reason = _error(fault_of(error), code_of(error))
            return [Untaken(index, reason) for index, _ in chunk]
        return [
            Untaken(int(failed["Id"]), _error(fault_of_code(failed["Code"]), failed["Code"], own=failed["SenderFault"]))
            for failed in answer.get("Failed", [])
        ]

    def _fields(self, message: NewMessage) -> dict[str, Any]:
        fields: dict[str, Any] = {"MessageBody": message.body}
        if self._is_fifo:
            fields |= {"MessageGroupId": message.group, "MessageDeduplicationId": message.deduplication_id}
        elif message.delay_s:
            fields["DelaySeconds"] = message.delay_s
        if message.attributes:
            fields["MessageAttributes"] = {
                name: {"DataType": "String", "StringValue": value[:_REASON_CHARACTERS]}
                for name, value in message.attributes.items()
                if value
            }
        return fields

    def receive(self, limit: int, *, visibility_s: int) -> list[QueueMessage]:
        """Take up to `limit` messages, which nobody else sees for `visibility_s` seconds.

        Of a FIFO group, SQS gives out no further message while earlier ones are taken: at most 10 of a group.
        """
        found: dict[str, QueueMessage] = {}
        wait_s = 0
        while len(found) < limit:
            answer = self._receive_once(min(_BATCH, limit - len(found)), visibility_s, wait_s)
            fresh = {message.message_id: message for message in answer if message.message_id not in found}
            found |= fresh
            if fresh:
                continue
            if wait_s or self.count() <= len(found):
                break
            # SQS asks only some of its servers where it is not told to wait, and may say that there is nothing.
            wait_s = 1
        return list(found.values())

    def peek(self, limit: int, *, visibility_s: int = 20) -> list[QueueMessage]:
        """Look at up to `limit` messages and give them back at once.

        SQS counts a look as a receive: that is harmless on a dead-letter queue, which hands nothing on.
        """
        found = self.receive(limit, visibility_s=visibility_s)
        for message in found:
            self.release(message)
        return found

    def delete(self, message: QueueMessage) -> None:
        """Take a received message off the queue."""
        self._call("delete_message", QueueUrl=self._url, ReceiptHandle=message.receipt)

    def release(self, message: QueueMessage) -> None:
        """Let others see a received message again."""
        self._call("change_message_visibility", QueueUrl=self._url, ReceiptHandle=message.receipt, VisibilityTimeout=0)

    def count(self) -> int:
        """Return about how many messages lie in the queue, taken ones included."""
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        answer = self._call("get_queue_attributes", QueueUrl=self._url, AttributeNames=names)
        return sum(int(answer.get("Attributes", {}).get(name, 0)) for name in names)

    def _receive_once(self, most: int, visibility_s: int, wait_s: int) -> list[QueueMessage]:
        answer = self._call(
            "receive_message",
            QueueUrl=self._url,
            MaxNumberOfMessages=most,
            VisibilityTimeout=visibility_s,
            WaitTimeSeconds=wait_s,
            MessageSystemAttributeNames=["SentTimestamp", "MessageGroupId"],
            MessageAttributeNames=["All"],
        )
        return [_read(message) for message in answer.get("Messages", [])]

    def _call(self, operation: str, **parameters: Any) -> Any:
        try:
            return getattr(self._client(), operation)(**parameters)
        except Exception as error:
            raise _error(fault_of(error), code_of(error)) from None

    def _client(self) -> SQSClient:
        if self._given is None:
            self._given = aws.client("sqs")
        return self._given


def _read(message: Mapping[str, Any]) -> QueueMessage:
    system = message.get("Attributes", {})
    sent_ms = int(system.get("SentTimestamp", 0))
    return QueueMessage(
        message_id=message["MessageId"],
        body=message["Body"],
        group=system.get("MessageGroupId", ""),
        reason=message.get("MessageAttributes", {}).get(REASON, {}).get("StringValue", ""),
        sent_at=iso(datetime.fromtimestamp(sent_ms / 1000, UTC)),
        receipt=message["ReceiptHandle"],
    )


def _check(message: NewMessage) -> None:
    """Refuse what SQS would refuse, where the SDK or a queue might cut or change it instead."""
    if not message.body:
        raise PermanentError("the queue takes no empty message")
    if _weight(message) > MAX_BYTES:
        raise PermanentError(f"the message is larger than the {MAX_BYTES} bytes that a queue takes")
    if any(not _is_allowed(letter) for letter in message.body):
        raise PermanentError("the message has characters that a queue does not take (control characters)")


def _is_allowed(letter: str) -> bool:
    """Tell whether SQS takes a character: those of XML 1.0 (`SendMessage` in its API reference)."""
    return " " <= letter <= "\ud7ff" or letter in "\t\n\r" or "\ue000" <= letter <= "\ufffd" or letter >= "\U00010000"


def _weight(message: NewMessage) -> int:
    attributes = sum(len(name.encode()) + len(value.encode()) + 6 for name, value in message.attributes.items())
    return len(message.body.encode("utf-8", "replace")) + attributes


def _chunks(messages: Sequence[NewMessage], untaken: list[Untaken]) -> Iterator[list[tuple[int, NewMessage]]]:
    """Yield what fits into one request each; what no queue takes is told at once."""
    chunk: list[tuple[int, NewMessage]] = []
    weight = 0
    for index, message in enumerate(messages):
        try:
            _check(message)
        except PermanentError as error:
            untaken.append(Untaken(index, error))
            continue
        if chunk and (len(chunk) == _BATCH or weight + _weight(message) > MAX_BYTES):
            yield chunk
            chunk, weight = [], 0
        chunk.append((index, message))
        weight += _weight(message)
    if chunk:
        yield chunk


def _error(fault: Fault, code: str, *, own: bool = True) -> RetryableError | PermanentError:
    if fault is Fault.INVALID and own:
        return PermanentError(f"the queue refuses the message: {code}")
    if fault in (Fault.DENIED, Fault.MISSING):
        return RetryableError(f"the queue cannot be used ({code}): check its address and the function's role")
    return RetryableError(f"the queue did not take the message now: {code}")
