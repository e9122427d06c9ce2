"""Faults: what goes wrong with the calls of functions, exactly as asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from infra.local.harness import LocalStack, Refused
from tests.integration.local_probe import notes, probes, tags

pytestmark = pytest.mark.stack


@pytest.fixture(scope="module")
def running() -> Iterator[LocalStack]:
    with probes({"BatchSize": "1"}) as stack:
        yield stack


@pytest.fixture
def stack(running: LocalStack) -> Iterator[LocalStack]:
    yield running
    running.faults()
    running.drain()


def fault(kind: str, **more: Any) -> dict[str, Any]:
    return {"target": "dynamodb", "operation": "PutItem", "kind": kind, **more}


def run(stack: LocalStack, tag: str, *faults: dict[str, Any]) -> dict[str, Any]:
    """Let one message meet the faults: its probe makes one PutItem, without retries, and reads for at most 5 s."""
    stack.faults(*faults)
    stack.send("ordered", {"do": "note", "tag": tag})
    return stack.drain()


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        ("error", "InternalServerError"),
        ("throttle", "ProvisionedThroughputExceededException"),
        ("timeout", "ReadTimeoutError"),
        ("lost_answer", "ConnectionClosedError"),
        ("crash", "killed before dynamodb PutItem"),
    ],
)
def test_each_kind_is_what_it_says(stack: LocalStack, kind: str, seen: str) -> None:
    answer = run(stack, f"kind-{kind}", fault(kind))
    assert (answer["succeeded"], answer["retried"]) == (1, 1)
    assert seen in stack.log
    assert len(tags(stack, f"kind-{kind}")) == (2 if kind == "lost_answer" else 1)


@pytest.mark.parametrize("kind", ["error", "throttle", "timeout", "crash"])
def test_after_means_that_the_work_is_done_first(stack: LocalStack, kind: str) -> None:
    run(stack, f"after-{kind}", fault(kind, when="after"))
    assert [one["receives"] for one in notes(stack, f"after-{kind}")] == ["1", "2"]


def test_a_crash_kills_the_process_and_the_message_comes_back(stack: LocalStack) -> None:
    run(stack, "crash", fault("crash", when="after"))
    first, second = notes(stack, "crash")
    assert first["pid"] != second["pid"]


def test_after_lets_calls_through_and_times_limits_the_hits(stack: LocalStack) -> None:
    stack.faults(fault("error", after=2, times=2))
    for n in range(6):
        stack.send("ordered", {"do": "note", "tag": f"nth-{n}"}, group=f"g{n}")
    stack.drain()
    again = [one["tag"] for one in notes(stack, "nth") if one["receives"] != "1"]
    assert again == ["nth-2", "nth-3"]


def test_a_new_list_replaces_the_old_one_with_its_counters(stack: LocalStack) -> None:
    stack.faults(fault("error", times=99))
    assert run(stack, "replaced", fault("error", times=1))["retried"] == 1
    assert run(stack, "ended")["retried"] == 0


def test_another_operation_or_target_is_not_hit(stack: LocalStack) -> None:
    others = [
        fault("crash", operation="GetItem", times=9),
        {"target": "s3", "kind": "crash", "times": 9},
        {"target": "channel", "operation": "send", "kind": "crash", "times": 9},
    ]
    assert run(stack, "spared", *others)["retried"] == 0


def test_without_an_operation_every_call_of_the_target_is_hit(stack: LocalStack) -> None:
    assert run(stack, "any", {"target": "dynamodb", "kind": "error"})["retried"] == 1


def test_calls_of_the_stack_itself_and_of_operators_are_not_hit(stack: LocalStack) -> None:
    stack.faults({"target": "dynamodb", "kind": "error", "times": 99}, {"target": "sqs", "kind": "error", "times": 99})
    stack.table()
    assert stack.quarantine() == []


def test_s3_faults_hit_reads_of_mail(stack: LocalStack) -> None:
    stack.source("mail", {"messages": ["Subject: one\n\nHello"]})
    stack.faults({"target": "s3", "operation": "GetObject", "kind": "throttle"})
    stack.send("loose", {"do": "mail", "tag": "mail-fault"})
    stack.drain()
    [one] = notes(stack, "mail-fault")
    assert one["result"] == {"message-00001": "ClientError"}


@pytest.mark.parametrize(
    ("kind", "seen"),
    [("error", "HTTPError 500"), ("throttle", "HTTPError 429"), ("timeout", "TimeoutError"), ("lost_answer", "Remote")],
)
def test_source_faults_hit_feeds(stack: LocalStack, kind: str, seen: str) -> None:
    stack.faults({"target": "source", "operation": "tasks", "kind": kind})
    stack.send("loose", {"do": "fetch", "tag": f"feed-{kind}", "path": "/_sources/tasks"})
    stack.drain()
    [one] = notes(stack, f"feed-{kind}")
    assert seen in one["result"]["error"]


@pytest.mark.parametrize(
    "faults",
    [
        None,
        {},
        [1],
        [{"kind": "error"}],
        [{"target": "dynamodb"}],
        [{"target": "moon", "kind": "error"}],
        [{"target": "dynamodb", "kind": "sadness"}],
        [{"target": "dynamodb", "kind": "error", "when": "during"}],
        [{"target": "dynamodb", "kind": "error", "times": 0}],
        [{"target": "dynamodb", "kind": "error", "after": -1}],
        [{"target": "dynamodb", "kind": "error", "after": True}],
        [{"target": "dynamodb", "kind": "error", "operation": 7}],
    ],
)
def test_a_malformed_fault_is_refused_and_the_old_list_stays(stack: LocalStack, faults: Any) -> None:
    stack.faults(fault("error"))
    with pytest.raises(Refused) as refused:
        stack.call("PUT", "/local/faults", {"faults": faults})
    assert refused.value.status == 400
    stack.send("ordered", {"do": "note", "tag": "still"})
    assert stack.drain()["retried"] == 1
