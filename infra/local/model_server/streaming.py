"""Turns a finished message into the API's stream of server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from starlette.responses import Response


def as_events(response: Response) -> Response:
    """Return the same message as an event stream, each content block in one delta."""
    message = json.loads(bytes(response.body))
    body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _events(message))
    return Response(body, 200, {"request-id": response.headers["request-id"]}, media_type="text/event-stream")


def _events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    end = {"stop_reason": message["stop_reason"], "stop_sequence": message["stop_sequence"]}
    usage = {**message["usage"], "output_tokens": 1}
    yield {
        "type": "message_start",
        "message": {**message, "content": [], "stop_reason": None, "stop_details": None, "usage": usage},
    }
    for number, block in enumerate(message["content"]):
        yield from _block(number, block)
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": message["usage"]["output_tokens"]}}
    yield {"type": "message_stop"}


def _block(number: int, block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if block["type"] == "text":
        begin = {**block, "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    else:
        begin = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield {"type": "content_block_start", "index": number, "content_block": begin}
    yield {"type": "content_block_delta", "index": number, "delta": delta}
    yield {"type": "content_block_stop", "index": number}
