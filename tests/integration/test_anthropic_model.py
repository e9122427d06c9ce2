"""The model adapter with the real SDK, against the local model server and against servers that misbehave."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from infra.local.model_server import ModelServer
from onthoud.adapters.anthropic_model import AnthropicModel
from onthoud.errors import OnthoudError, PermanentError, RetryableError
from onthoud.ports.model import Image, Message, ModelRequest
from tests.fakes.secrets import FakeSecrets
from tests.fakes.serving import RawServer, answer, hang_up, serving

pytestmark = pytest.mark.stack

SCHEMA = {
    "type": "object",
    "properties": {"action": {"type": "string", "enum": ["skip", "reply"]}, "text": {"type": "string"}},
    "required": ["action", "text"],
    "additionalProperties": False,
}
KEY = "sk-ant-secret"
WORDS = "my number is 0612345678"


def request(model: str = "claude-opus-5-5", **more: Any) -> ModelRequest:
    given: dict[str, Any] = {
        "purpose": "reply",
        "model": model,
        "max_tokens": 512,
        "system": "Be kind.",
        "messages": [Message("user", WORDS)],
        "schema": SCHEMA,
        **more,
    }
    return ModelRequest(**given)


@pytest.fixture
def secrets() -> FakeSecrets:
    return FakeSecrets(key=KEY)


@pytest.fixture
def model(secrets: FakeSecrets) -> Iterator[AnthropicModel]:
    made = AnthropicModel(secrets, "key")
    yield made
    made.close()


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[ModelServer, str]]:
    made = ModelServer()
    with serving(made.app) as url:
        yield made, url


@pytest.fixture
def server(running: tuple[ModelServer, str], monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    made, url = running
    made.calls.clear()
    made.script.replace([])
    made.accepted_key = None
    monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
    return made


def test_it_asks_for_structured_output_and_names_the_purpose(server: ModelServer, model: AnthropicModel) -> None:
    got = model.answer(request(), timeout_s=5)
    assert json.loads(got.text)["action"] == "reply"
    assert (got.stop_reason, got.model) == ("end_turn", "claude-opus-5-5")
    assert got.usage.input > 0
    assert got.usage.output > 0
    [call] = server.calls.list()
    assert call["purpose"] == "reply"
    assert call["request"]["output_config"]["format"] == {"type": "json_schema", "schema": SCHEMA}
    assert call["request"]["system"] == "Be kind."
    assert call["request"]["messages"] == [{"role": "user", "content": WORDS}]


def test_images_travel_as_addresses_before_the_text(server: ModelServer, model: AnthropicModel) -> None:
    pictured = Message("user", "what is this?", (Image("https://example.com/a.png"),))
    model.answer(request(messages=[pictured]), timeout_s=5)
    [call] = server.calls.list()
    assert call["request"]["messages"][0]["content"] == [
        {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
        {"type": "text", "text": "what is this?"},
    ]


@pytest.mark.parametrize(
    ("name", "thinking", "effort"),
    [
        ("claude-opus-5-5", None, "low"),
        ("claude-fable-5-1", None, "low"),
        ("claude-haiku-5-5", {"type": "disabled"}, None),
        ("claude-opus-5", {"type": "disabled"}, None),
        ("claude-sonnet-5", {"type": "disabled"}, None),
        ("claude-sonnet-5-5", {"type": "between_tools"}, None),
        ("claude-opus-4-8", None, None),
        ("claude-haiku-4-5", None, None),
    ],
)
def test_thinking_does_not_eat_the_tokens_of_a_short_answer(
    server: ModelServer, model: AnthropicModel, name: str, thinking: Any, effort: str | None
) -> None:
    model.answer(request(name), timeout_s=5)
    asked = server.calls.list()[0]["request"]
    assert asked.get("thinking") == thinking
    assert asked["output_config"].get("effort") == effort


@pytest.mark.parametrize(
    ("entry", "stop_reason", "text"),
    [
        ({"stop_reason": "refusal"}, "refusal", ""),
        ({"stop_reason": "max_tokens", "text": "cut"}, "max_tokens", '{"action":"reply","text":"cut"}'),
        ({"raw": "not json"}, "end_turn", "not json"),
        ({"tool": {"name": "a", "input": {}}}, "tool_use", ""),
    ],
)
def test_what_is_no_good_answer_is_returned_for_the_caller_to_check(
    server: ModelServer, model: AnthropicModel, entry: dict[str, Any], stop_reason: str, text: str
) -> None:
    server.script.replace([entry])
    got = model.answer(request(), timeout_s=5)
    assert (got.stop_reason, got.text) == (stop_reason, text)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_retryable_and_asked_only_once(
    server: ModelServer, model: AnthropicModel, status: int
) -> None:
    server.script.replace([{"status": status, "retry_after": 3600}] * 5)
    began = time.monotonic()
    with pytest.raises(RetryableError, match=str(status)) as failed:
        model.answer(request(), timeout_s=5)
    assert failed.value.retry_after_s == 3600  # told, never slept
    assert time.monotonic() - began < 1
    assert len(server.calls) == 1


@pytest.mark.parametrize("status", [402, 403, 404])
def test_what_the_operator_must_mend_puts_no_event_into_quarantine(
    server: ModelServer, model: AnthropicModel, status: int
) -> None:
    server.script.replace([{"status": status}])
    with pytest.raises(RetryableError, match="wants the operator"):
        model.answer(request(), timeout_s=5)


@pytest.mark.parametrize("status", [400, 413, 422])
def test_what_cannot_pass_is_permanent(server: ModelServer, model: AnthropicModel, status: int) -> None:
    server.script.replace([{"status": status}] * 2)
    with pytest.raises(PermanentError, match=str(status)):
        model.answer(request(), timeout_s=5)
    assert len(server.calls) == 1


def test_a_spend_limit_is_the_operators_fault_and_not_the_events(
    monkeypatch: pytest.MonkeyPatch, model: AnthropicModel
) -> None:
    body = {
        "type": "error",
        "error": {
            "type": "invalid_request_error",
            "message": "You have reached your specified API usage limits.",
            "details": {"error_code": "enforced_spend_limit_reached"},
        },
    }
    with RawServer(answer(400, json.dumps(body).encode(), Content_Type="application/json")) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        with pytest.raises(RetryableError, match="spend limit"):
            model.answer(request(), timeout_s=5)


def test_a_changed_key_is_fetched_anew(server: ModelServer, model: AnthropicModel, secrets: FakeSecrets) -> None:
    model.answer(request(), timeout_s=5)
    server.accepted_key = secrets.values["key"] = "sk-ant-new"
    assert model.answer(request(), timeout_s=5).stop_reason == "end_turn"
    assert secrets.asked[-1] == ("key", True)


@pytest.mark.parametrize(("fresh", "calls"), [(KEY, 1), ("sk-ant-also-wrong", 2)])
def test_a_wrong_key_puts_no_event_into_quarantine(
    server: ModelServer, model: AnthropicModel, secrets: FakeSecrets, fresh: str, calls: int
) -> None:
    server.accepted_key = "sk-ant-right"
    model._secrets.get("key")
    secrets.values["key"] = fresh
    with pytest.raises(RetryableError, match="put a valid one into the parameter key") as failed:
        model.answer(request(), timeout_s=5)
    assert "sk-ant" not in str(failed.value)
    assert secrets.asked.count(("key", True)) == 1
    assert len(server.calls) == calls


def test_a_slow_answer_ends_at_the_callers_timeout(server: ModelServer, model: AnthropicModel) -> None:
    model.answer(request(), timeout_s=5)  # with the SDK imported and a connection in the pool
    server.script.replace([{"text": "late", "delay_s": 3}] * 2)
    began = time.monotonic()
    with pytest.raises(RetryableError, match="in time"):
        model.answer(request(), timeout_s=0.9)
    assert time.monotonic() - began < 1.5


def test_an_unreachable_server_is_retryable(monkeypatch: pytest.MonkeyPatch, model: AnthropicModel) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{port}")
    with pytest.raises(RetryableError, match="cannot be reached"):
        model.answer(request(), timeout_s=5)


MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-5-5",
    "content": [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "{}"},
    ],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 7, "output_tokens": 3, "cache_read_input_tokens": 5},
}
GOOD = answer(200, json.dumps(MESSAGE).encode(), Content_Type="application/json")


def test_a_pooled_connection_that_died_is_replaced_once(monkeypatch: pytest.MonkeyPatch, model: AnthropicModel) -> None:
    with RawServer(GOOD, hang_up, GOOD) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        model.answer(request(), timeout_s=5)
        assert model.answer(request(), timeout_s=5).text == "{}"
        assert len(server.requests) == 3


def test_a_connection_that_dies_twice_is_given_up(monkeypatch: pytest.MonkeyPatch, model: AnthropicModel) -> None:
    with RawServer(GOOD, hang_up, hang_up, GOOD) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        model.answer(request(), timeout_s=5)
        with pytest.raises(RetryableError, match="cannot be reached"):
            model.answer(request(), timeout_s=5)
        assert len(server.requests) == 3


def test_a_first_connection_that_dies_was_no_pooled_one(monkeypatch: pytest.MonkeyPatch, model: AnthropicModel) -> None:
    with RawServer(hang_up, GOOD) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        with pytest.raises(RetryableError, match="cannot be reached"):
            model.answer(request(), timeout_s=5)
        assert len(server.requests) == 1


def test_thinking_is_left_out_of_the_text_and_cached_tokens_are_counted(
    monkeypatch: pytest.MonkeyPatch, model: AnthropicModel
) -> None:
    with RawServer(GOOD) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        got = model.answer(request(), timeout_s=5)
    assert got.text == "{}"
    assert (got.usage.input, got.usage.output, got.usage.cache_read, got.usage.cache_write) == (7, 3, 5, 0)


INSIDE_A_200: list[tuple[bytes, str, type[OnthoudError]]] = [
    (
        b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
        "application/json",
        RetryableError,
    ),
    (b'{"type":"error","error":{"type":"invalid_request_error","message":"x"}}', "application/json", PermanentError),
    (b"<html>bad gateway</html>", "text/html", RetryableError),
    (b"{not json", "application/json", RetryableError),
    (b"[]", "application/json", RetryableError),
    (b"null", "application/json", RetryableError),
    (b"{}", "application/json", RetryableError),
]


@pytest.mark.parametrize(("body", "kind", "expected"), INSIDE_A_200)
def test_an_error_inside_a_200_is_an_error(
    monkeypatch: pytest.MonkeyPatch, model: AnthropicModel, body: bytes, kind: str, expected: type[OnthoudError]
) -> None:
    with RawServer(answer(200, body, Content_Type=kind, Connection="close")) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        with pytest.raises(expected):
            model.answer(request(), timeout_s=5)


def test_neither_the_key_nor_the_words_stand_in_an_error(
    monkeypatch: pytest.MonkeyPatch, model: AnthropicModel
) -> None:
    echo = {"type": "error", "error": {"type": "invalid_request_error", "message": f"messages.0: bad: {WORDS} {KEY}"}}
    with RawServer(answer(400, json.dumps(echo).encode(), Content_Type="application/json")) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        with pytest.raises(PermanentError) as failed:
            model.answer(request(), timeout_s=5)
    assert WORDS not in str(failed.value)
    assert KEY not in str(failed.value)
    assert failed.value.__cause__ is None
    assert failed.value.__suppress_context__


def test_importing_the_adapter_imports_no_sdk() -> None:
    code = (
        "import sys, onthoud.adapters.anthropic_model as a\n"
        "a.AnthropicModel(None, 'key')\n"
        "print([name for name in ('anthropic', 'httpx2', 'boto3') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
