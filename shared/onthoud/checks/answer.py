"""The model's answer, parsed into what was asked for, or refused: cut off, declined, empty, `null`, malformed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from onthoud.checks.failure import Failure
from onthoud.ports.model import ModelAnswer
from onthoud.text.patterns import LazyPattern

NAME = "answer"
FINISHED = frozenset({"end_turn", "stop_sequence", "tool_use"})
"""The stop reasons of an answer that is whole."""
UNFINISHED = frozenset({"max_tokens", "refusal", "pause_turn", "model_context_window_exceeded", "compaction"})
"""Those that the API documents for one that is not."""
M = TypeVar("M", bound=BaseModel)

# The whole answer in one fence; braces in prose around it are not looked for, since they may be anything.
_FENCE = LazyPattern(r"\A```(?:json)?\s*\n(.*)\n```\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Accepted(Generic[M]):
    """An answer of the right shape; its claims are still to be checked."""

    value: M


@dataclass(frozen=True, slots=True)
class Rejected:
    """An answer that must not be used, and why."""

    failures: tuple[Failure, ...]


class _Twice(ValueError):
    """A key stands twice in one object, so that the object says two things."""


def parse_answer(answer: ModelAnswer, shape: type[M]) -> Accepted[M] | Rejected:
    """Read `answer` as a `shape`.

    A partial answer is refused whatever it holds; so is JSON with words around it, with a key twice, with NaN, or with
    fields that `shape` does not take.
    """
    if answer.stop_reason not in FINISHED:
        known = answer.stop_reason if answer.stop_reason in UNFINISHED else "unknown-stop-reason"
        return _rejected(known.replace("_", "-"))
    text = answer.text.strip()
    fenced = _FENCE.match(text)
    text = fenced[1].strip() if fenced else text
    if not text:
        return _rejected("empty")
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return _rejected("malformed")
    if value is None:
        return _rejected("null")
    try:
        return Accepted(shape.model_validate_json(text))
    except ValidationError:
        return _rejected("wrong-shape")


def _rejected(detail_id: str) -> Rejected:
    return Rejected((Failure(NAME, detail_id),))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Twice
    return value


def _no_constant(_: str) -> NoReturn:
    raise ValueError("not JSON")
