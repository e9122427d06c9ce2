"""What the knowledge queue brings: S3's notifications, and the function's own wish to go on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import unquote_plus

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from onthoud.errors import PermanentError

GO_ON = json.dumps({"task": "reconcile"})
"""The message by which a reconcile that ran out of time calls itself."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a message asks for: these documents, or all of them."""

    documents: tuple[str, ...] = ()
    everything: bool = False


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


class _Object(_Model):
    key: str = Field(min_length=1)


class _Entity(_Model):
    object: _Object


class _Record(_Model):
    s3: _Entity


class _Notification(_Model):
    Records: list[_Record]


def read(body: str) -> Wish:
    """Read a message.

    What an event says happened is not believed, only which object it is about: events come late, twice and out of
    order, and the bucket itself knows better.

    Raises:
        PermanentError: it is neither S3's nor our own.
    """
    try:
        message = json.loads(body)
    except ValueError:
        raise PermanentError("the body is not JSON") from None
    if not isinstance(message, dict):
        raise PermanentError("the body is not a JSON object")
    if message.get("Event") == "s3:TestEvent":
        return Wish()
    if message.get("task") == "reconcile":
        return Wish(everything=True)
    try:
        records = _Notification.model_validate(message).Records
    except ValidationError:
        raise PermanentError("the body is no notification of S3") from None
    # Keys are form-encoded in notifications: a blank is a plus sign.
    return Wish(tuple(unquote_plus(record.s3.object.key) for record in records))
