"""The rehearsal model: plain rules that give every purpose a valid answer, so that the stack runs without a key.

It is no language model and does not pretend to be one: the id of each of its messages begins with `msg_rehearsal_`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..schema_filler import Filler
from .brief import brief, phrased
from .confirm import confirm
from .language import detect
from .reply import reply

__all__ = ["rehearse", "worded"]

_PURPOSES = {"reply": reply, "confirm": confirm, "brief": brief}


def rehearse(purpose: str, request: Mapping[str, Any], schema: Mapping[str, Any] | None) -> Any:
    """Return an object of the schema, or text where the request has none.

    A purpose without rules of its own gets the emptiest object that the schema allows: nothing learned, nothing done.
    """
    answer = _PURPOSES.get(purpose)
    if answer is not None:
        return answer(request, schema)
    return "This is a rehearsal." if schema is None else Filler().fill(schema)


def worded(purpose: str, request: Mapping[str, Any], schema: Mapping[str, Any], text: str) -> Any:
    """Return an object of the schema that has `text` as its main text and acts, for a script that knows no schemas."""
    if purpose == "brief":
        return phrased(request, schema, text)
    return Filler(main=text, values={"language": detect(text)}).fill(schema)
