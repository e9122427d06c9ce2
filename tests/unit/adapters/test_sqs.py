"""Queues: what is told about what they did not take, and how dead letters are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.stub import Stubber
from hypothesis import given
from hypothesis import strategies as st
from moto import mock_aws

from onthoud.adapters import aws
from onthoud.adapters.sqs import MAX_BYTES, NewMessage, SqsQueue
from onthoud.errors import PermanentError, RetryableError

URL = "https://sqs.eu-west-1.amazonaws.com/1/comments.fifo"
PLAIN = "https://sqs.eu-west-1.amazonaws.com/1/events"


@pytest.fixture
def queue() -> Iterator[SqsQueue]:
    with mock_aws():
        client = aws.client("sqs")
        url = client.create_queue(QueueName="dead.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
        yield SqsQueue(url, client=client)


def test_a_body_travels_byte_for_byte_with_its_reason(queue: SqsQueue) -> None:
    body = '{"text": "  “été” 🎾\\u00e9\\n",\t"a":1}\r\n'
    queue.send(body, group="g", deduplication_id="d", attributes={"reason": "schema: text is missing"})
    [found] = queue.peek(5)
    assert found.body == body
    assert (found.group, found.reason) == ("g", "schema: text is missing")
    assert found.sent_at.endswith("Z")


def test_a_look_leaves_the_messages_where_they_are(queue: SqsQueue) -> None:
    for number in range(3):
        queue.send(str(number), group=f"g{number}", deduplication_id=str(number))
    assert sorted(message.body for message in queue.peek(10)) == ["0", "1", "2"]
    assert sorted(message.body for message in queue.peek(10)) == ["0", "1", "2"]
    assert queue.count() == 3


def test_a_look_goes_no_further_than_its_limit(queue: SqsQueue) -> None:
    for number in range(14):
        queue.send(str(number), group=f"g{number}", deduplication_id=str(number))
    assert len(queue.peek(12)) == 12
    assert len(queue.peek(0)) == 0


def test_what_is_taken_is_deleted_or_given_back(queue: SqsQueue) -> None:
    for number in range(2):
        queue.send(str(number), group=f"g{number}", deduplication_id=str(number))
    first, second = queue.receive(2, visibility_s=60)
    assert queue.receive(2, visibility_s=60) == []
    queue.delete(first)
    queue.release(second)
    assert [message.body for message in queue.receive(2, visibility_s=60)] == [second.body]
    assert queue.count() == 1


def stubbed(url: str = URL) -> tuple[SqsQueue, Stubber]:
    client = aws.client("sqs", retries=0)
    return SqsQueue(url, client=client), Stubber(client)


def test_group_and_deduplication_travel_to_fifo_queues_only() -> None:
    queue, stub = stubbed()
    sent = {"MD5OfMessageBody": "m", "MessageId": "i"}
    stub.add_response(
        "send_message",
        sent,
        {"QueueUrl": URL, "MessageBody": "b", "MessageGroupId": "g", "MessageDeduplicationId": "d"},
    )
    with stub:
        queue.send("b", group="g", deduplication_id="d")
    queue, stub = stubbed(PLAIN)
    stub.add_response("send_message", sent, {"QueueUrl": PLAIN, "MessageBody": "b"})
    with stub:
        queue.send("b", group="g", deduplication_id="d")


@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        ("InvalidMessageContents", 400, PermanentError),
        ("InvalidParameterValue", 400, PermanentError),
        ("AWS.SimpleQueueService.NonExistentQueue", 400, RetryableError),
        ("AccessDenied", 403, RetryableError),
        ("RequestThrottled", 403, RetryableError),
        ("InternalError", 500, RetryableError),
    ],
)
def test_a_refusal_has_its_type(code: str, status: int, expected: type[Exception]) -> None:
    queue, stub = stubbed()
    stub.add_client_error("send_message", code, "with words", status)
    with stub, pytest.raises(expected) as failed:
        queue.send("body", group="g", deduplication_id="d")
    assert type(failed.value) is expected
    assert "words" not in str(failed.value)


@pytest.mark.parametrize(
    "body", ["", "a\x00b", "a\x1bb", "a\ufffeb", "\ud83d", "x" * (MAX_BYTES + 1), "é" * (MAX_BYTES // 2 + 1)]
)
def test_what_no_queue_takes_is_refused_before_it_is_sent(body: str) -> None:
    queue, stub = stubbed()
    with stub, pytest.raises(PermanentError):
        queue.send(body, group="g", deduplication_id="d")


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"), min_size=1))
def test_all_other_text_is_let_through(body: str) -> None:
    queue, stub = stubbed(PLAIN)
    stub.add_response("send_message", {"MessageId": "i"}, {"QueueUrl": PLAIN, "MessageBody": body})
    with stub:
        queue.send(body, group="g", deduplication_id="d")


def batch_of(*bodies: str) -> list[NewMessage]:
    return [NewMessage(body, "g", str(number)) for number, body in enumerate(bodies)]


def taken(*numbers: int, **failed: Any) -> dict[str, Any]:
    good = [{"Id": str(number), "MessageId": "i", "MD5OfMessageBody": "m"} for number in numbers]
    return {"Successful": good, "Failed": list(failed.values())}


def test_a_batch_tells_which_messages_were_not_taken() -> None:
    queue, stub = stubbed()
    own = {"Id": "1", "SenderFault": True, "Code": "InvalidMessageContents"}
    theirs = {"Id": "2", "SenderFault": False, "Code": "SomethingNew"}
    stub.add_response("send_message_batch", taken(0, own=own, theirs=theirs))
    with stub:
        untaken = queue.send_many(batch_of("a", "b", "c", ""))
    assert [(one.index, type(one.error)) for one in untaken] == [
        (1, PermanentError),
        (2, RetryableError),
        (3, PermanentError),
    ]


def test_a_batch_that_failed_whole_tells_every_message_of_it_and_the_rest_is_sent() -> None:
    queue, stub = stubbed()
    stub.add_client_error("send_message_batch", "InternalError", "", 500)
    stub.add_response("send_message_batch", taken(10, 11))
    with stub:
        untaken = queue.send_many(batch_of(*"abcdefghijkl"))
    assert [one.index for one in untaken] == list(range(10))
    assert {type(one.error) for one in untaken} == {RetryableError}


def test_a_batch_keeps_to_the_weight_of_a_request() -> None:
    queue, stub = stubbed()
    heavy = "x" * (MAX_BYTES // 2)
    for numbers in ((0, 1), (2,)):
        stub.add_response("send_message_batch", taken(*numbers))
    with stub:
        assert queue.send_many(batch_of(heavy, heavy, heavy)) == []
        stub.assert_no_pending_responses()
