"""Faults that the control interface sets: what goes wrong with which call of a function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from infra.local.errors import Malformed

Kind = Literal["error", "throttle", "timeout", "lost_answer", "crash"]

TARGETS = ("dynamodb", "channel", "model", "vectors", "s3", "source", "sqs", "events", "ssm", "sns", "ses")
KINDS: tuple[Kind, ...] = ("error", "throttle", "timeout", "lost_answer", "crash")


@dataclass(slots=True)
class Fault:
    """One entry of the list, with its counters.

    Attributes:
        target: which far end's calls it hits.
        operation: which of them; None for any.
        kind: what goes wrong.
        done_first: whether the work is done before it goes wrong.
        after: how many matching calls pass first.
        times: how many calls it hits.
    """

    target: str
    operation: str | None
    kind: Kind
    done_first: bool
    after: int = 0
    times: int = 1
    seen: int = 0
    hits: int = 0

    def meets(self, target: str, operation: str) -> bool:
        """Count one call; whether the fault hits it."""
        if target != self.target or self.operation not in (None, operation):
            return False
        self.seen += 1
        return self.seen > self.after and self.hits < self.times


class Faults:
    """The list."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []

    @property
    def active(self) -> bool:
        """Whether any fault may still hit."""
        return any(fault.hits < fault.times for fault in self._faults)

    def replace(self, faults: Sequence[Fault]) -> None:
        """Take a new list, with fresh counters."""
        self._faults = list(faults)

    def hit(self, target: str, operation: str) -> Fault | None:
        """Count one call of a function; return the fault that hits it, the first of the list that does."""
        met = [fault for fault in self._faults if fault.meets(target, operation)]
        if not met:
            return None
        met[0].hits += 1
        return met[0]


def parse(entry: Any) -> Fault:
    """Read one fault of a request.

    Raises:
        Malformed: with what is wrong.
    """
    if not isinstance(entry, dict):
        raise Malformed("a fault is an object")
    target, kind = entry.get("target"), entry.get("kind")
    if target not in TARGETS:
        raise Malformed(f"a fault's target is one of {', '.join(TARGETS)}, not {target!r}")
    if kind not in KINDS:
        raise Malformed(f"a fault's kind is one of {', '.join(KINDS)}, not {kind!r}")
    operation = entry.get("operation")
    if operation is not None and not isinstance(operation, str):
        raise Malformed("a fault's operation is a text, or left out for any")
    when = entry.get("when", "before")
    if when not in ("before", "after"):
        raise Malformed(f"a fault's when is before or after, not {when!r}")
    return Fault(
        target,
        operation or None,
        kind,
        when == "after" or kind == "lost_answer",
        _count(entry, "after", 0, least=0),
        _count(entry, "times", 1, least=1),
    )


def _count(entry: dict[str, Any], name: str, default: int, *, least: int) -> int:
    value = entry.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise Malformed(f"a fault's {name} is a whole number of at least {least}, not {value!r}")
    return value
