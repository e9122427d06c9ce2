"""Load: 10,000 events of 1,000 customers through the local stack, over real sockets."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from infra.local.harness import LocalStack, start_stack
from tests.bench.processes import resident_mb, stack_pid, worker_pid
from tests.e2e.events import comment

pytestmark = [pytest.mark.prove, pytest.mark.timeout(2400)]

EVENTS = 10_000
CUSTOMERS = 1_000
FIRST = 2_000
"""Events after which memory is looked at for the first time."""
SENT_TWICE = 50
"""Every so many-th event comes twice, as a queue may deliver it."""

WORKER_TOLERANCE_MB = 6.0
"""What the worker may hold more after the last event than after the first 2,000: nothing of an event stays."""
STACK_TOLERANCE_PER_BYTE = 6.0
"""What the stack may hold more, per byte of JSON that it stores more: table, deliveries and the model's log."""


@dataclass(frozen=True)
class Look:
    """Memory at one moment, in MB, and what the stack stores, in bytes of JSON."""

    worker_mb: float
    stack_mb: float
    stored: int


def look(stack: LocalStack) -> Look:
    worker, own = resident_mb(worker_pid(stack, "social_reply")), resident_mb(stack_pid(stack))
    stored = len(json.dumps(stack.table())) + len(json.dumps(stack.deliveries()))
    return Look(worker, own, stored)


def event(number: int, now: datetime) -> dict[str, Any]:
    name = f"customer-{number % CUSTOMERS:04}"
    return comment(
        f"load-{number:05}",
        f"Question {number}: do you have lights on court {number % 7 + 1}?",
        now - timedelta(seconds=EVENTS - number),
        author={"id": name, "name": "Ana", "is_self": False},
        thread={"post_id": f"post-{name}", "parent_id": None},
    )


def work_off(stack: LocalStack, numbers: range, now: datetime) -> None:
    sent = 0
    for number in numbers:
        for _ in range(2 if number % SENT_TWICE == 0 else 1):
            stack.send("comments", event(number, now))
            sent += 1
    drained = stack.drain(1800)
    assert (drained["messages"], drained["succeeded"], drained["dead_lettered"]) == (sent, sent, 0)


def test_ten_thousand_events_are_decided_once_each_and_memory_stays_flat() -> None:
    with start_stack() as stack:
        now = datetime.fromisoformat(stack.now)
        work_off(stack, range(FIRST), now)
        early = look(stack)
        work_off(stack, range(FIRST, EVENTS), now)
        late = look(stack)

        names = [f"load-{number:05}" for number in range(EVENTS)]
        decisions = stack.decisions()
        assert Counter(one["event_id"] for one in decisions) == Counter(names)
        answered = Counter(one["in_reply_to"] for one in stack.deliveries())
        assert set(answered.values()) == {1}
        assert set(answered) == {one["event_id"] for one in decisions if one["outcome"] == "replied"}
        assert {one["outcome"] for one in decisions} == {"replied"}
        assert {one["attempt"] for one in stack.deliveries()} == {1}
        assert stack.quarantine() == stack.dead_letters() == []
        assert all(one["reads"] <= 2 and one["writes"] == 2 and one["model_calls"] == 1 for one in decisions)

        print(f"\nafter {FIRST} events: {early}\nafter {EVENTS} events: {late}")
        assert late.worker_mb - early.worker_mb <= WORKER_TOLERANCE_MB
        assert (late.stack_mb - early.stack_mb) * 1e6 <= STACK_TOLERANCE_PER_BYTE * (late.stored - early.stored)
