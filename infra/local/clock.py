"""The stack's one clock: real time that ticks, and can be moved forward.

It moves the wall clock of the whole process (the engine's visibility timeouts and deduplication follow) and leaves the
monotonic one alone, so that sockets, timeouts and sleeps stay real. Workers travel to the instant that comes with each
invocation.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import time_machine


def _load() -> Any:
    """Import time-machine without its pytest plugin, which would bring all of pytest into every worker (0.3 s)."""
    hidden = "pytest" not in sys.modules
    if hidden:
        sys.modules["pytest"] = cast(ModuleType, None)
    try:
        import time_machine
    finally:
        if hidden:
            del sys.modules["pytest"]
    return time_machine


class StackClock:
    """Tells and moves the time of this process."""

    def __init__(self) -> None:
        self._traveller: time_machine.Traveller | None = None
        self._travel: Any = None

    def now(self) -> datetime:
        """Return the stack's present instant, aware, in UTC."""
        return datetime.now(UTC)

    def move_to(self, moment: datetime) -> None:
        """Let it be `moment` now, and tick on from there."""
        if self._traveller is None:
            self._travel = _load().travel(moment, tick=True)
            self._traveller = self._travel.start()
        else:
            self._traveller.move_to(moment)

    def stop(self) -> None:
        """Return to real time."""
        if self._travel is not None:
            self._travel.stop()
            self._travel = self._traveller = None
