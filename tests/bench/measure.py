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
cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps([cpu_s, pages * resource.getpagesize() / 1e6, sorted(set(sys.modules) - known)]))
"""
REFERENCE = "anthropic"
REFERENCE_S = 1.0
"""What importing the reference takes of one full, quiet core: what a busy machine's seconds are divided by."""


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

    Seconds of one core are counted, not of the clock. The first run, which may have to compile, does not
    count unless it is the only one (`runs` is 0).
    """
    costs = [_once(module, environment) for _ in range(runs + 1)][min(runs, 1) :]
    return min(costs, key=lambda cost: cost.cpu_s)


def _once(module: str, environment: Mapping[str, str]) -> Import:
    own = {"PATH": os.environ["PATH"], "AWS_DEFAULT_REGION": "eu-west-1", **environment}
    command = [sys.executable, "-c", _PROGRAM.format(module=module)]
    done = subprocess.run(command, env=own, capture_output=True, text=True, check=True)
    cpu_s, memory_mb, modules = json.loads(done.stdout)
    return Import(cpu_s, memory_mb, frozenset(modules))
