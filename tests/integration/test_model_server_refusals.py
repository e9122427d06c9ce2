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
from tests.fakes.serving import serving

pytestmark = pytest.mark.stack

TOOL = {"name": "look_up", "input_schema": {"type": "object", "properties": {}}}
USE = {"type": "tool_use", "id": "toolu_1", "name": "look_up", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "found"}
SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}


def user(content: Any = "Do you have lights?") -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any = "Yes.") -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def image(source: dict[str, Any]) -> dict[str, Any]:
    return {"type": "image", "source": source}


def formatted(schema: Any) -> dict[str, Any]:
    return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}


def property_of(schema: dict[str, Any]) -> dict[str, Any]:
    return formatted({"type": "object", "properties": {"a": schema}, "additionalProperties": False})


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


GOOD: dict[str, dict[str, Any]] = {
    "blocks": {"messages": [user([text("a"), image({"type": "url", "url": "https://example.com/a.png"})])]},
    "consecutive turns of one side": {"messages": [user("a"), user("b"), assistant("c"), user("d")]},
    "a tool's use and its result": {"messages": [user(), assistant([USE]), user([RESULT])], "tools": [TOOL]},
    "a prefill where the model takes it": {"messages": [user(), assistant("Yes")], "model": "claude-haiku-4-5"},
    "a system message behind the customer's turn": {"messages": [user(), {"role": "system", "content": "now"}]},
    "cache marks": {"system": [text("a", cache_control={"type": "ephemeral", "ttl": "1h"})]},
    "filling the cache": {"max_tokens": 0, "system": [text("a", cache_control={"type": "ephemeral"})]},
    "nullable by anyOf": property_of({"anyOf": [{"type": "string"}, {"type": "null"}]}),
    "nullable by a list of types": property_of({"type": ["string", "null"]}),
    "references": formatted(
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/A"}},
            "additionalProperties": False,
            "$defs": {"A": {"type": "array", "items": {"type": "integer"}, "minItems": 1}},
        }
    ),
    "no thinking": {"thinking": {"type": "disabled"}},
    "low effort": {"output_config": {"effort": "low"}, "model": "claude-opus-5-5"},
}


@pytest.mark.parametrize("request_", GOOD.values(), ids=GOOD.keys())
def test_what_the_api_documents_as_valid_is_taken(ask: Ask, request_: dict[str, Any]) -> None:
    assert ask(**request_).type == "message"


