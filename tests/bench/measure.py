"""How figures are taken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

_PROGRAM = """
import json, resource, sys
before = resource.getrusage(resource.RUSAGE_SELF)
known = set(sys.modules)
import {module}
after = resource.getrusage(resource.RUSAGE_SELF)
with open("/proc/self/statm") as file:
    pages = int(file.read().split()[1])
print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, pages * resource.getpagesize() / 1e6,
      len(sys.modules) - known, "anthropic" in sys.modules)
"""
REFERENCE = "anthropic"
REFERENCE_S = 1.0
"""What importing the reference takes on the machine that the budgets were set on, in seconds of one core."""


@dataclass(frozen=True, slots=True)
class Import:
    """What importing one module in a fresh process takes."""

    cpu_s: float
    memory_mb: float
    modules: frozenset[str]

    def brings(self, package: str) -> bool:
        """Whether the package, or a part of it, was imported."""
        return any(name == package or name.startswith(f"{package}.") for name in self.modules)


def import_cost(module: str, environment: Mapping[str, str], *, runs: int = 5) -> Import:
    """Import a module in fresh processes and return the cheapest run.

    Seconds of one core are counted, not of the clock. The first run, which may have to compile, does not count.
    """
    costs = [_once(module, environment) for _ in range(runs + 1)][min(runs, 1) :]
    return min(costs, key=lambda cost: cost.cpu_s)


def slowdown(*, runs: int = 1) -> float:
    """Return how many times slower than the reference machine this one is now; at least 1.

    Cores that share caches or frequency with busy neighbours need more seconds for the same work.
    """
    return max(1.0, import_cost(REFERENCE, {}, runs=runs).cpu_s / REFERENCE_S)


def _once(module: str, environment: Mapping[str, str]) -> Import:
    own = {"PATH": os.environ["PATH"], "AWS_DEFAULT_REGION": "eu-west-1", **environment}
    command = [sys.executable, "-c", _PROGRAM.format(module=module)]
    done = subprocess.run(command, env=own, capture_output=True, text=True, check=True)
    cpu_s, memory_mb, modules = json.loads(done.stdout)
    return Import(cpu_s, memory_mb, frozenset(modules))
