"""The server: checks a request by the API's rules, answers it from the script or by rehearsal, and logs the call."""

from __future__ import annotations

import asyncio
import json
from itertools import count
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from onthoud.clock import Clock, SystemClock

from .answers import rehearsed, scripted, texts
from .calls import CallLog
from .refusal import Refusal, error_body
from .request_rules import MAX_REQUEST_BYTES, check, check_headers
from .script import Entry, Script
from .streaming import as_events

PURPOSE_HEADER = "x-onthoud-purpose"
_ERROR_TEXTS = {
    429: "This request would exceed your organization's rate limit. Please try again later.",
    500: "Internal server error",
    529: "Overloaded",
}


class ModelServer:
    """One model server with its script and its log.

    Attributes:
        script: what it answers next.
        calls: what it was asked.
        accepted_key: the only key that it takes; None takes any. For tests of a changed key.
    """

    def __init__(self, clock: Clock | None = None, *, accepted_key: str | None = None) -> None:
        self.script = Script()
        self.calls = CallLog()
        self.accepted_key = accepted_key
        self._clock = clock or SystemClock()
        self._request_ids = count(1)

    @property
    def routes(self) -> list[Route]:
        """The routes of the API, to be mounted at the root of its own port."""
        return [Route("/v1/messages", self._messages, methods=["POST"])]

    @property
    def app(self) -> Starlette:
        """The ASGI application."""
        return Starlette(routes=self.routes, exception_handlers={404: self._unknown, 405: self._unknown})

    async def _messages(self, request: Request) -> Response:
        body = await request.body()
        at, purpose = self._clock.now(), request.headers.get(PURPOSE_HEADER, "")
        request_id = self._request_id()
        try:
            asked = self._check(request, body)
            entry = self.script.take(purpose, "\n".join(texts(asked)))
            if entry is not None and entry.delay_s:
                await asyncio.sleep(entry.delay_s)
            response = _respond(asked, purpose, entry, request_id)
        except Refusal as refusal:
            response = _error(refusal.status, refusal.message, request_id)
        self.calls.add(at, purpose, body, bytes(response.body))
        return as_events(response) if _wants_events(response, body) else response

    def _check(self, request: Request, body: bytes) -> dict[str, Any]:
        check_headers(request.headers)
        self._check_key(request)
        if len(body) > MAX_REQUEST_BYTES:
            raise Refusal("Request exceeds the maximum size", status=413)
        try:
            asked = json.loads(body)
        except ValueError as error:
            raise Refusal(f"The request body is not valid JSON: {error}") from None
        return check(asked)

    def _check_key(self, request: Request) -> None:
        given = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        if self.accepted_key is not None and given != self.accepted_key:
            raise Refusal("invalid x-api-key", status=401)

    async def _unknown(self, request: Request, _: Exception) -> Response:
        return _error(404, f"Not found: {request.method} {request.url.path}", self._request_id())

    def _request_id(self) -> str:
        return f"req_local_{next(self._request_ids):08d}"


def _respond(asked: dict[str, Any], purpose: str, entry: Entry | None, request_id: str) -> Response:
    if entry is None:
        return _json(200, rehearsed(asked, purpose), request_id)
    if "status" in entry.answer:
        status = entry.answer["status"]
        response = _error(status, _ERROR_TEXTS.get(status, "The script answers with an error"), request_id)
        if "retry_after" in entry.answer:
            response.headers["retry-after"] = str(entry.answer["retry_after"])
        return response
    return _json(200, scripted(asked, purpose, entry.answer), request_id)


def _wants_events(response: Response, body: bytes) -> bool:
    return response.status_code == 200 and b'"stream"' in body and json.loads(body).get("stream") is True


def _json(status: int, value: Any, request_id: str) -> Response:
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return Response(body, status, {"request-id": request_id}, media_type="application/json")


def _error(status: int, message: str, request_id: str) -> Response:
    return _json(status, error_body(status, message, request_id), request_id)
