"""What the edge models share: strictness, ids, times, and errors that name the field and never the content."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, StringConstraints, ValidationError

from onthoud.errors import PermanentError

MAX_ID_CHARS = 256

Id = Annotated[str, StringConstraints(min_length=1, max_length=MAX_ID_CHARS)]
"""A platform's id, kept exactly as it came."""
Moment = AwareDatetime
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
        "string_too_short": "empty",
        "string_too_long": f"longer than {MAX_ID_CHARS} characters",
    }
    return known.get(kind, kind.replace("_", " "))
