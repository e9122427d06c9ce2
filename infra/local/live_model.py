"""Claude in the place of the rehearsal model: requests go on to the real API, with the operator's own key.

Scripts still come first, and every call is still kept for `GET /local/model/calls`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.local.clock import StackClock
from infra.local.errors import TemplateError
from infra.local.model_server import ModelServer
from infra.local.model_server.app import PURPOSE_HEADER

KEY = "ANTHROPIC_API_KEY"
_ADDRESS = "https://api.anthropic.com"
_PASSED_ON = ("content-type", "anthropic-version", "anthropic-beta", "user-agent", PURPOSE_HEADER)
_PASSED_BACK = ("content-type", "retry-after", "request-id")
_TIMEOUT_S = 120.0


class LiveModel:
    """Passes requests on."""

    def __init__(self, server: ModelServer, clock: StackClock, environment: Mapping[str, str] = os.environ) -> None:
        """Take the key from the environment, and the address if another is set there, as the SDK does.

        Raises:
            TemplateError: there is no key.
        """
        if not environment.get(KEY):
            raise TemplateError(f"--live-model needs {KEY} in the environment")
        self._server = server
        self._clock = clock
        self._key = environment[KEY]
        self._client = httpx2.AsyncClient(
            base_url=environment.get("ANTHROPIC_BASE_URL") or _ADDRESS, timeout=_TIMEOUT_S
        )
        self._scripted = server.app

    @property
    def app(self) -> Starlette:
        """The ASGI application."""
        return Starlette(routes=[Route("/v1/messages", self._messages, methods=["POST"])])

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _messages(self, request: Request) -> Any:
        if self._server.script.is_set:
            return self._scripted
        body, at = await request.body(), self._clock.now()
        headers = {name: request.headers[name] for name in _PASSED_ON if name in request.headers}
        try:
            answer = await self._client.post("/v1/messages", content=body, headers={**headers, "x-api-key": self._key})
        except httpx2.HTTPError as error:
            answer = _unreachable(error)
        self._server.calls.add(at, request.headers.get(PURPOSE_HEADER, ""), body, answer.content)
        passed = {name: answer.headers[name] for name in _PASSED_BACK if name in answer.headers}
        return Response(answer.content, answer.status_code, passed)


def _unreachable(error: Exception) -> httpx2.Response:
    message = {"type": "api_error", "message": f"the Messages API cannot be reached: {type(error).__name__}"}
    return httpx2.Response(502, json={"type": "error", "error": message})
