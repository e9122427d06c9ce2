"""The webhook adapter against the local far end, and against far ends that misbehave."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from urllib3 import PoolManager

from infra.local.far_end import FarEnd
from onthoud.adapters.webhook import MAX_IDLE_S, WebhookChannel, sign
from onthoud.errors import PermanentError
from onthoud.ports.channel import FailureClass, Outgoing, SendError
from tests.fakes.secrets import FakeSecrets
from tests.fakes.serving import Door, RawServer, answer, hang_up, serving

pytestmark = pytest.mark.stack

SECRET = "whsec-1"


class Time:
    """A clock and a monotonic clock that stand still until they are moved."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 30, 9, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return self.moment.timestamp()

    def advance(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture(scope="module")
def door() -> Iterator[tuple[Door, str]]:
    made = Door()
    with serving(made) as url:
        yield made, f"{url}/hook?stage=prod"


@pytest.fixture
def far_end(door: tuple[Door, str], clock: Time) -> FarEnd:
    made = FarEnd(SECRET, clock)
    door[0].behind = made.app
    return made


@pytest.fixture
def url(door: tuple[Door, str], far_end: FarEnd) -> str:
    del far_end
    return door[1]


@pytest.fixture
def secrets() -> FakeSecrets:
    return FakeSecrets(secret=SECRET)


def channel_to(url: str, secrets: FakeSecrets, clock: Time, **more: bool) -> WebhookChannel:
    can = {"read_back": True, "idempotent": True, **more}
    return WebhookChannel(url, secrets, "secret", clock=clock, monotonic=clock.monotonic, **can)


@pytest.fixture
def channel(url: str, secrets: FakeSecrets, clock: Time) -> WebhookChannel:
    return channel_to(url, secrets, clock)


def message(**more: Any) -> Outgoing:
    fields: dict[str, Any] = {
        "kind": "reply",
        "channel": "instagram",
        "account_id": "club",
        "to": "ana-1",
        "in_reply_to": "c-1",
        "text": "Ja, tot tien uur 🎾 “graag” 你好",
        "idempotency_key": "reply/c-1/1",
        **more,
    }
    return Outgoing(**fields)


def failed_send(channel: WebhookChannel, sent: Outgoing | None = None, timeout_s: float = 2) -> SendError:
    with pytest.raises(SendError) as failed:
        channel.send(sent or message(), timeout_s=timeout_s)
    return failed.value


def test_a_message_arrives_as_it_was_written(channel: WebhookChannel, far_end: FarEnd) -> None:
    receipt = channel.send(message(), timeout_s=5)
    assert receipt.platform_id == "far-00000001"
    assert far_end.deliveries() == [
        {
            "kind": "reply",
            "channel": "instagram",
            "account_id": "club",
            "to": "ana-1",
            "in_reply_to": "c-1",
            "text": "Ja, tot tien uur 🎾 “graag” 你好",
            "idempotency_key": "reply/c-1/1",
            "sent_at": "2026-11-30T09:00:00.000000Z",
            "attempt": 1,
        }
    ]
    assert far_end.deliveries("brief") == []


def test_a_repeated_key_gets_the_first_answer_again(channel: WebhookChannel, far_end: FarEnd) -> None:
    first, second = channel.send(message(), timeout_s=5), channel.send(message(), timeout_s=5)
    assert first == second
    assert [row["attempt"] for row in far_end.deliveries()] == [2]


def test_a_far_end_without_keys_takes_it_twice(channel: WebhookChannel, far_end: FarEnd) -> None:
    far_end.configure(idempotent=False)
    first, second = channel.send(message(), timeout_s=5), channel.send(message(), timeout_s=5)
    assert first != second
    assert [row["attempt"] for row in far_end.deliveries()] == [1, 1]


def test_keys_stay_known_when_the_list_is_cleared(channel: WebhookChannel, far_end: FarEnd) -> None:
    first = channel.send(message(), timeout_s=5)
    far_end.clear()
    assert far_end.deliveries() == []
    assert channel.send(message(), timeout_s=5) == first
    assert channel.find_own_reply(message(), timeout_s=5) == first


def test_a_message_is_found_again(channel: WebhookChannel) -> None:
    assert channel.find_own_reply(message(), timeout_s=5) is None
    receipt = channel.send(message(), timeout_s=5)
    assert channel.find_own_reply(message(), timeout_s=5) == receipt
    assert channel.find_own_reply(message(idempotency_key="reply/c-2/1"), timeout_s=5) is None


@pytest.mark.parametrize("key", ["a b", "a%20b", "ключ/1", "a\r\nX-Evil: 1", "🎾", "a&b=c#d"])
def test_any_key_travels_and_is_found(channel: WebhookChannel, far_end: FarEnd, key: str) -> None:
    receipt = channel.send(message(idempotency_key=key), timeout_s=5)
    assert far_end.deliveries()[0]["idempotency_key"] == key
    assert channel.find_own_reply(message(idempotency_key=key), timeout_s=5) == receipt


def test_half_a_surrogate_pair_does_not_stop_a_message(channel: WebhookChannel, far_end: FarEnd) -> None:
    channel.send(message(text="well \ud83d done"), timeout_s=5)
    assert far_end.deliveries()[0]["text"] == "well ? done"


def test_what_a_kind_needs_beside_the_text_travels_and_replaces_nothing(clock: Time) -> None:
    with RawServer(answer(200, b'{"id":"1"}')) as server:
        channel = channel_to(server.url, FakeSecrets(secret=SECRET), clock)
        channel.send(message(extra={"subject": "Moved", "text": "forged"}), timeout_s=5)
    body = json.loads(server.requests[0].partition(b"\r\n\r\n")[2])
    assert body["subject"] == "Moved"
    assert body["text"] == message().text


# What the far end refuses


def test_a_stale_signature_is_refused(channel: WebhookChannel, far_end: FarEnd) -> None:
    far_end.clock = Time()
    far_end.clock.advance(301)
    assert failed_send(channel).failure is FailureClass.AUTH


def test_a_wrong_secret_is_refused_and_a_changed_one_is_fetched(
    channel: WebhookChannel, far_end: FarEnd, secrets: FakeSecrets
) -> None:
    channel.send(message(), timeout_s=5)
    far_end.secret = secrets.values["secret"] = "whsec-2"
    assert failed_send(channel).failure is FailureClass.AUTH
    assert channel.send(message(), timeout_s=5).platform_id
    assert secrets.asked.count(("secret", True)) == 1


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_the_signature_is_over_what_was_sent(url: str, far_end: FarEnd, method: str) -> None:
    stamp = int(far_end.clock.now().timestamp())
    body = json.dumps(dict.fromkeys(("kind", "channel"), "x")).encode()
    headers = {
        "X-Onthoud-Timestamp": str(stamp),
        "X-Onthoud-Signature": sign(SECRET, stamp, b"something else"),
        "Idempotency-Key": "x",
    }
    with PoolManager() as pool:
        got = pool.request(method, url, body=body if method == "POST" else None, headers=headers)
    assert got.status == 401
    assert far_end.deliveries() == []


@pytest.mark.parametrize(
    "body", [b"no json", b"[]", b"{}", b'{"kind": "reply"}'], ids=["text", "list", "empty", "incomplete"]
)
def test_the_far_end_takes_only_whole_messages(url: str, far_end: FarEnd, body: bytes) -> None:
    stamp = int(far_end.clock.now().timestamp())
    headers = {"X-Onthoud-Timestamp": str(stamp), "X-Onthoud-Signature": sign(SECRET, stamp, body)}
    with PoolManager() as pool:
        assert pool.request("POST", url, body=body, headers=headers).status == 400
    assert far_end.deliveries() == []


def test_a_far_end_that_cannot_be_asked_is_remembered_as_such(channel: WebhookChannel, far_end: FarEnd) -> None:
    far_end.configure(read_back=False)
    assert channel.can_read_back
    with pytest.raises(SendError) as failed:
        channel.find_own_reply(message(), timeout_s=5)
    assert failed.value.failure is FailureClass.POLICY
    assert not channel.can_read_back


# How answers are classed


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (301, FailureClass.AUTH),
        (400, FailureClass.POLICY),
        (401, FailureClass.AUTH),
        (403, FailureClass.POLICY),
        (404, FailureClass.GONE),
        (408, FailureClass.AMBIGUOUS),
        (410, FailureClass.GONE),
        (413, FailureClass.POLICY),
        (422, FailureClass.POLICY),
        (425, FailureClass.TRANSIENT),
        (429, FailureClass.TRANSIENT),
        (500, FailureClass.AMBIGUOUS),
        (502, FailureClass.AMBIGUOUS),
        (503, FailureClass.AMBIGUOUS),
        (504, FailureClass.AMBIGUOUS),
    ],
)
def test_a_status_has_a_class(secrets: FakeSecrets, clock: Time, status: int, expected: FailureClass) -> None:
    with RawServer(answer(status, b"no", rETRY_aFTER="7", Location="http://127.0.0.1:1/")) as server:
        error = failed_send(channel_to(server.url, secrets, clock))
        assert len(server.requests) == 1
    assert (error.failure, error.code, error.retry_after_s) == (expected, str(status), 7)


