"""Every refusal that the Messages API documents, asked for by the unmodified SDK."""

from __future__ import annotations

import json
import typing
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any
from urllib.error import HTTPError

import anthropic
import pytest
from anthropic import types
from anthropic.types import message_create_params

from infra.local.model_server import ModelServer
from infra.local.model_server.message_rules import BLOCK_FIELDS, BLOCK_REQUIRED
from infra.local.model_server.models import MODELS
from infra.local.model_server.request_rules import FIELDS, MAX_REQUEST_BYTES
from infra.local.model_server.tool_rules import TOOL_FIELDS
from tests.fakes.messages_api import BAD, GOOD, SCHEMA, formatted, user
from tests.fakes.serving import serving

pytestmark = pytest.mark.stack


@pytest.fixture(scope="module")
def server() -> ModelServer:
    return ModelServer()


@pytest.fixture(scope="module")
def url(server: ModelServer) -> Iterator[str]:
    with serving(server.app) as address:
        yield address


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key="any", base_url=url, max_retries=0) as made:
        yield made


Ask = Callable[..., Any]


@pytest.fixture
def ask(client: anthropic.Anthropic) -> Ask:
    def create(messages: Any = None, **more: Any) -> Any:
        """Ask with a good request, parts of it replaced; the SDK lets fields of its own through `extra_body`."""
        arguments: dict[str, Any] = {
            "model": "claude-opus-4-8",
            "max_tokens": 512,
            "messages": [user()] if messages is None else messages,
            **more,
        }
        return client.messages.create(**arguments)

    return create


def test_a_good_request_is_answered(ask: Ask) -> None:
    message = ask(system="Be kind.", **formatted(SCHEMA))
    assert message.stop_reason == "end_turn"
    assert json.loads(message.content[0].text).keys() == {"text"}
    assert message.usage.input_tokens > 0
    assert message.usage.output_tokens > 0


@pytest.mark.parametrize("request_", GOOD.values(), ids=GOOD.keys())
def test_what_the_api_documents_as_valid_is_taken(ask: Ask, request_: dict[str, Any]) -> None:
    assert ask(**request_).type == "message"


@pytest.mark.parametrize(("request_", "words"), BAD.values(), ids=BAD.keys())
def test_what_the_api_documents_as_invalid_is_refused(ask: Ask, request_: dict[str, Any], words: str) -> None:
    with pytest.raises(anthropic.BadRequestError) as refused:
        ask(**request_)
    body = typing.cast(dict[str, Any], refused.value.body)
    assert body["type"] == "error"
    assert body["error"]["type"] == "invalid_request_error"
    assert words in body["error"]["message"]
    assert body["request_id"] == refused.value.request_id


def test_an_unknown_model_is_not_found(ask: Ask) -> None:
    with pytest.raises(anthropic.NotFoundError, match="model: claude-nonsense"):
        ask(model="claude-nonsense")


def test_too_large_a_request_is_refused(ask: Ask) -> None:
    with pytest.raises(anthropic.ContentTooLargeError) as refused:
        ask([user("a" * MAX_REQUEST_BYTES)])
    assert refused.value.status_code == 413


def raw(url: str, body: bytes, path: str = "/v1/messages", **headers: str) -> tuple[int, dict[str, Any]]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url + path, body, named)  # noqa: S310 - loopback
    with pytest.raises(HTTPError) as refused:
        urllib.request.urlopen(request, timeout=5)  # noqa: S310
    with refused.value as answer:
        return answer.code, json.loads(answer.read())["error"]


GOOD_BODY = json.dumps({"model": "claude-opus-5", "max_tokens": 1, "messages": [user()]}).encode()


def test_a_request_without_a_key_is_refused(url: str) -> None:
    status, error = raw(url, GOOD_BODY, anthropic_version="2026-10-21")
    assert (status, error["type"]) == (401, "authentication_error")


def test_a_request_without_a_version_is_refused(url: str) -> None:
    status, error = raw(url, GOOD_BODY, x_api_key="any")
    assert status == 400
    assert "anthropic-version" in error["message"]


def test_a_body_that_is_no_json_is_refused(url: str) -> None:
    status, error = raw(url, b"{", x_api_key="any", anthropic_version="2026-10-21")
    assert (status, error["type"]) == (400, "invalid_request_error")


@pytest.mark.parametrize("field", ["model", "max_tokens", "messages"])
def test_a_missing_field_is_named(url: str, field: str) -> None:
    body = {name: value for name, value in json.loads(GOOD_BODY).items() if name != field}
    status, error = raw(url, json.dumps(body).encode(), x_api_key="any", anthropic_version="2026-10-21")
    assert (status, error["message"]) == (400, f"{field}: Field required")


def test_an_unknown_path_is_not_found(url: str) -> None:
    status, error = raw(url, b"{}", "/v1/complete", x_api_key="any")
    assert (status, error["type"]) == (404, "not_found_error")


def test_a_wrong_key_is_refused_when_only_one_is_right() -> None:
    server = ModelServer(accepted_key="right")
    with (
        serving(server.app) as url,
        anthropic.Anthropic(api_key="wrong", base_url=url, max_retries=0) as client,
        pytest.raises(anthropic.AuthenticationError),
    ):
        client.messages.create(model="claude-opus-5", max_tokens=1, messages=[{"role": "user", "content": "a"}])


# The rules are kept beside the SDK's own types: a new version of the SDK with new fields turns these red.


def test_the_models_are_those_of_the_sdk() -> None:
    literal = next(part for part in typing.get_args(types.ModelParam) if part is not str)
    assert set(typing.get_args(literal)) == set(MODELS)


def test_the_fields_of_a_request_are_those_of_the_sdk() -> None:
    fields = set(message_create_params.MessageCreateParamsBase.__annotations__)
    assert fields - {"user_profile_id", "workspace_id"} | {"stream"} == FIELDS  # these two travel as headers


BLOCK_TYPES: dict[str, Any] = {
    "text": types.TextBlockParam,
    "image": types.ImageBlockParam,
    "document": types.DocumentBlockParam,
    "search_result": types.SearchResultBlockParam,
    "thinking": types.ThinkingBlockParam,
    "redacted_thinking": types.RedactedThinkingBlockParam,
    "tool_use": types.ToolUseBlockParam,
    "tool_result": types.ToolResultBlockParam,
}


@pytest.mark.parametrize("kind", BLOCK_FIELDS)
def test_the_fields_of_a_block_are_those_of_the_sdk(kind: str) -> None:
    assert set(BLOCK_TYPES[kind].__annotations__) == BLOCK_FIELDS[kind]
    required = {name for name, hint in BLOCK_TYPES[kind].__annotations__.items() if "Required" in str(hint)}
    assert required - {"type"} == set(BLOCK_REQUIRED[kind])


def test_the_fields_of_a_tool_are_those_of_the_sdk() -> None:
    assert set(types.ToolParam.__annotations__) == TOOL_FIELDS
