"""An event costs the same however many customers are stored."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

import pytest

from infra.local.harness import LocalStack, start_stack
from tests.bench.bench_peers import own_rows
from tests.bench.own_turns import ROUNDS
from tests.bench.seeding import names, seed
from tests.e2e.events import comment

pytestmark = [pytest.mark.prove, pytest.mark.timeout(1800)]

FEW = 10
MANY = 100_000


class Cost(NamedTuple):
    """What one event took: calls, capacity units, model calls and tokens."""

    reads: int
    writes: int
    read_units: float
    write_units: float
    model_calls: int
    tokens: int


def cost_of(stack: LocalStack, customer: str, number: int) -> list[Cost]:
    """Send three events of a customer, one after the other; return what each cost."""
    found = []
    for position in range(3):
        name = f"event-{customer}-{number:02}-{position}"
        at = datetime.fromisoformat(stack.now)
        author = {"id": customer, "name": "Ana", "is_self": False}
        thread = {"post_id": f"post-{customer}-{number:02}", "parent_id": None}
        stack.send("comments", comment(name, "And on the court beside it?", at, author=author, thread=thread))
        stack.drain()
        (decision,) = stack.decisions(name)
        assert decision["outcome"] == "replied"
        found.append(_cost(decision))
    return found


def _cost(decision: dict[str, Any]) -> Cost:
    units, tokens = decision["units"], decision["tokens"]
    return Cost(
        decision["reads"],
        decision["writes"],
        units["read"],
        units["write"],
        decision["model_calls"],
        tokens["input"] + tokens["output"],
    )


def costs(stack: LocalStack, known: Iterable[str], new: Iterable[str]) -> list[list[Cost]]:
    return [cost_of(stack, customer, number) for number, customer in enumerate([*known, *new])]


def test_an_event_costs_the_same_at_ten_and_at_a_hundred_thousand_stored_customers() -> None:
    with start_stack() as stack:
        assert seed(stack, names(FEW), exchanges=1) == 3 * FEW
        few = costs(stack, names(3, start=2), ["fresh-00001", "fresh-00002"])
        seed(stack, names(MANY - FEW, start=FEW), exchanges=1)
        many = costs(stack, names(3, start=MANY - 3), ["fresh-99998", "fresh-99999"])
        assert many == few
        assert all(cost.reads <= 2 and cost.writes == 2 for customer in few for cost in customer)
        print(f"\nat {FEW} and at {MANY} stored customers alike: known {few[0]}, new {few[-1]}")


def test_what_a_decision_states_is_what_went_over_the_wire() -> None:
    with start_stack({"KnowledgeBase": "off"}) as stack:
        rows = own_rows(stack, [10])
        decisions = [stack.decisions(f"history-00010-{number}")[0] for number in range(1, ROUNDS + 1)]
        stated = [(one["reads"] + one["writes"], one["units"]["read"], one["units"]["write"]) for one in decisions]
        assert stated == [(sum(row["calls"].values()), row["read_units"], row["write_units"]) for row in rows]
