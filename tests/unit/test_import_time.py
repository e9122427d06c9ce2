"""A cold start imports little: neither the model's SDK nor much else before the first event is looked at."""

from __future__ import annotations

import pytest

from infra.local.template import Resource
from tests.bench.bench_imports import IMPORT_BUDGET_S
from tests.bench.measure import import_cost, slowdown
from tests.template.load import stack

FUNCTIONS = stack().of_type("AWS::Lambda::Function")


@pytest.mark.parametrize("function", FUNCTIONS, ids=[function.logical_id for function in FUNCTIONS])
def test_a_handler_imports_within_its_budget(function: Resource) -> None:
    module = str(function.properties["Handler"]).rpartition(".")[0]
    variables = {name: str(value) for name, value in function.properties["Environment"]["Variables"].items()}
    cost = import_cost(module, variables, runs=2)
    assert not cost.brings_the_model_sdk
    assert cost.cpu_s <= IMPORT_BUDGET_S or cost.cpu_s <= IMPORT_BUDGET_S * slowdown()


def test_the_measure_sees_an_expensive_import() -> None:
    cost = import_cost("anthropic", {}, runs=1)
    assert cost.brings_the_model_sdk
    assert cost.cpu_s > IMPORT_BUDGET_S
