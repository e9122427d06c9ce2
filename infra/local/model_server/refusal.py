"""How the Messages API says no: `{"type": "error", "error": {"type", "message"}, "request_id"}` with a status."""

from __future__ import annotations

from typing import Any

TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
"""Status to error type, as the API documents them."""


class Refusal(Exception):
    """A request that the API would refuse; the message is what the API would say."""

    def __init__(self, message: str, *, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


def error_type(status: int) -> str:
    """Return the error type that goes with a status, for any status at all."""
    if status in TYPES:
        return TYPES[status]
    return "api_error" if status >= 500 else "invalid_request_error"


def error_body(status: int, message: str, request_id: str) -> dict[str, Any]:
    """Return the body of an error answer."""
    return {"type": "error", "error": {"type": error_type(status), "message": message}, "request_id": request_id}
