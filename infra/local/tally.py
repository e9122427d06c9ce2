"""What a drain has done, counted in messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Tally:
    """What a drain has done, in messages; one counts when its invocation has ended."""

    handled: set[str] = field(default_factory=set)
    acknowledged: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    retried: set[str] = field(default_factory=set)
    dead_lettered: int = 0
    invocations: dict[str, int] = field(default_factory=dict)

    def as_answer(self, *, idle: bool) -> dict[str, Any]:
        """Return it as `POST /local/drain` answers."""
        succeeded = self.acknowledged - self.failed
        return {
            "idle": idle,
            "messages": len(self.handled),
            "succeeded": len(succeeded),
            "failed": len(self.handled - succeeded),
            "retried": len(self.retried),
            "dead_lettered": self.dead_lettered,
            "invocations": self.invocations,
        }
