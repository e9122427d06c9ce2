"""Which lists of messages the Messages API takes: roles, order, content blocks, tools' uses and results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .models import ModelFacts
from .refusal import Refusal

MAX_MESSAGES = 100_000

BLOCK_FIELDS: dict[str, frozenset[str]] = {
    "text": frozenset({"type", "text", "cache_control", "citations"}),
    "image": frozenset({"type", "source", "cache_control", "transformations"}),
    "document": frozenset({"type", "source", "cache_control", "citations", "context", "title"}),
    "search_result": frozenset({"type", "content", "source", "title", "cache_control", "citations"}),
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
    "tool_use": frozenset({"type", "id", "name", "input", "cache_control", "caller", "toolset_name"}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"}),
}
"""The documented fields of each content block that is no server tool's (a test compares with the SDK's)."""

BLOCK_REQUIRED: dict[str, tuple[str, ...]] = {
    "text": ("text",),
    "image": ("source",),
    "document": ("source",),
    "search_result": ("content", "source", "title"),
    "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
    "tool_use": ("id", "name", "input"),
    "tool_result": ("tool_use_id",),
}
_ROLE_OF_BLOCK = {
    "image": "user",
    "document": "user",
    "search_result": "user",
    "tool_result": "user",
    "tool_use": "assistant",
    "thinking": "assistant",
    "redacted_thinking": "assistant",
}
_IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_TOOL_USE_ID = re.compile(r"^[a-zA-Z0-9_-]+$")


def check_messages(request: Mapping[str, Any], facts: ModelFacts) -> None:
    """Refuse a conversation that the API documents as invalid."""
    messages = request["messages"]
    if not isinstance(messages, list):
        raise Refusal("messages: Input should be a valid list")
    if not messages:
        raise Refusal("messages: at least one message is required")
    if len(messages) > MAX_MESSAGES:
        raise Refusal(f"messages: List should have at most {MAX_MESSAGES} items")
    for number, message in enumerate(messages):
        _check_message(message, number, last=number == len(messages) - 1, facts=facts)
    if messages[0]["role"] != "user":
        raise Refusal('messages: first message must use the "user" role')
    _check_system_places(messages)
    _check_tool_pairs(messages)
    if messages[-1]["role"] == "assistant":
        _check_prefill(request, messages[-1], facts)


def _check_message(message: object, number: int, *, last: bool, facts: ModelFacts) -> None:
    at = f"messages.{number}"
    if not isinstance(message, dict):
        raise Refusal(f"{at}: Input should be a valid dictionary")
    for field in message:
        if field not in ("role", "content"):
            raise Refusal(f"{at}.{field}: Extra inputs are not permitted")
    for field in ("role", "content"):
        if field not in message:
            raise Refusal(f"{at}.{field}: Field required")
    role = message["role"]
    if role not in ("user", "assistant", "system"):
        raise Refusal(f"{at}.role: Input should be 'user', 'assistant' or 'system'")
    if role == "system" and not facts.system_role:
        raise Refusal(f"{at}: role 'system' is not supported on this model")
    _check_content(message["content"], role, at, may_be_empty=last and role == "assistant")


def _check_content(content: object, role: str, at: str, *, may_be_empty: bool) -> None:
    if not isinstance(content, str | list):
        raise Refusal(f"{at}.content: Input should be a valid list")
    if not content:
        if may_be_empty:
            return
        if role == "user":
            raise Refusal(f"{at}: user messages must have non-empty content")
        raise Refusal(f"{at}: all messages must have non-empty content except for the optional final assistant message")
    if isinstance(content, str):
        if not content.strip():
            raise Refusal("messages: text content blocks must contain non-whitespace text")
        return
    for number, block in enumerate(content):
        _check_block(block, role, f"{at}.content.{number}")


def _check_block(block: object, role: str, at: str) -> None:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(block, dict) or kind is None:
        raise Refusal(f"{at}.type: Field required")
    if kind not in BLOCK_FIELDS:
        tags = ", ".join(f"'{tag}'" for tag in BLOCK_FIELDS)
        raise Refusal(f"{at}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {tags}")
    _check_fields(block, kind, at)
    wanted = _ROLE_OF_BLOCK.get(kind, role)
    if wanted != role:
        raise Refusal(f"{at}: `{kind}` blocks can only be in `{wanted}` messages")
    if kind == "text":
        check_text_block(block, f"{at}.text", "messages")
    elif kind == "image":
        _check_image(block["source"], f"{at}.image.source")
    elif kind == "tool_result":
        _check_tool_result(block, f"{at}.tool_result")
    elif kind == "tool_use":
        _check_tool_use(block, f"{at}.tool_use")


def _check_fields(block: Mapping[str, Any], kind: str, at: str) -> None:
    for field in block:
        if field not in BLOCK_FIELDS[kind]:
            raise Refusal(f"{at}.{kind}.{field}: Extra inputs are not permitted")
    for field in BLOCK_REQUIRED[kind]:
        if field not in block:
            raise Refusal(f"{at}.{kind}.{field}: Field required")


def check_text_block(block: Mapping[str, Any], at: str, root: str) -> None:
    """Refuse a text block that is empty, or whose cache mark is wrong."""
    text = block.get("text")
    if not isinstance(text, str):
        raise Refusal(f"{at}.text: Input should be a valid string")
    for field in block:
        if field not in BLOCK_FIELDS["text"]:
            raise Refusal(f"{at}.{field}: Extra inputs are not permitted")
    if not text:
        raise Refusal(f"{root}: text content blocks must be non-empty")
    if not text.strip():
        raise Refusal(f"{root}: text content blocks must contain non-whitespace text")
    mark = block.get("cache_control")
    if mark is not None and (not isinstance(mark, dict) or mark.get("type") != "ephemeral"):
        raise Refusal(f"{at}.cache_control.type: Input should be 'ephemeral'")
    if mark is not None and mark.get("ttl", "5m") not in ("5m", "1h"):
        raise Refusal(f"{at}.cache_control.ephemeral.ttl: Input should be '5m' or '1h'")


def _check_image(source: object, at: str) -> None:
    kind = source.get("type") if isinstance(source, dict) else None
    if not isinstance(source, dict) or kind not in ("base64", "url"):
        raise Refusal(f"{at}.type: Input should be 'base64' or 'url'")
    if kind == "url" and not str(source.get("url", "")).startswith("https://"):
        raise Refusal(f"{at}.url: Only HTTPS URLs are supported.")
    if kind == "base64" and source.get("media_type") not in _IMAGE_TYPES:
        raise Refusal(f"{at}.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'")
    if kind == "base64" and not source.get("data"):
        raise Refusal(f"{at}.base64: image cannot be empty")


def _check_tool_use(block: Mapping[str, Any], at: str) -> None:
    if not isinstance(block["id"], str) or not _TOOL_USE_ID.match(block["id"]):
        raise Refusal(f"{at}.id: String should match pattern '{_TOOL_USE_ID.pattern}'")
    if not isinstance(block["input"], dict):
        raise Refusal(f"{at}.input: Input should be a valid dictionary")


def _check_tool_result(block: Mapping[str, Any], at: str) -> None:
    for number, inner in enumerate(block.get("content") or ()):
        if isinstance(inner, dict) and inner.get("type") == "text":
            check_text_block(inner, f"{at}.content.{number}", "messages")


def _check_system_places(messages: list[dict[str, Any]]) -> None:
    """A `system` message stands directly behind the customer's turn."""
    for number, message in enumerate(messages):
        if message["role"] == "system" and messages[number - 1]["role"] != "user":
            raise Refusal(f"messages.{number}: a 'system' message must follow a 'user' message")