@pytest.mark.parametrize("declared", ["transient", "auth", "policy", "gone"])
def test_the_far_end_may_say_the_class_itself(secrets: FakeSecrets, clock: Time, declared: str) -> None:
    body = json.dumps({"error_class": declared, "error": "with words that stay out of our log"}).encode()
    with RawServer(answer(500, body)) as server:
        error = failed_send(channel_to(server.url, secrets, clock))
    assert error.failure is FailureClass(declared)
    assert "words" not in str(error)


def test_a_declared_class_that_nobody_knows_changes_nothing(secrets: FakeSecrets, clock: Time) -> None:
    with RawServer(answer(404, b'{"error_class": "ambiguous"}')) as server:
        assert failed_send(channel_to(server.url, secrets, clock)).failure is FailureClass.GONE


def test_a_refused_connection_was_surely_no_send(secrets: FakeSecrets, clock: Time) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    error = failed_send(channel_to(f"http://127.0.0.1:{port}", secrets, clock))
    assert error.failure is FailureClass.TRANSIENT


def test_a_lost_answer_is_ambiguous_and_nothing_is_sent_again(secrets: FakeSecrets, clock: Time) -> None:
    with RawServer(hang_up, answer(200, b"{}")) as server:
        assert failed_send(channel_to(server.url, secrets, clock)).failure is FailureClass.AMBIGUOUS
        assert len(server.requests) == 1


