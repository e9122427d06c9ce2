"""Cold starts and sizes: what each function imports and unpacks before it does anything."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from infra.build.check import LARGEST_MB, size_mb
from infra.build.package import build_function, build_layer
from tests.bench.measure import import_cost
from tests.bench.registry import Figure, benchmark
from tests.template.load import stack

IMPORT_BUDGET_S = 0.25
"""Seconds of one full core; Lambda gives one at 1,769 MB."""


@benchmark("Importing each handler, the model's SDK left out until it is needed")
def imports() -> Iterable[Figure]:
    """Yield the processor time of each handler's import."""
    for function in stack().of_type("AWS::Lambda::Function"):
        module = str(function.properties["Handler"]).rpartition(".")[0]
        variables = {name: str(value) for name, value in function.properties["Environment"]["Variables"].items()}
        cost = import_cost(module, variables)
        yield Figure(module, cost.cpu_s, "s of one core", budget=IMPORT_BUDGET_S)
        yield Figure(f"  memory ({cost.modules} modules)", cost.memory_mb, "MB")
    yield Figure("anthropic, for comparison", import_cost("anthropic", {}).cpu_s, "s of one core")


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
