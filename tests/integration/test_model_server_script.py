"""Scripted answers, as the real SDK gets them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import pytest

from infra.local.model_server import ModelServer
from onthoud.clock import from_iso
from social_reply.answer import SCHEMA
from tests.fakes.serving import serving

pytestmark = pytest.mark.stack

TOOL = {"name": "answer", "input_schema": SCHEMA}


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[ModelServer, anthropic.Anthropic]]:
    server = ModelServer()
    with serving(server.app) as url, anthropic.Anthropic(api_key="any", base_url=url, max_retries=0) as client:
        yield server, client


@pytest.fixture
def server(running: tuple[ModelServer, anthropic.Anthropic]) -> ModelServer:
    running[0].script.replace([])
    running[0].calls.clear()
    return running[0]


Ask = Callable[..., Any]


@pytest.fixture
def ask(running: tuple[ModelServer, anthropic.Anthropic]) -> Ask:
    def create(words: str = "Do you have lights?", purpose: str = "reply", **more: Any) -> Any:
        arguments: dict[str, Any] = {
            "model": "claude-opus-4-8",
            "max_tokens": 512,
            "messages": [{"role": "user", "content": words}],
            "extra_headers": {"X-Onthoud-Purpose": purpose},
            **more,
        }
        return running[1].messages.create(**arguments)

    return create


STRUCTURED = {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}}
FORCED = {"tools": [TOOL], "tool_choice": {"type": "tool", "name": "answer"}}


def test_text_becomes_the_main_text_of_whatever_was_asked(server: ModelServer, ask: Ask) -> None:
    server.script.replace([{"text": "Ja, dat kan."}] * 3)
    plain, structured, forced = ask(), ask(**STRUCTURED), ask(**FORCED)
    assert plain.content[0].text == "Ja, dat kan."
    expected = {"action": "reply", "text": "Ja, dat kan.", "language": "nl", "why": "answered", "memory_ids": []}
    assert json.loads(structured.content[0].text) == expected
    assert forced.content[0].input == expected
    assert [one.stop_reason for one in (plain, structured, forced)] == ["end_turn", "end_turn", "tool_use"]


def test_json_is_given_as_it_is(server: ModelServer, ask: Ask) -> None:
    server.script.replace([{"json": {"action": "skip", "odd": [1, "é"]}}] * 2)
    assert json.loads(ask(**STRUCTURED).content[0].text) == {"action": "skip", "odd": [1, "é"]}
    assert ask(**FORCED).content[0].input == {"action": "skip", "odd": [1, "é"]}


def test_a_tool_is_used(server: ModelServer, ask: Ask) -> None:
    server.script.replace([{"tool": {"name": "answer", "input": {"a": 1}}}])
    [use] = ask(tools=[TOOL]).content
    assert (use.type, use.name, use.input) == ("tool_use", "answer", {"a": 1})


def test_raw_text_is_not_put_into_the_schema(server: ModelServer, ask: Ask) -> None:
    server.script.replace([{"raw": "not json"}])
    assert ask(**STRUCTURED).content[0].text == "not json"


@pytest.mark.parametrize("reason", ["max_tokens", "refusal", "pause_turn", "model_context_window_exceeded"])
def test_a_stop_reason_is_given_with_or_without_words(server: ModelServer, ask: Ask, reason: str) -> None:
    server.script.replace([{"stop_reason": reason}, {"stop_reason": reason, "text": "cut"}])
    empty, cut = ask(), ask()
    assert (empty.stop_reason, empty.content) == (reason, [])
    assert (cut.stop_reason, cut.content[0].text) == (reason, "cut")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (413, "request_too_large"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (503, "api_error"),
        (529, "overloaded_error"),
    ],
)
def test_a_status_comes_with_the_apis_error(server: ModelServer, ask: Ask, status: int, kind: str) -> None:
    server.script.replace([{"status": status}])
    with pytest.raises(anthropic.APIStatusError) as failed:
        ask()
    assert failed.value.status_code == status
    assert failed.value.body["error"]["type"] == kind  # type: ignore[index]
    assert "retry-after" not in failed.value.response.headers


def test_a_wish_to_wait_travels_as_a_header(server: ModelServer, ask: Ask) -> None:
    server.script.replace([{"status": 429, "retry_after": 3600}])
    with pytest.raises(anthropic.RateLimitError) as failed:
        ask()
    assert failed.value.response.headers["retry-after"] == "3600"


def test_an_answer_can_be_slow(server: ModelServer, ask: Ask) -> None:
    server.script.replace([{"text": "late", "delay_s": 0.3}])
    began = time.monotonic()
    ask()
    assert time.monotonic() - began >= 0.3


def test_a_call_that_no_entry_fits_goes_to_the_rehearsal_model(server: ModelServer, ask: Ask) -> None:
    server.script.replace([{"text": "for court 3", "match": {"purpose": "reply", "contains": "court 3"}}])
    assert ask("court 4?").id.startswith("msg_rehearsal_")
    assert ask("court 3?", purpose="brief").id.startswith("msg_rehearsal_")
    assert ask("court 3?").content[0].text == "for court 3"
    assert ask("court 3?").id.startswith("msg_rehearsal_")


def test_words_are_looked_for_in_the_whole_request(server: ModelServer, ask: Ask) -> None:
    server.script.replace(
        [{"text": "a", "match": {"contains": "rule 7"}}, {"text": "b", "match": {"contains": "deep"}}]
    )
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "look deep"}]},
        {"role": "assistant", "content": "yes"},
        {"role": "user", "content": "well?"},
    ]
    assert ask(system="rule 7").content[0].text == "a"
    assert ask(messages=messages).content[0].text == "b"


def test_calls_are_logged_whole(server: ModelServer, ask: Ask) -> None:
    server.script.replace([{"text": "yes"}, {"status": 529}])
    answer = ask("hé 🎾", purpose="confirm", system="Be kind.")
    with pytest.raises(anthropic.APIStatusError):
        ask()
    with pytest.raises(anthropic.BadRequestError):
        ask("")
    first, second, third = server.calls.list()
    assert first["purpose"] == "confirm"
    assert first["request"]["system"] == "Be kind."
    assert first["request"]["messages"] == [{"role": "user", "content": "hé 🎾"}]
    assert first["response"]["id"] == answer.id
    assert from_iso(first["at"]) <= from_iso(second["at"])
    assert second["response"]["error"]["type"] == "overloaded_error"
    assert third["response"]["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("more", [{}, FORCED], ids=["text", "tool"])
def test_answers_can_be_streamed(
    running: tuple[ModelServer, anthropic.Anthropic], server: ModelServer, more: dict[str, Any]
) -> None:
    server.script.replace([{"json": {"action": "reply", "text": "é"}}])
    arguments: dict[str, Any] = {
        "model": "claude-opus-4-8",
        "max_tokens": 512,
        "messages": [{"role": "user", "content": "hi"}],
        **more,
    }
    with running[1].messages.stream(**arguments) as stream:
        message: Any = stream.get_final_message()
    [block] = message.content
    given = block.input if more else json.loads(block.text)
    assert given == {"action": "reply", "text": "é"}
    assert message.stop_reason == ("tool_use" if more else "end_turn")
