"""Benchmarks register here; `make bench` prints their figures beside their budgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number.

    Attributes:
        what: what was measured.
        value: the number.
        unit: its unit, such as `s` or `MB`.
        budget: the most that it may be; None where nothing is promised.
        least: the least that it may be; None where nothing is promised.
    """

    what: str
    value: float
    unit: str
    budget: float | None = None
    least: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the number keeps its promise."""
        return (self.budget is None or self.value <= self.budget) and (self.least is None or self.value >= self.least)


Benchmark = Callable[[], Iterable[Figure]]
BENCHMARKS: dict[str, Benchmark] = {}


def benchmark(title: str) -> Callable[[Benchmark], Benchmark]:
    """Register a function that yields figures, under the title that is printed above them.

    Put it into a module `tests/bench/bench_<subject>.py`; nothing else is needed.
    """

    def register(function: Benchmark) -> Benchmark:
        BENCHMARKS[title] = function
        return function

    return register
