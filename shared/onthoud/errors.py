"""The one exception tree. Messages carry ids and say what to do; they never carry content.

OnthoudError
├── RetryableError        the same call may succeed later: back to the queue
│   └── OutOfTime         nothing was begun: back to the queue, and not counted as an attempt
├── PermanentError        the same call can never succeed: quarantine, with the reason
├── Conflict              somebody else was first, or a condition does not hold: read again, decide again
└── NotFound              the thing that was named is not there
"""

from __future__ import annotations

from collections.abc import Sequence


class OnthoudError(Exception):
    """Root of all errors that Onthoud raises on purpose."""


class RetryableError(OnthoudError):
    """A transient fault. `retry_after_s` is the far end's own wish in seconds, if it named one."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class OutOfTime(RetryableError):
    """The Lambda's remaining time is too short to begin this piece of work."""


class PermanentError(OnthoudError):
    """A fault that no retry can mend."""


class Conflict(OnthoudError):
    """A write condition did not hold.

    `failed` holds the positions of the actions whose own condition failed; it is empty where another
    transaction was merely in the way, in which case the same write may be tried again as it is.
    """

    def __init__(self, message: str, *, failed: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.failed = tuple(failed)


class NotFound(OnthoudError):
    """The named thing does not exist, or no longer does."""
