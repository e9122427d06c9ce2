"""Cold starts and sizes: what each function imports and unpacks before it does anything."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from infra.build.check import LARGEST_MB, size_mb
from infra.build.package import build_function, build_layer
from infra.local.template import Resource
from tests.bench.measure import REFERENCE, REFERENCE_S, import_cost
from tests.bench.registry import Figure, benchmark
from tests.template.load import stack

IMPORT_BUDGET_S = 0.25
"""Seconds of one full core; Lambda gives one at 1,769 MB."""


def handler_module(function: Resource) -> str:
    """Return the module that a function's handler lies in."""
    return str(function.properties["Handler"]).rpartition(".")[0]


def variables(function: Resource) -> dict[str, str]:
    """Return the environment that the template gives a function."""
    return {name: str(value) for name, value in function.properties["Environment"]["Variables"].items()}


@benchmark("Importing each handler, the model's SDK left out until it is needed")
def imports() -> Iterable[Figure]:
    """Yield the processor time of each handler's import.

    A core that shares caches or frequency with busy neighbours needs more seconds for the same work, so they are told
    beside those of the model's SDK, which takes a second on a quiet one.
    """
    reference = import_cost(REFERENCE, {}).cpu_s
    yield Figure(f"{REFERENCE}, for comparison", reference, "s of one core here and now")
    slower = max(1.0, reference / REFERENCE_S)
    for function in stack().of_type("AWS::Lambda::Function"):
        cost = import_cost(handler_module(function), variables(function))
        yield Figure(handler_module(function), cost.cpu_s / slower, "s of one quiet core", budget=IMPORT_BUDGET_S)
        yield Figure("  measured here and now", cost.cpu_s, "s")
        yield Figure(f"  memory ({len(cost.modules)} modules)", cost.memory_mb, "MB")


@benchmark("Unpacked for Lambda (arm64)")
def sizes() -> Iterable[Figure]:
    """Yield the size of the layer and of each function."""
    with tempfile.TemporaryDirectory() as directory:
        layer = Path(directory) / "layer"
        build_layer(layer)
        reply = Path(directory) / "reply"
        build_function("SocialReplyFunction", reply)
        yield Figure("layer and social_reply", size_mb(layer) + size_mb(reply), "MB", budget=LARGEST_MB)
        for logical_id in ("DailyBriefFunction", "KnowledgeSyncFunction"):
            own = Path(directory) / logical_id
            build_function(logical_id, own)
            yield Figure(f"{logical_id} alone", size_mb(own), "MB")
