"""Load: 10,000 events of 1,000 customers through the local stack, over real sockets."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pytest

from infra.local.harness import LocalStack, start_stack
from tests.bench.processes import resident_mb, stack_pid, worker_pid
from tests.e2e.events import comment

pytestmark = [pytest.mark.prove, pytest.mark.timeout(2400)]

WAVES = 5
CUSTOMERS = 200
"""New ones in each wave: 1,000 in all."""
COMMENTS = 10
"""Of each customer: 10,000 events in all."""
SENT_TWICE = 50
"""Every so many-th event comes twice, as a queue may deliver it."""
ALL_EXPIRED_S = 46 * 86_400
"""After so long a wave's items have expired: windows end after 30 days, the ledger keeps events for 45."""

WORKER_TOLERANCE_MB = 6.0
"""What the worker may hold more after the last wave than after the first: nothing of an event stays."""
STACK_TOLERANCE_MB = 40.0
"""The same for the stack. Its far end never forgets an idempotency key, some 2 KB each; all else goes with its wave."""


def events_of(wave: int, now: datetime) -> list[dict[str, Any]]:
    """Return a wave's events: the customers come in turns, each with a comment after the other."""
    found = []
    for number in range(CUSTOMERS * COMMENTS):
        name = f"customer-{wave}-{number % CUSTOMERS:03}"
        found.append(
            comment(
                f"load-{wave}-{number:04}",
                f"Question {number}: do you have lights on court {number % 7 + 1}?",
                now - timedelta(seconds=CUSTOMERS * COMMENTS - number),
                author={"id": name, "name": "Ana", "is_self": False},
                thread={"post_id": f"post-{name}", "parent_id": None},
            )
        )
    return found


def work_off(stack: LocalStack, events: list[dict[str, Any]]) -> None:
    sent = 0
    for number, event in enumerate(events):
        for _ in range(2 if number % SENT_TWICE == 0 else 1):
            stack.send("comments", event)
            sent += 1
    drained = stack.drain(1800)
    assert (drained["messages"], drained["succeeded"], drained["dead_lettered"]) == (sent, sent, 0)


def check(stack: LocalStack, events: list[dict[str, Any]]) -> None:
    """Nothing is lost, each event has one decision, each reply left once, and each cost the same few calls."""
    decisions = [one for one in stack.decisions() if one["bot"] == "social_reply"]
    deliveries = stack.deliveries("reply")
    names = Counter(event["comment_id"] for event in events)
    assert Counter(one["event_id"] for one in decisions) == names
    assert {one["outcome"] for one in decisions} == {"replied"}
    assert Counter(one["in_reply_to"] for one in deliveries) == names
    assert {one["attempt"] for one in deliveries} == {1}
    assert stack.quarantine() == stack.dead_letters() == []
    assert all(one["reads"] <= 2 and one["writes"] == 2 and one["model_calls"] == 1 for one in decisions)


def forget(stack: LocalStack) -> None:
    """Let a wave's items expire and its logs go. (The daily briefs of those days run meanwhile.)"""
    stack.advance(ALL_EXPIRED_S)
    stack.drain(600)
    assert not {"turn", "head", "thread"} & {item["kind"]["S"] for item in stack.table()}
    stack.call("DELETE", "/local/deliveries")
    stack.call("DELETE", "/local/model/calls")


def test_ten_thousand_events_are_decided_once_each_and_memory_stays_flat() -> None:
    held: list[tuple[float, float]] = []
    with start_stack({"KnowledgeBase": "off"}) as stack:
        for wave in range(WAVES):
            events = events_of(wave, datetime.fromisoformat(stack.now))
            work_off(stack, events)
            check(stack, events)
            forget(stack)
            held.append((resident_mb(worker_pid(stack, "social_reply")), resident_mb(stack_pid(stack))))
            print(f"\nafter {len(events) * (wave + 1)} events: worker %.0f MB, stack %.0f MB" % held[-1])
    assert held[-1][0] - held[0][0] <= WORKER_TOLERANCE_MB
    assert held[-1][1] - held[0][1] <= STACK_TOLERANCE_MB