def _check_tool_pairs(messages: list[dict[str, Any]]) -> None:
    seen: set[str] = set()
    pending: list[str] = []
    for number, message in enumerate(messages):
        content = message["content"]
        blocks: list[dict[str, Any]] = content if isinstance(content, list) else []
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if missing := [use for use in pending if use not in results]:
            raise Refusal(
                f"messages.{number - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the "
                "next message."
            )
        _check_results(blocks, pending, number)
        pending = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if len(seen | set(pending)) < len(seen) + len(pending):
            raise Refusal(f"messages.{number}: `tool_use` ids must be unique")
        seen |= set(pending)
    if pending:
        raise Refusal(
            f"messages.{len(messages) - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(pending)}. Each `tool_use` block must have a corresponding `tool_result` block in the "
            "next message."
        )


def _check_results(blocks: list[dict[str, Any]], pending: list[str], number: int) -> None:
    for place, block in enumerate(blocks):
        if block["type"] != "tool_result":
            continue
        if block["tool_use_id"] not in pending:
            raise Refusal(
                f"messages.{number}.content.{place}: unexpected `tool_use_id` found in `tool_result` blocks: "
                f"{block['tool_use_id']}. Each `tool_result` block must have a corresponding `tool_use` block in the "
                "previous message."
            )
        if place and blocks[place - 1]["type"] != "tool_result":
            raise Refusal(f"messages.{number}: `tool_result` blocks must come first in the content of a message")


def _check_prefill(request: Mapping[str, Any], message: Mapping[str, Any], facts: ModelFacts) -> None:
    if not facts.prefill:
        raise Refusal(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )
    if (request.get("output_config") or {}).get("format"):
        raise Refusal("Prefilling the assistant message is incompatible with output_config.format")
    content = message["content"]
    text = content if isinstance(content, str) else (content[-1].get("text", "") if content else "")
    if text != text.rstrip():
        raise Refusal("messages: final assistant content cannot end with trailing whitespace")
