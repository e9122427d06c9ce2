"""The template keeps every rule, and a template with a fault is found by the rule that is meant for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.local.template import Stack
from tests.template.cron import faults_of
from tests.template.load import Change, changed, stack
from tests.template.rules import RULES
from tests.template.seeds import SEEDS


@pytest.fixture(scope="module")
def deployed() -> Stack:
    return stack()


@pytest.mark.parametrize("name", sorted(RULES))
def test_the_template_keeps_the_rule(name: str, deployed: Stack) -> None:
    assert list(RULES[name](deployed)) == []


@pytest.mark.parametrize(("rule", "fault", "change"), SEEDS, ids=[f"{rule}: {fault}" for rule, fault, _ in SEEDS])
def test_a_seeded_fault_is_found(rule: str, fault: str, change: Change, tmp_path: Path) -> None:
    assert list(RULES[rule](stack(changed(tmp_path, change)))), f"{rule} does not see: {fault}"


def test_every_rule_has_a_seeded_fault() -> None:
    assert {rule for rule, _, _ in SEEDS} == set(RULES)


@pytest.mark.parametrize(
    "expression",
    ["rate(5 minutes)", "rate(1 day)", "cron(30 6 * * ? *)", "cron(0/15 8-18 ? * MON-FRI *)", "cron(0 3 L * ? 2027)"],
)
def test_a_valid_schedule_passes(expression: str) -> None:
    assert list(faults_of(expression)) == []


@pytest.mark.parametrize(
    "expression",
    ["rate(1 days)", "rate(0 minutes)", "cron(30 6 * * *)", "cron(60 6 * * ? *)", "cron(30 6 * * * *)", "at 6"],
)
def test_an_invalid_schedule_is_found(expression: str) -> None:
    assert list(faults_of(expression))
