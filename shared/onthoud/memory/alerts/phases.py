"""Phases: dates and amounts are compared coarsely, so that a countdown or a flicker is no news."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class Due(StrEnum):
    """How far off a due date is. "In 5 days" and "in 4 days" are the same phase; "tomorrow" is another."""

    NONE = "none"
    LATER = "later"
    """In more than a week."""
    WEEK = "week"
    """Within a week, but not tomorrow."""
    TOMORROW = "tomorrow"
    TODAY = "today"
    OVERDUE = "overdue"


def due_phase(due: date | None, today: date) -> Due:
    """Return the phase of a due date, seen from `today` in the operator's time zone."""
    if due is None:
        return Due.NONE
    days = (due - today).days
    if days < 0:
        return Due.OVERDUE
    if days == 0:
        return Due.TODAY
    if days == 1:
        return Due.TOMORROW
    return Due.WEEK if days <= 7 else Due.LATER


@dataclass(frozen=True, slots=True)
class Ladder:
    """Steps for an amount, with hysteresis: a value must fall clearly below a step to count as below it again.

    Attributes:
        steps: lower bounds, ascending. A value below the first one is on step 0.
        slack_percent: how far below its lower bound a value may fall and keep its step, in percent of the bound.
    """

    steps: tuple[int, ...]
    slack_percent: int = 20

    def step(self, value: int, before: int | None = None) -> int:
        """Return the step of `value`, given the step on which it was `before`."""
        now = sum(1 for bound in self.steps if value >= bound)
        if before is None or now >= before or before > len(self.steps):
            return now
        held = self.steps[before - 1]
        return before if value * 100 > held * (100 - self.slack_percent) else now


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that is compared by the steps of a ladder."""

    value: int
    ladder: Ladder
