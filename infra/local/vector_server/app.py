"""The server: the wire protocol around the index."""

from __future__ import annotations

import hmac
import json
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .index import Index
from .requests import Refusal

MAX_BODY_BYTES = 64 * 1024 * 1024


class VectorServer:
    """One index behind HTTP.

    Args:
        index: what is served.
        token: the bearer token that every call must carry.
    """

    def __init__(self, index: Index, token: str) -> None:
        self.index = index
        self._token = token

    @property
    def app(self) -> Starlette:
        """The ASGI application, to be mounted at the root of its own port."""
        return Starlette(routes=[Route("/{path:path}", self._serve, methods=["GET", "POST", "PUT", "PATCH", "DELETE"])])

    async def _serve(self, request: Request) -> Response:
        try:
            result = await self._carry_out(request)
        except Refusal as refusal:
            return JSONResponse({"error": refusal.message, "status": refusal.status}, refusal.status)
        return JSONResponse({"result": result})

    async def _carry_out(self, request: Request) -> Any:
        given = request.headers.get("authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {self._token}".encode()):
            raise Refusal("Unauthorized: Invalid auth token", 401)
        raw = await request.body()
        if len(raw) > MAX_BODY_BYTES:
            raise Refusal("The body is too large", 413)
        try:
            body = json.loads(raw) if raw else None
        except ValueError as error:
            raise Refusal("The body is not JSON") from error
        operation, _, namespace = request.path_params["path"].partition("/")
        everything = "all" in request.query_params
        return await run_in_threadpool(self.index.call, operation, namespace, body, everything=everything)
