"""The local vector server at the size that is promised; a process of its own, so that its memory can be told."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable

from tests.bench.recall.hundred_thousand import TARGET_MS
from tests.bench.registry import Figure, benchmark


@benchmark("The local vector server with 100,000 stored chunks, on one core")
def hundred_thousand() -> Iterable[Figure]:
    """Yield the latency of each kind of query, the client's share included, and the memory."""
    command = [sys.executable, "-m", "tests.bench.recall.hundred_thousand", "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    figures = json.loads(done.stdout)
    for mode, (median, slow) in figures["modes"].items():
        yield Figure(f"{mode}, median", median, "ms")
        yield Figure(f"{mode}, 95th percentile", slow, "ms", budget=TARGET_MS)
    yield Figure("memory", figures["megabytes"], "MB")