def test_half_an_answer_is_ambiguous(secrets: FakeSecrets, clock: Time) -> None:
    def cut(connection: socket.socket) -> None:
        connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":')

    with RawServer(cut) as server:
        assert failed_send(channel_to(server.url, secrets, clock)).failure is FailureClass.AMBIGUOUS


def test_a_silent_far_end_costs_no_more_than_the_timeout(secrets: FakeSecrets, clock: Time) -> None:
    with RawServer(lambda _: time.sleep(2)) as server:
        began = time.monotonic()
        error = failed_send(channel_to(server.url, secrets, clock), timeout_s=0.3)
    assert error.failure is FailureClass.AMBIGUOUS
    assert time.monotonic() - began < 1


def test_a_question_without_an_answer_is_only_transient(secrets: FakeSecrets, clock: Time) -> None:
    with RawServer(hang_up, answer(503, b""), answer(200, b'{"found": "yes"}')) as server:
        channel = channel_to(server.url, secrets, clock)
        for _ in range(3):
            with pytest.raises(SendError) as failed:
                channel.find_own_reply(message(), timeout_s=2)
            assert failed.value.failure is FailureClass.TRANSIENT
    assert channel.can_read_back


@pytest.mark.parametrize(
    ("body", "expected"), [(b"", ""), (b"ok", ""), (b"[]", ""), (b'{"id": 7}', "7"), (b'{"id": {}}', "")]
)
def test_a_receipt_without_an_id_is_a_receipt(secrets: FakeSecrets, clock: Time, body: bytes, expected: str) -> None:
    with RawServer(answer(200, body)) as server:
        assert channel_to(server.url, secrets, clock).send(message(), timeout_s=2).platform_id == expected


def test_an_endless_answer_is_not_read_to_its_end(secrets: FakeSecrets, clock: Time) -> None:
    with RawServer(answer(200, b'{"id": "1"}' + b" " * 1_000_000)) as server:
        channel_to(server.url, secrets, clock).send(message(), timeout_s=2)


def test_connections_are_kept_but_not_over_a_pause(secrets: FakeSecrets, clock: Time) -> None:
    connections: list[socket.socket] = []

    def stay(connection: socket.socket) -> None:
        connections.append(connection)
        for _ in range(2):
            answer(200, b"{}")(connection)
            connection.recv(65536)

    with RawServer(stay, answer(200, b"{}")) as server:
        channel = channel_to(server.url, secrets, clock)
        channel.send(message(), timeout_s=2)
        clock.advance(MAX_IDLE_S - 1)
        channel.send(message(), timeout_s=2)
        assert len(server.requests) == 1  # two requests on one connection
        clock.advance(MAX_IDLE_S + 1)
        channel.send(message(), timeout_s=2)
        assert len(server.requests) == 2


# Secrets and addresses


def test_a_missing_secret_is_the_operators_to_mend(clock: Time) -> None:
    error = failed_send(channel_to("http://127.0.0.1:9", FakeSecrets(), clock))
    assert error.failure is FailureClass.AUTH
    assert "secret" in error.code


@pytest.mark.parametrize(
    "url", ["https://example.com/hook", "http://127.0.0.1:80", "http://localhost", "http://[::1]:8"]
)
def test_https_and_loopback_are_taken(url: str, secrets: FakeSecrets, clock: Time) -> None:
    channel_to(url, secrets, clock)


@pytest.mark.parametrize(
    "url", ["", "http://example.com", "http://127.0.0.1.example.com", "ftp://127.0.0.1", "https://", "example.com"]
)
def test_plain_http_to_elsewhere_is_refused(url: str, secrets: FakeSecrets, clock: Time) -> None:
    with pytest.raises(PermanentError, match="https"):
        channel_to(url, secrets, clock)


def test_importing_the_adapter_imports_no_http_client() -> None:
    code = (
        "import sys, onthoud.adapters.webhook\n"
        "print([name for name in ('urllib3', 'boto3', 'ssl') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
