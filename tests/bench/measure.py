"""How figures are taken."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

_PROGRAM = """
import resource, sys
before = resource.getrusage(resource.RUSAGE_SELF)
known = len(sys.modules)
import {module}
after = resource.getrusage(resource.RUSAGE_SELF)
print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss / 1024,
      len(sys.modules) - known, "anthropic" in sys.modules)
"""


@dataclass(frozen=True, slots=True)
class Import:
    """What importing one module in a fresh process takes."""

    cpu_s: float
    memory_mb: float
    modules: int
    brings_the_model_sdk: bool


def import_cost(module: str, environment: Mapping[str, str], *, runs: int = 5) -> Import:
    """Import a module in fresh processes and return the cheapest run.

    Seconds of one core are counted, not of the clock, so that a busy machine does not change them. The first run, which
    may have to compile, does not count.
    """
    costs = [_once(module, environment) for _ in range(runs + 1)][1:]
    return min(costs, key=lambda cost: cost.cpu_s)


def _once(module: str, environment: Mapping[str, str]) -> Import:
    own = {"PATH": os.environ["PATH"], "AWS_DEFAULT_REGION": "eu-west-1", **environment}
    command = [sys.executable, "-c", _PROGRAM.format(module=module)]
    done = subprocess.run(command, env=own, capture_output=True, text=True, check=True)
    cpu, memory, modules, sdk = done.stdout.split()
    return Import(float(cpu), float(memory), int(modules), sdk == "True")


def own_memory_mb() -> float:
    """Return the most memory that this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
