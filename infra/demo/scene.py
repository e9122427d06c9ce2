"""What the scenes of the demo share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from rich.console import Console
from rich.table import Table

from infra.local.harness import LocalStack

CLUB = "club"


@dataclass(slots=True)
class Stage:
    """The stack that the scenes play on, and the console that they tell it on."""

    stack: LocalStack
    console: Console
    totals: Counter[str] = field(default_factory=Counter)

    @property
    def now(self) -> datetime:
        """The stack's time."""
        return datetime.fromisoformat(self.stack.now)

    def next_morning(self, hour: int = 9) -> datetime:
        """Move the clock to the next day's morning (UTC) and return it; schedules that come due run on the way."""
        now = self.now
        morning = (now + timedelta(days=1)).replace(hour=hour, minute=0, second=0, microsecond=0)
        self.stack.move_to(morning.isoformat())
        self.stack.drain()
        return morning

    def title(self, text: str) -> None:
        """Head a scene."""
        self.console.print()
        self.console.rule(f"[bold]{text}[/bold]", align="left")

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[Any]], *, right: Sequence[int] = ()) -> None:
        """Print a table; `right` names the columns of figures."""
        table = Table(box=None, pad_edge=False, header_style="dim")
        for position, name in enumerate(columns):
            table.add_column(name, justify="right" if position in right else "left", overflow="fold")
        for row in rows:
            table.add_row(*(str(cell) for cell in row))
        self.console.print(table)


class Scene(Protocol):
    """One part of the demo."""

    def __call__(self, stage: Stage) -> None:
        """Play it."""
        ...
