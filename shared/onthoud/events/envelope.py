"""Envelopes: from a queue's body to the event inside, whatever SNS and EventBridge have wrapped around it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final

from onthoud.errors import PermanentError

MAX_LEVELS = 4
"""Envelopes around an event."""
MAX_TEXTS = 2 * MAX_LEVELS + 1
"""JSON texts around an event: its own, one in each envelope, and as many that a redrive has wrapped around them."""
COMMENT: Final = "onthoud.comment.v1"
COMMENTS: Final = "onthoud.comments.v1"
BOOKING: Final = "onthoud.booking.v1"
SCHEMAS = (COMMENT, COMMENTS, BOOKING)


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """An event without its envelopes. `provenance` names each envelope's id, outermost first."""

    event: dict[str, Any]
    provenance: tuple[str, ...]

    @property
    def schema(self) -> str:
        """The event's schema name."""
        return str(self.event["schema"])


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _load(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise PermanentError("the body is not JSON") from None


def _is_sns(value: dict[str, Any]) -> bool:
    return value.get("Type") == "Notification" and "Message" in value


def _is_eventbridge(value: dict[str, Any]) -> bool:
    return "detail-type" in value and "detail" in value


def unwrap(body: str) -> Unwrapped:
    """Take off up to four SNS and EventBridge envelopes, and the JSON text around each, stopping at a known schema.

    Raises:
        PermanentError: not JSON, not an object, no known schema inside, or a control message that carries no event.
    """
    value: Any = body
    provenance: list[str] = []
    texts = 0
    while True:
        if isinstance(value, str):
            texts += 1
            if texts > MAX_TEXTS:
                raise PermanentError("JSON text within JSON text, too deep")
            value = _load(value)
            continue
        if not isinstance(value, dict):
            raise PermanentError("the body is not a JSON object")
        if value.get("schema") in SCHEMAS:
            return Unwrapped(value, tuple(provenance))
        if len(provenance) == MAX_LEVELS and (_is_sns(value) or _is_eventbridge(value)):
            raise PermanentError(f"more than {MAX_LEVELS} envelopes around the event")
        if _is_sns(value):
            provenance.append(f"sns:{value.get('MessageId', '')}")
            value = value["Message"]
        elif _is_eventbridge(value):
            provenance.append(f"eventbridge:{value.get('id', '')}")
            value = value["detail"]
        else:
            raise PermanentError(_why_unknown(value))


def _why_unknown(value: dict[str, Any]) -> str:
    if value.get("Event") == "s3:TestEvent" or value.get("Type") in {
        "SubscriptionConfirmation",
        "UnsubscribeConfirmation",
    }:
        return "a control message of AWS, not an event"
    if "schema" not in value:
        return "the field schema is missing"
    return f"the schema is none of {', '.join(SCHEMAS)}"


def group_of(body: str) -> str:
    """Return the FIFO message group of a body: one customer's events share it and keep their order.

    It is a hash (64 characters, within SQS's 128) of (channel, account_id, the author's or customer's id); a batch of
    comments has its account's; what cannot be read has `default`.
    """
    try:
        event = unwrap(body).event
    except PermanentError:
        return "default"
    return group(event)


def group(event: dict[str, Any]) -> str:
    """Return the FIFO message group of an unwrapped event; see `group_of`."""
    parts: tuple[Any, ...]
    if event.get("schema") == COMMENTS:
        comments = event.get("comments")
        first = comments[0] if isinstance(comments, list) and comments and isinstance(comments[0], dict) else {}
        parts = (first.get("channel"), first.get("account_id"))
    else:
        person = event.get("author" if event.get("schema") == COMMENT else "customer")
        parts = (
            event.get("channel"),
            event.get("account_id"),
            person.get("id") if isinstance(person, dict) else None,
        )
    if any(not isinstance(part, str) or not part for part in parts):
        return "default"
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
