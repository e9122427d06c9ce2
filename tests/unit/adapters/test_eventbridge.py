"""The channel over EventBridge."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError
from botocore.stub import ANY, Stubber

from onthoud.adapters import aws
from onthoud.adapters.eventbridge import EventBridgeChannel
from onthoud.ports.channel import FailureClass, Outgoing, SendError


class Noon:
    def now(self) -> datetime:
        return datetime(2026, 11, 30, 12, tzinfo=UTC)


def message(kind: str = "reply", **extra: Any) -> Outgoing:
    return Outgoing(kind, "instagram", "club", "ana-1", "c-1", "Ja 🎾", "reply/c-1/1", extra)


def stubbed() -> tuple[EventBridgeChannel, Stubber]:
    client = aws.client("events", retries=0)
    return EventBridgeChannel("bus", client=client, clock=Noon()), Stubber(client)


def test_a_message_becomes_an_event() -> None:
    entries: list[Any] = []

    class Bus:
        def put_events(self, **request: Any) -> Any:
            entries.extend(request["Entries"])
            return {"FailedEntryCount": 0, "Entries": [{"EventId": "e-1"}]}

    client: Any = Bus()
    channel = EventBridgeChannel("bus", client=client, clock=Noon())
    assert channel.send(message(subject="Moved", text="forged"), timeout_s=5).platform_id == "e-1"
    [entry] = entries
    assert json.loads(entry.pop("Detail")) == {
        "subject": "Moved",
        "kind": "reply",
        "channel": "instagram",
        "account_id": "club",
        "to": "ana-1",
        "in_reply_to": "c-1",
        "text": "Ja 🎾",
        "idempotency_key": "reply/c-1/1",
        "sent_at": "2026-11-30T12:00:00.000000Z",
    }
    assert entry == {"EventBusName": "bus", "Source": "onthoud", "DetailType": "ReplyPlanned"}


@pytest.mark.parametrize(
    ("kind", "detail_type"),
    [("confirmation", "ConfirmationPlanned"), ("brief", "BriefPlanned"), ("alert", "AlertPlanned")],
)
def test_each_kind_has_a_detail_type_of_its_own(kind: str, detail_type: str) -> None:
    channel, stub = stubbed()
    entry = {"EventBusName": "bus", "Source": "onthoud", "DetailType": detail_type, "Detail": ANY}
    stub.add_response("put_events", {"FailedEntryCount": 0, "Entries": [{"EventId": "e-1"}]}, {"Entries": [entry]})
    with stub:
        channel.send(message(kind), timeout_s=5)
        stub.assert_no_pending_responses()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("ThrottlingException", FailureClass.TRANSIENT),
        ("InternalFailure", FailureClass.TRANSIENT),
        ("InternalException", FailureClass.TRANSIENT),
        ("AccessDeniedException", FailureClass.AUTH),
        ("NotAuthorizedForSourceException", FailureClass.AUTH),
        ("ResourceNotFoundException", FailureClass.AUTH),
        ("MalformedDetail", FailureClass.POLICY),
        ("InvalidArgument", FailureClass.POLICY),
    ],
)
def test_an_entry_that_failed_inside_a_200_is_a_failure(code: str, expected: FailureClass) -> None:
    channel, stub = stubbed()
    failed = {"FailedEntryCount": 1, "Entries": [{"ErrorCode": code, "ErrorMessage": "with words"}]}
    stub.add_response("put_events", failed)
    with stub, pytest.raises(SendError) as error:
        channel.send(message(), timeout_s=5)
    assert (error.value.failure, error.value.code) == (expected, code)


@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        ("ThrottlingException", 400, FailureClass.TRANSIENT),
        ("InternalException", 500, FailureClass.AMBIGUOUS),
        ("AccessDeniedException", 400, FailureClass.AUTH),
        ("ValidationException", 400, FailureClass.POLICY),
    ],
)
def test_a_refused_request_has_its_class(code: str, status: int, expected: FailureClass) -> None:
    channel, stub = stubbed()
    stub.add_client_error("put_events", code, "with words", status)
    with stub, pytest.raises(SendError) as error:
        channel.send(message(), timeout_s=5)
    assert error.value.failure is expected
    assert "words" not in str(error.value)


def test_a_lost_answer_is_ambiguous() -> None:
    class Silent:
        def put_events(self, **_: Any) -> Any:
            raise ReadTimeoutError(endpoint_url="u")

    client: Any = Silent()
    with pytest.raises(SendError) as error:
        EventBridgeChannel("bus", client=client).send(message(), timeout_s=5)
    assert error.value.failure is FailureClass.AMBIGUOUS


def test_nothing_is_begun_that_could_outlast_the_time_left() -> None:
    channel, stub = stubbed()
    with stub, pytest.raises(SendError) as error:
        channel.send(message(), timeout_s=3.9)
    assert error.value.failure is FailureClass.TRANSIENT


def test_a_bus_cannot_be_asked_and_knows_no_keys() -> None:
    channel, _ = stubbed()
    assert not channel.can_read_back
    assert not channel.is_idempotent
    with pytest.raises(SendError) as error:
        channel.find_own_reply(message(), timeout_s=5)
    assert error.value.failure is FailureClass.POLICY