BAD: dict[str, tuple[dict[str, Any], str]] = {
    # the list of messages
    "no messages": ({"messages": []}, "at least one message is required"),
    "assistant first": ({"messages": [assistant(), user()]}, 'first message must use the "user" role'),
    "unknown role": ({"messages": [{"role": "tool", "content": "x"}]}, "messages.0.role"),
    "system first": ({"messages": [{"role": "system", "content": "x"}, user()]}, "first message"),
    "system behind the assistant": (
        {"messages": [user(), assistant(), {"role": "system", "content": "x"}]},
        "must follow",
    ),
    "system role on an older model": (
        {"messages": [user(), {"role": "system", "content": "x"}], "model": "claude-opus-4-6"},
        "role 'system' is not supported on this model",
    ),
    "unknown field of a message": ({"messages": [{**user(), "name": "Ana"}]}, "messages.0.name: Extra inputs"),
    "message without content": ({"messages": [{"role": "user"}]}, "messages.0.content: Field required"),
    "content of a wrong type": ({"messages": [user(7)]}, "messages.0.content"),
    # empty content
    "empty text": ({"messages": [user("")]}, "non-empty content"),
    "empty list": ({"messages": [user([])]}, "non-empty content"),
    "empty block": ({"messages": [user([text("")])]}, "text content blocks must be non-empty"),
    "white space": ({"messages": [user(" \n")]}, "must contain non-whitespace text"),
    "block of white space": ({"messages": [user([text("\t")])]}, "must contain non-whitespace text"),
    "empty assistant in the middle": ({"messages": [user(), assistant(""), user()]}, "messages.1: all messages must"),
    "empty result": (
        {"messages": [user(), assistant([USE]), user([{**RESULT, "content": [text("")]}])], "tools": [TOOL]},
        "non-empty",
    ),
    "empty system block": ({"system": [text("")]}, "system: text content blocks must be non-empty"),
    # the end of the conversation
    "prefill on a model without": (
        {"messages": [user(), assistant("Y")]},
        "does not support assistant message prefill",
    ),
    "white space behind a prefill": (
        {"messages": [user(), assistant("Yes ")], "model": "claude-haiku-4-5"},
        "final assistant content cannot end with trailing whitespace",
    ),
    "prefill with an output format": (
        {"messages": [user(), assistant("Y")], "model": "claude-haiku-4-5", **formatted(SCHEMA)},
        "incompatible",
    ),
    # blocks
    "unknown block": ({"messages": [user([{"type": "video"}])]}, "messages.0.content.0: Input tag 'video'"),
    "unknown field of a block": ({"messages": [user([text("a", tone="warm")])]}, "text.tone: Extra inputs"),
    "block without its text": ({"messages": [user([{"type": "text"}])]}, "text.text: Field required"),
    "block without a type": ({"messages": [user([{"text": "a"}])]}, "type: Field required"),
    "image from the assistant": (
        {"messages": [user(), assistant([image({"type": "url", "url": "https://e.com/a.png"})]), user()]},
        "`image` blocks can only be in `user` messages",
    ),
    "image over plain http": ({"messages": [user([image({"type": "url", "url": "http://e.com/a.png"})])]}, "HTTPS"),
    "image of a wrong type": (
        {"messages": [user([image({"type": "base64", "media_type": "image/tiff", "data": "AA=="})])]},
        "media_type",
    ),
    "empty image": (
        {"messages": [user([image({"type": "base64", "media_type": "image/png", "data": ""})])]},
        "image cannot be empty",
    ),
    "wrong cache mark": ({"messages": [user([text("a", cache_control={"type": "long"})])]}, "cache_control"),
    "wrong life of a cache mark": (
        {"messages": [user([text("a", cache_control={"type": "ephemeral", "ttl": "2h"})])]},
        "ttl",
    ),
    "too many cache marks": (
        {"messages": [user([text("a", cache_control={"type": "ephemeral"}) for _ in range(5)])]},
        "A maximum of 4 blocks",
    ),
    # tools
    "use without result": ({"messages": [user(), assistant([USE]), user()], "tools": [TOOL]}, "without `tool_result`"),
    "use at the end": ({"messages": [user(), assistant([USE])], "tools": [TOOL]}, "without `tool_result`"),
    "orphaned result": ({"messages": [user([RESULT])], "tools": [TOOL]}, "unexpected `tool_use_id`"),
    "result behind text": (
        {"messages": [user(), assistant([USE]), user([text("a"), RESULT])], "tools": [TOOL]},
        "must come first",
    ),
    "the same use twice": (
        {"messages": [user(), assistant([USE, USE]), user([RESULT])], "tools": [TOOL]},
        "must be unique",
    ),
    "use by the customer": ({"messages": [user([USE])], "tools": [TOOL]}, "`tool_use` blocks can only be in"),
    "wrong id of a use": (
        {
            "messages": [user(), assistant([{**USE, "id": "a b"}]), user([{**RESULT, "tool_use_id": "a b"}])],
            "tools": [TOOL],
        },
        "should match pattern",
    ),
    "uses without tools": ({"messages": [user(), assistant([USE]), user([RESULT])]}, "must define tools"),
    "two tools of one name": ({"tools": [TOOL, TOOL]}, "must be unique"),
    "wrong name of a tool": ({"tools": [{**TOOL, "name": "look up"}]}, "should match pattern"),
    "unknown field of a tool": ({"tools": [{**TOOL, "scope": "a"}]}, "scope: Extra inputs"),
    "tool without a schema": ({"tools": [{"name": "a"}]}, "input_schema: Field required"),
    "schema that is no object": ({"tools": [{"name": "a", "input_schema": {"type": "string"}}]}, "'object'"),
    "choice of an unknown tool": (
        {"tools": [TOOL], "tool_choice": {"type": "tool", "name": "other"}},
        "Tool 'other' not found",
    ),
    "choice without tools": ({"tool_choice": {"type": "auto"}}, "while providing tools"),
    "forcing a model that always thinks": (
        {"tools": [TOOL], "tool_choice": {"type": "any"}, "model": "claude-opus-5-5"},
        "not supported on this model",
    ),
    # the top level
    "unknown field": ({"extra_body": {"tenant": "a"}}, "tenant: Extra inputs are not permitted"),
    "temperature": ({"extra_body": {"temperature": 0}}, "temperature: Extra inputs are not permitted"),
    "no tokens": ({"max_tokens": 0}, "max_tokens: Input should be greater than or equal to 1"),
    "negative tokens": ({"max_tokens": -1}, "greater than or equal to 1"),
    "no tokens with an output format": (
        {"max_tokens": 0, "system": [text("a", cache_control={"type": "ephemeral"})], **formatted(SCHEMA)},
        "greater than or equal to 1",
    ),
    "tokens as text": ({"extra_body": {"max_tokens": "512"}}, "max_tokens: Input should be a valid integer"),
    "more tokens than the model has": (
        {"model": "claude-haiku-4-5", "extra_body": {"max_tokens": 64_001}},
        "64001 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5",
    ),
    "empty stop sequence": ({"stop_sequences": [" "]}, "stop_sequences.0"),
    "unknown metadata": ({"metadata": {"name": "Ana"}}, "metadata.name: Extra inputs"),
    "unknown service tier": ({"service_tier": "fast"}, "service_tier"),
    "system that is no text": ({"system": [{"type": "image"}]}, "system.0.type"),
    "unknown thinking": ({"thinking": {"type": "deep"}}, "thinking.type"),
    "thinking off where it is always on": (
        {"thinking": {"type": "disabled"}, "model": "claude-opus-5-5"},
        "not supported for this model",
    ),
    "a thinking budget on a newer model": (
        {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048},
        "not supported for this model",
    ),
    "too small a thinking budget": (
        {"thinking": {"type": "enabled", "budget_tokens": 10}, "model": "claude-haiku-4-5"},
        "greater than or equal to 1024",
    ),
    "a thinking budget over max_tokens": (
        {"thinking": {"type": "enabled", "budget_tokens": 2048}, "model": "claude-haiku-4-5"},
        "must be greater than",
    ),
    "unknown effort": ({"output_config": {"effort": "some"}}, "output_config.effort"),
    "effort on a model without": (
        {"output_config": {"effort": "low"}, "model": "claude-haiku-4-5"},
        "does not support the effort parameter",
    ),
    # the output's schema
    "unknown field of the output": ({"output_config": {"style": "a"}}, "output_config.style: Extra inputs"),
    "unknown format": ({"output_config": {"format": {"type": "xml"}}}, "output_config.format.type"),
    "format without a schema": ({"output_config": {"format": {"type": "json_schema"}}}, "schema: Field required"),
    "named format": (
        {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA, "name": "a"}}},
        "output_config.format.name: Extra inputs",
    ),
    "open object": (
        formatted({"type": "object", "properties": {}}),
        "'additionalProperties' must be explicitly set to false",
    ),
    "object open on purpose": (
        formatted({"type": "object", "properties": {}, "additionalProperties": True}),
        "'additionalProperties: true' is not supported",
    ),
    "open object further in": (property_of({"type": "array", "items": {"type": "object"}}), "explicitly set to false"),
    "shortest text": (property_of({"type": "string", "minLength": 1}), "property 'minLength' is not supported"),
    "longest text": (property_of({"type": "string", "maxLength": 9}), "property 'maxLength' is not supported"),
    "smallest number": (property_of({"type": "integer", "minimum": 0}), "property 'minimum' is not supported"),
    "greatest number": (property_of({"type": "number", "maximum": 1}), "property 'maximum' is not supported"),
    "at least two": (property_of({"type": "array", "minItems": 2}), "'minItems' values other than 0 or 1"),
    "at most two": (property_of({"type": "array", "maxItems": 2}), "property 'maxItems' is not supported"),
    "one of": (property_of({"oneOf": [{"type": "string"}]}), "Schema type 'oneOf' is not supported"),
    "unknown type": (property_of({"type": "text"}), "Schema type 'text' is not supported"),
    "unknown format of a text": (property_of({"type": "string", "format": "phone"}), "'format' value 'phone'"),
    "no type at all": (property_of({"description": "anything"}), "must have a 'type'"),
    "empty enumeration": (property_of({"enum": []}), "non-empty list"),
    "enumerated objects": (property_of({"enum": [{"a": 1}]}), "Complex types in enums"),
    "nullable enumeration by a list of types": (
        property_of({"type": ["string", "null"], "enum": ["a", None]}),
        "does not match declared type",
    ),
    "enumeration of another type": (property_of({"type": "integer", "enum": ["a"]}), "does not match declared type"),
    "required but unknown": (
        formatted({"type": "object", "properties": {}, "required": ["a"], "additionalProperties": False}),
        "Required property 'a'",
    ),
    "a reference that leads nowhere": (property_of({"$ref": "#/$defs/B"}), "must name a definition"),
    "recursion": (
        formatted(
            {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/A"}},
                "additionalProperties": False,
                "$defs": {"A": {"type": "array", "items": {"$ref": "#/$defs/A"}}},
            }
        ),
        "Recursive schemas are not supported",
    ),
}


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
