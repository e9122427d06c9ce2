"""Builds the API's answers: messages from script entries or from the rehearsal model, and their usage."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from .rehearsal import rehearse, worded

_ids = count(1)


def output_schema(request: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the schema that the answer must keep to, None for a free answer."""
    wanted = (request.get("output_config") or {}).get("format")
    schema = wanted["schema"] if wanted else None
    return schema if isinstance(schema, Mapping) else None


def forced_tool(request: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the tool that the request forces the model to use, None where it is free."""
    choice = request.get("tool_choice") or {}
    tools: list[Mapping[str, Any]] = request.get("tools") or []
    if choice.get("type") == "tool":
        return next(tool for tool in tools if tool["name"] == choice["name"])
    return tools[0] if choice.get("type") == "any" else None


def scripted(request: Mapping[str, Any], purpose: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the message that a script entry describes."""
    stop_reason = entry.get("stop_reason")
    if "tool" in entry:
        content = [_tool_use(entry["tool"]["name"], entry["tool"]["input"])]
    elif "raw" in entry:
        content = _text_blocks(entry["raw"])
    elif "json" in entry:
        content = _structured(request, entry["json"])
    else:
        content = _worded(request, purpose, entry.get("text", ""))
    if stop_reason is None:
        stop_reason = "tool_use" if content and content[0]["type"] == "tool_use" else "end_turn"
    return message(request, content, stop_reason=stop_reason)


def rehearsed(request: Mapping[str, Any], purpose: str) -> dict[str, Any]:
    """Return the rehearsal model's message; its id says that it is one."""
    tool = forced_tool(request)
    schema = output_schema(request) or (tool["input_schema"] if tool else None)
    answer = rehearse(purpose, request, schema)
    content = _text_blocks(answer) if isinstance(answer, str) else _structured(request, answer)
    stop_reason = "tool_use" if content[0]["type"] == "tool_use" else "end_turn"
    return message(request, content, stop_reason=stop_reason, origin="rehearsal")


def message(
    request: Mapping[str, Any], content: list[dict[str, Any]], *, stop_reason: str, origin: str = "script"
) -> dict[str, Any]:
    """Return a message as the API sends it, with tokens counted as characters / 4."""
    written = sum(len(block.get("text") or json.dumps(block.get("input", ""))) for block in content)
    return {
        "id": f"msg_{origin}_{next(_ids):08d}",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "stop_details": {"type": "refusal", "category": None, "explanation": None}
        if stop_reason == "refusal"
        else None,
        "usage": {
            "input_tokens": max(1, sum(len(text) for text in texts(request)) // 4),
            "output_tokens": max(1, written // 4),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "service_tier": "standard",
        },
    }


def texts(request: Mapping[str, Any]) -> Iterator[str]:
    """Yield every text of a request: the system prompt's and the messages'."""
    yield from _block_texts(request.get("system") or "")
    for entry in request["messages"]:
        yield from _block_texts(entry["content"])


def _block_texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
        return
    for block in content:
        if "text" in block:
            yield block["text"]
        elif isinstance(block.get("content"), str | list):
            yield from _block_texts(block["content"])


def _worded(request: Mapping[str, Any], purpose: str, text: str) -> list[dict[str, Any]]:
    """Put a script's text where the caller asked for it: into its schema, its forced tool, or plain."""
    tool = forced_tool(request)
    schema = output_schema(request) or (tool["input_schema"] if tool else None)
    if schema is None or not text:
        return _text_blocks(text)
    return _structured(request, worded(purpose, request, schema, text))


def _structured(request: Mapping[str, Any], value: Any) -> list[dict[str, Any]]:
    tool = forced_tool(request)
    if tool is not None and output_schema(request) is None:
        return [_tool_use(tool["name"], value)]
    return _text_blocks(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _text_blocks(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text, "citations": None}] if text else []


def _tool_use(name: str, arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{next(_ids):08d}", "name": name, "input": arguments}
