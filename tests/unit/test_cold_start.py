"""A cold start imports little before the first event is looked at. What that costs in seconds, `make bench` tells."""

from __future__ import annotations

import pytest

from infra.local.template import Resource
from tests.bench.bench_imports import handler_module, variables
from tests.bench.measure import import_cost
from tests.template.load import stack

FUNCTIONS = stack().of_type("AWS::Lambda::Function")
WAIT_UNTIL_NEEDED = (
    "anthropic",
    "asyncio",
    "aws_lambda_powertools.utilities.batch",
    "aws_lambda_powertools.utilities.parser",
    "boto3",
    "dateutil",
    "email_validator",
    "httpx",
    "httpx2",
    "icalendar",
    "imap_tools",
    "markdown_it",
    "numpy",
    "phonenumbers",
    "pypdf",
    "selectolax",
    "snowballstemmer",
    "upstash_vector",
    "urllib3",
)
MOST_MODULES = 400
"""Python's own included; the model's SDK alone brings some 3,500."""


@pytest.mark.parametrize("function", FUNCTIONS, ids=[function.logical_id for function in FUNCTIONS])
def test_a_handler_imports_little(function: Resource) -> None:
    cost = import_cost(handler_module(function), variables(function), runs=0)
    assert [package for package in WAIT_UNTIL_NEEDED if cost.brings(package)] == []
    assert len(cost.modules) <= MOST_MODULES


def test_the_measure_sees_an_expensive_import() -> None:
    cost = import_cost("anthropic", {}, runs=0)
    assert cost.brings("anthropic") and cost.brings("httpx2")
    assert len(cost.modules) > MOST_MODULES
