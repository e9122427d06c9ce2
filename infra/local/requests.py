"""Reading requests of the control interface, and saying what is wrong with them."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Any, TypeAlias

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from infra.local.errors import ControlError, Malformed
from onthoud.clock import from_iso

log = logging.getLogger("onthoud.local")

Answer: TypeAlias = Callable[[Request], Coroutine[Any, Any, Any]]
OK = {"ok": True}


def answering(endpoint: Answer) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    """Turn what an endpoint returns into JSON, and its errors into `{"error": ...}`."""

    async def answer(request: Request) -> Response:
        try:
            return JSONResponse(await endpoint(request))
        except ControlError as error:
            return JSONResponse({"error": str(error)}, error.status)
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 400)
        except Exception as error:  # an outsider gets an answer, the log the traceback
            log.exception("%s %s failed", request.method, request.url.path)
            return JSONResponse({"error": f"the stack itself failed: {type(error).__name__}: {error}"}, 500)

    return answer


async def json_object(request: Request) -> dict[str, Any]:
    """Return the body as an object; an empty body is an empty object.

    Raises:
        Malformed: it is none.
    """
    body = await request.body()
    try:
        value = json.loads(body) if body.strip() else {}
    except ValueError as error:
        raise Malformed(f"the body is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise Malformed("the body is not a JSON object")
    return value


def number(value: Any, name: str) -> float:
    """Return a number that is at least 0.

    Raises:
        Malformed: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise Malformed(f"{name} is a number of at least 0, not {value!r}")
    return float(value)


def flag(value: Any, name: str) -> bool:
    """Return true or false.

    Raises:
        Malformed: it is neither.
    """
    if not isinstance(value, bool):
        raise Malformed(f"{name} is true or false, not {value!r}")
    return value


def moment(value: Any, name: str) -> datetime:
    """Return an ISO 8601 time with an offset.

    Raises:
        Malformed: it is none.
    """
    try:
        return from_iso(value)
    except (TypeError, ValueError) as error:
        raise Malformed(f"{name} is an ISO 8601 time with an offset, not {value!r}") from error
