"""Which tools a request may define, and which of them it may force."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .models import ModelFacts
from .refusal import Refusal

TOOL_FIELDS = frozenset(
    {
        "type",
        "name",
        "description",
        "input_schema",
        "cache_control",
        "strict",
        "input_examples",
        "allowed_callers",
        "defer_loading",
        "eager_input_streaming",
    }
)
"""The documented fields of a customer's own tool (a test compares with the SDK's)."""

_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")
_CHOICES = ("auto", "any", "tool", "none")


def check_tools(request: Mapping[str, Any], facts: ModelFacts) -> None:
    """Refuse tools, and a choice among them, that the API documents as invalid."""
    tools = request.get("tools") or []
    if not isinstance(tools, list):
        raise Refusal("tools: Input should be a valid list")
    for number, tool in enumerate(tools):
        _check_tool(tool, f"tools.{number}")
    names = [tool["name"] for tool in tools]
    if len(set(names)) < len(names):
        raise Refusal("tools: Tool names must be unique.")
    _check_choice(request.get("tool_choice"), names, facts)
    if not tools and _uses_tools(request.get("messages")):
        raise Refusal("Requests which include `tool_use` or `tool_result` blocks must define tools")


def _check_tool(tool: object, at: str) -> None:
    if not isinstance(tool, dict):
        raise Refusal(f"{at}: Input should be a valid dictionary")
    if tool.get("type", "custom") not in (None, "custom"):
        raise Refusal(f"{at}: the local model server knows only custom tools")
    for field in tool:
        if field not in TOOL_FIELDS:
            raise Refusal(f"{at}.custom.{field}: Extra inputs are not permitted")
    for field in ("name", "input_schema"):
        if field not in tool:
            raise Refusal(f"{at}.custom.{field}: Field required")
    if not isinstance(tool["name"], str) or not _NAME.match(tool["name"]):
        raise Refusal(f"{at}.custom.name: String should match pattern '{_NAME.pattern}'")
    schema = tool["input_schema"]
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise Refusal(f"{at}.custom.input_schema.type: Input should be 'object'")


def _check_choice(choice: object, names: list[str], facts: ModelFacts) -> None:
    if choice is None:
        return
    if not names:
        raise Refusal("tool_choice may only be specified while providing tools")
    kind = choice.get("type") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or kind not in _CHOICES:
        raise Refusal("tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none'")
    if kind in ("any", "tool") and not facts.forced_tools:
        raise Refusal(f"tool_choice.type: '{kind}' is not supported on this model")
    if kind == "tool" and choice.get("name") not in names:
        raise Refusal(f"Tool '{choice.get('name')}' not found in provided tools")


def _uses_tools(messages: object) -> bool:
    if not isinstance(messages, list):
        return False
    return any(
        isinstance(block, dict) and block.get("type") in ("tool_use", "tool_result")
        for message in messages
        if isinstance(message, dict) and isinstance(message.get("content"), list)
        for block in message["content"]
    )
