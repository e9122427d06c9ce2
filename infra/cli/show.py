"""What the commands print: for a person as text and tables, for a program as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]

_WIDE = 4000
"""Columns where no terminal is: a program that reads the output must find ids whole."""


def console() -> Console:
    """Return a console on standard output as it is now; it interprets nothing of what it prints."""
    wide = {} if sys.stdout.isatty() else {"width": _WIDE}
    return Console(file=sys.stdout, markup=False, highlight=False, emoji=False, **wide)  # type: ignore[arg-type]


def safe(text: object) -> str:
    """Return outside text without the control characters that would take over a terminal."""
    return "".join(letter if letter.isprintable() or letter == "\n" else _escape(letter) for letter in str(text))


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def as_json(value: Any) -> None:
    """Print a value as JSON."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


def line(text: str = "") -> None:
    """Print one line."""
    console().print(Text(safe(text)), soft_wrap=True)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str) -> None:
    """Print rows under their headings, or what to say where there are none."""
    shown = [[Text(safe(cell)) for cell in row] for row in rows]
    if not shown:
        line(empty)
        return
    grid = Table(box=None, header_style="bold", pad_edge=False)
    for position, column in enumerate(columns):
        # What a person copies (the first column) is never cut.
        grid.add_column(column, overflow="fold", no_wrap=position == 0)
    for row in shown:
        grid.add_row(*row)
    console().print(grid)


def pairs(values: Iterable[tuple[str, object]], *, indent: int = 0) -> None:
    """Print names and values below each other; what is empty is left out."""
    shown = [(name, safe(value)) for name, value in values if value not in (None, "", [], {})]
    width = max((len(name) for name, _ in shown), default=0)
    for name, value in shown:
        first, *more = value.split("\n")
        line(f"{' ' * indent}{name.ljust(width)}  {first}")
        for continued in more:
            line(" " * (indent + width + 2) + continued)


def short(text: str, most: int = 60) -> str:
    """Return the beginning of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def progress() -> Progress:
    """Return a progress bar on standard error; it shows at a terminal only."""
    bar = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*bar, console=Console(file=sys.stderr), disable=not sys.stderr.isatty(), transient=True)
