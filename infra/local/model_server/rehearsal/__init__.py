"""The rehearsal model: plain rules that give every purpose a valid answer, so that the stack runs without a key.

It is no language model and does not pretend to be one: the id of each of its messages begins with `msg_rehearsal_`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..schema_filler import Filler
from .confirm import confirm
from .reply import reply

__all__ = ["rehearse"]

_PURPOSES = {"reply": reply, "confirm": confirm}


def rehearse(purpose: str, request: Mapping[str, Any], schema: Mapping[str, Any] | None) -> Any:
    """Return an object of the schema, or text where the request has none."""
    answer = _PURPOSES.get(purpose)
    if answer is not None:
        return answer(request, schema)
    return "This is a rehearsal." if schema is None else Filler(main="Rehearsal.").fill(schema)
