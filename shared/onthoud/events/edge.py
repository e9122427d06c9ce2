"""What the edge models share: strictness, ids, times, and errors that name the field and never the content."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    StringConstraints,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from onthoud.errors import PermanentError

MAX_ID_CHARS = 256

Id = Annotated[str, StringConstraints(min_length=1, max_length=MAX_ID_CHARS)]
"""A platform's id, kept exactly as it came."""


def _moment(value: object) -> object:
    """Let only texts be times: a bare number has no offset, and might be seconds or milliseconds."""
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        raise PydanticCustomError("no_time", "no ISO 8601 time with an offset")
    # RFC 3339 knows leap seconds, Python's datetime does not: the last instant before it keeps the order.
    return _LEAP_SECOND.sub(r"\1:59.999999", value)


def _of_this_age(value: datetime) -> datetime:
    """Refuse years that no event has: near the calendar's ends, neither UTC nor an expiry can be computed."""
    if not 2000 <= value.year < 2200:
        raise PydanticCustomError("not_a_year_of_this_age", "not a year of this age")
    return value


_NUMBER = re.compile(r"\s*[-+]?[0-9.]+\s*")
_LEAP_SECOND = re.compile(r"([Tt ][0-9]{2}:[0-9]{2}):60(?:\.[0-9]*)?(?=[Zz+-])")

Moment = Annotated[AwareDatetime, BeforeValidator(_moment), AfterValidator(_of_this_age)]
"""A time with an offset; one without is refused, since it names no instant."""


class EdgeModel(BaseModel):
    """Base of all event models: unknown fields are ignored, errors never show the input."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", hide_input_in_errors=True, coerce_numbers_to_str=True, populate_by_name=True
    )


AnyEdgeModel = TypeVar("AnyEdgeModel", bound=BaseModel)


def parse(model: type[AnyEdgeModel], event: dict[str, Any]) -> AnyEdgeModel:
    """Validate an event.

    Raises:
        PermanentError: names each field that is missing or wrong; holds none of the content.
    """
    try:
        return model.model_validate(event)
    except ValidationError as error:
        faults = [
            f"{'.'.join(str(part) for part in fault['loc']) or 'event'}: {_reason(fault['type'])}"
            for fault in error.errors(include_url=False, include_input=False, include_context=False)
        ]
        raise PermanentError("; ".join(faults)) from None


def _reason(kind: str) -> str:
    known = {
        "missing": "missing",
        "timezone_aware": "a time without an offset",
        "no_time": "not an ISO 8601 time with an offset",
        "datetime_from_date_parsing": "not an ISO 8601 time with an offset",
        "datetime_parsing": "not an ISO 8601 time with an offset",
        "string_unicode": "not valid Unicode (a lone surrogate)",
        "string_too_short": "empty",
        "string_too_long": f"longer than {MAX_ID_CHARS} characters",
    }
    return known.get(kind, kind.replace("_", " "))
