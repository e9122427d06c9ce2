"""All 1,138 real comments, twice: one decision each, nothing lost, nothing answered twice."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import pytest

from infra.local.harness import LocalStack, start_stack
from onthoud.stores import REGISTRY
from tests.e2e.events import corpus

pytestmark = pytest.mark.prove


def state(stack: LocalStack) -> tuple[int, int]:
    turns = sum(1 for item in stack.table() if item["kind"]["S"] == "turn")
    return len(stack.deliveries("reply")), turns


def test_the_whole_corpus_is_decided_once_and_again_changes_nothing() -> None:
    with start_stack() as stack:
        events = list(corpus(datetime.fromisoformat(stack.now)))
        assert len(events) == 1138, "the corpus is not there: it lies in shared/data beside the project"
        for event in events:
            stack.send("comments", event)
        drained = stack.drain(600)
        assert (drained["messages"], drained["succeeded"], drained["dead_lettered"]) == (1138, 1138, 0)

        decisions = stack.decisions()
        assert Counter(one["event_id"] for one in decisions) == Counter(event["comment_id"] for event in events)
        assert {one["outcome"] for one in decisions} <= {"replied", "skipped"}
        assert all(one["reason"] for one in decisions if one["outcome"] == "skipped")
        answered = Counter(one["in_reply_to"] for one in stack.deliveries("reply"))
        assert set(answered.values()) == {1}
        assert set(answered) == {one["event_id"] for one in decisions if one["outcome"] == "replied"}
        assert all(one["reads"] <= 2 and one["writes"] <= 2 and one["model_calls"] <= 1 for one in decisions)
        assert {item["kind"]["S"] for item in stack.table()} <= REGISTRY.kinds()

        before = state(stack)
        for event in events:
            stack.send("comments", event)
        assert stack.drain(600)["succeeded"] == 1138
        assert state(stack) == before
        print(f"\n1,138 comments: {before[0]} replies, {before[1]} turns; sent again: no delivery, no turn added")
