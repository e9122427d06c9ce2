"""Runs the benchmarks: all, or those whose module's name is given (`make bench ONLY=imports`)."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench.registry import BENCHMARKS, Figure


def load(only: list[str]) -> None:
    """Import the modules that register benchmarks."""
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        if not only or path.stem.removeprefix("bench_") in only:
            importlib.import_module(f"tests.bench.{path.stem}")


def rounded(value: float) -> str:
    """Return three significant digits, without an exponent."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def promise(figure: Figure) -> str:
    """Return the promise as a person reads it."""
    parts = []
    if figure.budget is not None:
        parts.append(f"at most {rounded(figure.budget)}")
    if figure.least is not None:
        parts.append(f"at least {rounded(figure.least)}")
    return ", ".join(parts)


def main(only: list[str]) -> int:
    """Print a table for each benchmark; the exit code is 1 when a promise is broken."""
    load(only)
    console = Console()
    broken = 0
    for title, run in BENCHMARKS.items():
        table = Table("what", "figure", "promised", "", title=title, title_justify="left")
        for figure in run():
            broken += not figure.holds
            mark = "" if not promise(figure) else "kept" if figure.holds else "BROKEN"
            table.add_row(figure.what, f"{rounded(figure.value)} {figure.unit}", promise(figure), mark)
        console.print(table)
    if broken:
        console.print(f"{broken} promises are broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
