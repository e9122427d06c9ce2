"""Queues of the local stack: what Lambda's and SQS's semantics make of a message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from infra.local.harness import LocalStack, Refused
from tests.integration.local_probe import notes, probes, tags

pytestmark = pytest.mark.stack


@pytest.fixture(scope="module")
def running() -> Iterator[LocalStack]:
    with probes() as stack:
        yield stack


@pytest.fixture
def stack(running: LocalStack) -> Iterator[LocalStack]:
    yield running
    running.faults()
    running.drain()


def note(tag: str, **more: Any) -> dict[str, Any]:
    return {"do": "note", "tag": tag, **more}


def test_nothing_runs_outside_a_drain(stack: LocalStack) -> None:
    stack.send("ordered", note("idle"))
    assert tags(stack, "idle") == []
    stack.drain()
    assert tags(stack, "idle") == ["idle"]


def test_a_drain_counts_messages_not_invocations(stack: LocalStack) -> None:
    for n in range(3):
        stack.send("ordered", note(f"count-{n}"))
    assert stack.drain() == {
        "idle": True,
        "messages": 3,
        "succeeded": 3,
        "failed": 0,
        "retried": 0,
        "dead_lettered": 0,
        "invocations": {"ordered": 1},
    }
    assert stack.drain()["messages"] == 0


def test_a_group_keeps_its_order_and_a_failed_head_holds_it_back(stack: LocalStack) -> None:
    stack.send("ordered", {"do": "fail", "tag": "order-1", "times": 1}, group="g")
    answer = stack.drain()
    stack.send("ordered", {"do": "fail", "tag": "order-2", "times": 1}, group="g")
    stack.send("ordered", note("order-3"), group="other")
    assert answer["retried"] == answer["succeeded"] == 1
    stack.drain()
    assert tags(stack, "order") == ["order-1", "order-1", "order-2", "order-3", "order-2"]


def test_what_did_not_fail_is_not_repeated(stack: LocalStack) -> None:
    stack.send("ordered", note("part-good"), group="a")
    stack.send("ordered", {"do": "fail", "tag": "part-bad", "times": 2}, group="b")
    answer = stack.drain()
    assert tags(stack, "part") == ["part-bad", "part-good", "part-bad", "part-bad"] or tags(stack, "part") == [
        "part-good",
        "part-bad",
        "part-bad",
        "part-bad",
    ]
    assert [one["receives"] for one in notes(stack, "part-bad")] == ["1", "2", "3"]
    assert (answer["messages"], answer["succeeded"], answer["retried"]) == (2, 2, 1)


def test_a_retry_waits_for_the_visibility_timeout_on_the_stacks_clock(stack: LocalStack) -> None:
    before = stack.now
    stack.send("ordered", {"do": "fail", "tag": "wait", "times": 1})
    stack.drain()
    first, second = notes(stack, "wait")
    assert 119 <= _seconds(first["at"], second["at"]) <= 123
    assert 119 <= _seconds(before, stack.now) <= 125


@pytest.mark.parametrize("answer", [None, {}, {"batchItemFailures": []}, {"batchItemFailures": None}])
def test_these_answers_mean_success(stack: LocalStack, answer: Any) -> None:
    stack.send("ordered", {"do": "answer", "tag": "right", "answer": answer})
    assert stack.drain()["succeeded"] == 1


@pytest.mark.parametrize(
    "answer",
    [
        {"batchItemFailures": [{"itemIdentifier": ""}]},
        {"batchItemFailures": [{"itemIdentifier": None}]},
        {"batchItemFailures": [{"itemIdentifier": "of-another-batch"}]},
        {"batchItemFailures": [{"id": "wrong-key"}]},
        {"batchItemFailure": []},
        "done",
    ],
)
def test_these_answers_fail_the_whole_batch(stack: LocalStack, answer: Any) -> None:
    stack.send("ordered", note("whole-good"))
    stack.send("ordered", {"do": "answer", "tag": "whole", "answer": answer})
    outcome = stack.drain()
    assert (outcome["messages"], outcome["succeeded"], outcome["failed"], outcome["dead_lettered"]) == (2, 0, 2, 2)


@pytest.mark.parametrize(("command", "reason"), [("raise", "RuntimeError"), ("exit", "Runtime exited")])
def test_an_exception_or_a_death_fails_the_whole_batch(stack: LocalStack, command: str, reason: str) -> None:
    stack.send("loose", note("batch"))
    stack.send("loose", {"do": command, "tag": f"batch-{command}"})
    assert stack.drain()["dead_lettered"] == 2
    assert tags(stack, f"batch-{command}") == [f"batch-{command}"] * 3
    assert reason in stack.log


def test_a_timeout_kills_the_worker_and_the_next_invocation_has_a_new_one(stack: LocalStack) -> None:
    stack.send("hasty", {"do": "sleep", "tag": "slow", "s": 30})
    assert stack.drain()["dead_lettered"] == 1
    slow = notes(stack, "slow")
    assert len(slow) == 2
    assert len({one["pid"] for one in slow}) == 2
    assert "Task timed out after 3.00 seconds" in stack.log


def test_the_handler_sees_its_remaining_time(stack: LocalStack) -> None:
    stack.send("ordered", note("time"))
    stack.drain()
    [one] = notes(stack, "time")
    assert 15_000 < one["left_ms"] <= 20_000


def test_a_function_without_partial_answers_succeeds_or_fails_as_a_whole(stack: LocalStack) -> None:
    stack.send("strict", {"do": "answer", "tag": "strict", "answer": "anything"})
    assert stack.drain()["succeeded"] == 1


def test_too_many_receives_lead_to_the_dead_letters_in_order(stack: LocalStack) -> None:
    bodies = [f'{{"do": "fail",  "tag": "poison-{n}", "note": "é😀"}}' for n in range(3)]
    ids = [stack.send("ordered", body, group="p") for body in bodies]
    answer = stack.drain()
    assert (answer["failed"], answer["retried"], answer["dead_lettered"]) == (3, 3, 3)
    dead = [one for one in stack.dead_letters() if "poison" in one["body"]]
    assert [one["body"] for one in dead] == bodies
    assert [one["message_id"] for one in dead] == ids
    assert {(one["queue"], one["reason"]) for one in dead} == {("ordered", "receive count exceeded")}


def test_what_a_function_gives_up_is_dead_lettered_with_its_reason(stack: LocalStack) -> None:
    stack.send("ordered", {"do": "send_dead", "tag": "given-up"})
    answer = stack.drain()
    assert (answer["messages"], answer["succeeded"], answer["failed"], answer["dead_lettered"]) == (1, 0, 1, 1)
    assert [one["reason"] for one in stack.dead_letters() if "given-up" in one["body"]] == ["gave up"]


def test_a_redrive_sends_dead_letters_back_byte_for_byte(stack: LocalStack) -> None:
    stack.call("POST", "/local/dead-letters/redrive")
    stack.drain()
    body = '{"do":"fail", "tag": "again",   "times": 3}'
    stack.send("ordered", body, group="r")
    stack.drain()
    waiting = len(stack.dead_letters())
    assert stack.call("POST", "/local/dead-letters/redrive") == {"sent": waiting}
    assert stack.dead_letters() == []
    stack.drain()
    assert [one["receives"] for one in notes(stack, "again")] == ["1", "2", "3", "1", "2", "3"]
    assert [one["body"] for one in stack.dead_letters() if "again" in one["body"]] == [body]


def test_looking_at_dead_letters_changes_nothing(stack: LocalStack) -> None:
    stack.send("ordered", {"do": "fail", "tag": "look"})
    stack.drain()
    assert stack.dead_letters() == stack.dead_letters()


def test_the_group_is_the_customers_unless_a_header_names_one(stack: LocalStack) -> None:
    comment = {
        "schema": "onthoud.comment.v1",
        "channel": "instagram",
        "account_id": "club",
        "author": {"id": "ana"},
        "do": "note",
        "tag": "group-1",
    }
    stack.send("ordered", comment)
    stack.send("ordered", {**comment, "tag": "group-2"})
    stack.send("ordered", {**comment, "author": {"id": "bo"}, "tag": "group-3"})
    stack.send("ordered", {**comment, "tag": "group-4"}, group="mine")
    stack.send("ordered", "no JSON")
    stack.drain()
    first, second, third, fourth = (one["group"] for one in sorted(notes(stack, "group"), key=lambda one: one["tag"]))
    assert first == second != third
    assert len(first) <= 128
    assert fourth == "mine"
    assert "default" in {one["group"] for one in notes(stack)}


def test_duplicates_can_be_sent_and_a_deduplication_id_holds_for_five_minutes(stack: LocalStack) -> None:
    stack.send("ordered", note("twice"))
    stack.send("ordered", note("twice"))
    assert stack.drain()["messages"] == 2
    first = stack.send("ordered", note("once"), deduplication="d-1")
    assert stack.send("ordered", note("once"), deduplication="d-1") == first
    assert stack.drain()["messages"] == 1
    stack.advance(301)
    assert stack.send("ordered", note("once"), deduplication="d-1") != first
    assert stack.drain()["messages"] == 1


@pytest.mark.parametrize(
    ("queue", "body", "headers", "reason"),
    [
        ("ordered", b"", {}, "MissingParameter"),
        ("ordered", b"bell \x07", {}, "InvalidMessageContents"),
        ("ordered", b"\xff\xfe", {}, "InvalidMessageContents"),
        ("loose", b"x" * 4097, {}, "InvalidParameterValue"),
        ("ordered", b"x" * (1024 * 1024 + 1), {}, "InvalidParameterValue"),
        ("ordered", b"x", {"X-Message-Group-Id": "a b"}, "InvalidParameterValue"),
        ("ordered", b"x", {"X-Message-Group-Id": "g" * 129}, "InvalidParameterValue"),
        ("ordered", b"x", {"X-Message-Deduplication-Id": "d" * 129}, "InvalidParameterValue"),
    ],
)
def test_what_sqs_refuses_is_refused_with_its_reason(
    stack: LocalStack, queue: str, body: bytes, headers: dict[str, str], reason: str
) -> None:
    with pytest.raises(Refused, match=reason) as refused:
        stack.call("POST", f"/local/queues/{queue}", raw=body, headers=headers)
    assert refused.value.status == 400


def test_events_on_the_bus_and_on_the_topic_reach_the_queue_in_their_envelopes(stack: LocalStack) -> None:
    stack.put_event("Probe", {"do": "note", "tag": "inner"})
    stack.put_event("Other", {"tag": "nobody asks for it"})
    assert stack.drain()["messages"] == 1
    [event] = [one["command"] for one in notes(stack, "note") if "detail-type" in one["command"]]
    assert (event["detail-type"], event["source"], event["detail"]["tag"]) == ("Probe", "onthoud.producer", "inner")
    stack.send("ordered", {"do": "publish", "tag": "published", "message": {"inner": 1}})
    assert stack.drain()["messages"] == 2
    [wrapped] = [one["command"] for one in notes(stack, "note") if "TopicArn" in one["command"]]
    assert (wrapped["Type"], wrapped["Message"]) == ("Notification", '{"inner": 1}')


@pytest.mark.parametrize(
    "event",
    [{"detail-type": "Probe", "detail": {}}, {"source": "s", "detail": {}}, {"source": "s", "detail-type": "Probe"}]
    + [{"source": "s", "detail-type": "Probe", "detail": detail} for detail in ("no JSON", "[]", 1)]
    + [{"source": "aws.s3", "detail-type": "Probe", "detail": {}}],
)
def test_an_event_that_eventbridge_would_refuse_is_refused(stack: LocalStack, event: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        stack.call("POST", "/local/events", event)
    assert refused.value.status == 400
    assert stack.drain()["messages"] == 0


def test_messages_that_functions_put_on_queues_are_worked_off_in_the_same_drain(stack: LocalStack) -> None:
    stack.send("loose", {"do": "forward", "tag": "outer", "message": note("forwarded")})
    answer = stack.drain()
    assert (answer["messages"], answer["invocations"]) == (2, {"loose": 1, "ordered": 1})
    assert tags(stack, "forwarded") == ["forwarded"]


def test_a_drain_that_runs_out_of_time_is_not_idle_and_the_next_one_goes_on(stack: LocalStack) -> None:
    stack.send("loose", {"do": "sleep", "tag": "nap", "s": 1})
    assert stack.drain(0.2, idle=False)["idle"] is False
    assert stack.drain()["idle"] is True
    assert tags(stack, "nap") == ["nap"]


def _seconds(earlier: str, later: str) -> float:
    from onthoud.clock import from_iso

    return (from_iso(later) - from_iso(earlier)).total_seconds()
