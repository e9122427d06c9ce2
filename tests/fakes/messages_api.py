"""Requests that the Messages API documents as valid or as invalid, with the words of its refusals."""

from __future__ import annotations

from typing import Any

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
