"""The Lambda's remaining time, from which every client's timeout comes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from onthoud.errors import OutOfTime

RESERVE_S = 3.0
"""What is kept for the writes after the last slow call, in seconds."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """Tells how many seconds the invocation has left.

    `remaining_ms` is Lambda's own `get_remaining_time_in_millis`, or anything that counts down like it.
    """

    remaining_ms: Callable[[], int]

    def remaining_s(self) -> float:
        """Return the seconds left, less the reserve."""
        return self.remaining_ms() / 1000 - RESERVE_S

    def require(self, seconds: float) -> None:
        """Raise unless a piece of work of `seconds` can be begun and ended in time.

        Raises:
            OutOfTime: it cannot; the message goes back to the queue and is not counted as an attempt.
        """
        if self.remaining_s() < seconds:
            raise OutOfTime("not enough of the invocation's time is left to begin")

    def timeout_s(self, most: float, *, least: float = 1.0) -> float:
        """Return the timeout for a call that may take `most` seconds.

        Raises:
            OutOfTime: less than `least` seconds are left.
        """
        self.require(least)
        return min(most, self.remaining_s())
