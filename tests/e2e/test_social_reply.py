"""The social reply bot on the local stack: the real template, real SDKs, real sockets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from infra.local.harness import LocalStack, start_stack
from onthoud.stores import REGISTRY
from tests.e2e.events import comment

pytestmark = pytest.mark.stack


@pytest.fixture(scope="module")
def running() -> Iterator[LocalStack]:
    with start_stack({"WindowTurns": "10", "OwnIds": "club,club-2"}) as stack:
        yield stack


@pytest.fixture
def stack(running: LocalStack) -> Iterator[LocalStack]:
    yield running
    running.script()
    running.faults()
    running.channel(read_back=True, idempotent=True)
    running.drain()


@pytest.fixture
def now(stack: LocalStack) -> datetime:
    return datetime.fromisoformat(stack.now)


def by(customer: str, name: str = "Ana") -> dict[str, Any]:
    return {"id": customer, "name": name, "is_self": False}


def turns(stack: LocalStack, customer: str) -> list[tuple[str, str]]:
    return [(turn["role"], turn["event_id"]) for turn in stack.memory("instagram", "club", customer)["turns"]]


def sent(stack: LocalStack, *names: str) -> list[dict[str, Any]]:
    return [one for one in stack.deliveries() if one["in_reply_to"] in names]


def test_a_returning_customer_is_answered_with_the_history(stack: LocalStack, now: datetime) -> None:
    stack.send("comments", comment("h-1", "Do you have lights?", now, author=by("hist")))
    stack.drain()
    stack.send("comments", comment("h-2", "And on court 3?", now + timedelta(minutes=1), author=by("hist")))
    stack.drain()
    request = stack.model_calls()[-1]["request"]
    assert [message["role"] for message in request["messages"]] == ["user", "assistant", "user"]
    assert "Do you have lights?" in json.dumps(request)
    first, second = sent(stack, "h-1", "h-2")
    assert "assistant" in first["text"] and "assistant" not in second["text"]
    assert turns(stack, "hist") == [("user", "h-1"), ("assistant", "h-1"), ("user", "h-2"), ("assistant", "h-2")]


def test_events_reach_the_bot_over_the_bus_and_over_sns_in_the_customers_order(
    stack: LocalStack, now: datetime
) -> None:
    events = [comment(f"e-{n}", f"number {n}", now + timedelta(seconds=n), author=by("bus")) for n in range(3)]
    stack.put_event("CommentReceived", events[0])
    stack.put_event("CommentReceived", {"schema": "onthoud.comments.v1", "comments": events[1:]})
    stack.send("events", {"Type": "Notification", "MessageId": "s-1", "Message": json.dumps(events[0])})
    stack.drain()
    assert len(sent(stack, "e-0", "e-1", "e-2")) == 3
    assert [event for role, event in turns(stack, "bus") if role == "user"] == ["e-0", "e-1", "e-2"]


def test_bad_input_of_every_kind_is_quarantined_with_a_reason_and_harms_nobody(
    stack: LocalStack, now: datetime
) -> None:
    good = comment("q-good", "I am fine", now, author=by("q"))
    bad: list[Any] = [
        "not json",
        "[1, 2]",
        "{}",
        json.dumps({"schema": "something.else"}),
        json.dumps({"Type": "SubscriptionConfirmation", "Message": "x", "Token": "t"}),
        json.dumps({"Event": "s3:TestEvent"}),
        "9" * 400,
        "[" * 3000,
        json.dumps({"schema": "onthoud.comments.v1", "comments": []}),
        comment("q-1", "no offset at ana@example.com", now, occurred_at="2026-11-29T10:00:00"),
        {key: value for key, value in comment("q-2", "no channel", now).items() if key != "channel"},
        comment("q-3", "no author id", now, author={"name": "Ana"}),
        comment("", "empty id", now),
        comment("q-4", "wrong verb", now, verb="liked"),
        comment("x" * 600, "long id", now),
        comment("q-5", "nul", now) | {"author": {"id": "a\u0000b"}},
    ]
    before = len(stack.quarantine())
    for one in bad:
        stack.send("comments", one, group="one-group")
    stack.send("comments", good, group="one-group")
    drained = stack.drain()
    assert drained["dead_lettered"] == 0 and drained["failed"] == 0
    isolated = stack.quarantine()[before:]
    assert len(isolated) >= len(bad) - 1
    assert all(one["reason"] and "ana@example.com" not in one["reason"] for one in isolated)
    assert any("occurred_at: a time without an offset" in one["reason"] for one in isolated)
    assert any("channel: missing" in one["reason"] for one in isolated)
    assert len(sent(stack, "q-good")) == 1
    assert not [line for line in stack.lines() if "ana@example.com" in line]


def test_a_poison_comment_of_a_batch_leaves_the_other_nine_alone(stack: LocalStack, now: datetime) -> None:
    comments = [comment(f"b-{n}", f"hello {n}", now + timedelta(seconds=n), author=by(f"b{n}")) for n in range(10)]
    del comments[4]["occurred_at"]
    stack.send("comments", {"schema": "onthoud.comments.v1", "comments": comments})
    stack.drain()
    assert len(sent(stack, *(f"b-{n}" for n in range(10)))) == 9
    (decision,) = stack.decisions("b-4")
    assert (decision["outcome"], decision["reason"]) == ("quarantined", "occurred_at: missing")


def test_twelve_comments_leave_the_last_ten_turns_whatever_the_order_of_arrival(
    stack: LocalStack, now: datetime
) -> None:
    for n in (5, 3, 11, 0, 7, 1, 9, 2, 10, 4, 8, 6):
        stack.send("comments", comment(f"w-{n:02}", f"text {n}", now + timedelta(seconds=n), author=by("win")))
    stack.drain()
    expected = [(role, f"w-{n:02}") for n in range(7, 12) for role in ("user", "assistant")]
    assert turns(stack, "win") == expected


def test_concurrent_duplicates_in_different_groups_are_answered_once(stack: LocalStack, now: datetime) -> None:
    for n in range(6):
        stack.send("comments", comment("dup-1", "twice?", now, author=by("dup")), group=f"group-{n}")
    stack.drain()
    assert len(sent(stack, "dup-1")) == 1
    assert len(turns(stack, "dup")) == 2


def test_every_customer_language_gets_its_own(stack: LocalStack, now: datetime) -> None:
    asked = {
        "nl": "Hebben jullie vanavond nog een baan vrij voor ons?",
        "da": "Har I stadig en bane til os i aften?",
        "de": "Habt ihr heute Abend noch einen Platz für uns?",
        "zh": "你们今天晚上还有场地吗？",
        "en": "Do you still have a court for us tonight?",
    }
    for language, text in asked.items():
        stack.send("comments", comment(f"l-{language}", text, now, author=by(f"l-{language}")))
    stack.drain()
    outcomes = {language: stack.decisions(f"l-{language}")[0]["outcome"] for language in asked}
    assert outcomes == dict.fromkeys(asked, "replied")


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("target", ["dynamodb", "model", "channel"])
def test_a_worker_killed_in_any_kind_of_call_leaves_one_effect(
    stack: LocalStack, now: datetime, target: str, when: str
) -> None:
    name = f"k-{target}-{when}"
    stack.faults({"target": target, "kind": "crash", "when": when, "after": 0, "times": 1})
    stack.send("comments", comment(name, "killed?", now, author=by(name)))
    drained = stack.drain()
    assert drained["idle"] and drained["dead_lettered"] == 0, stack.dead_letters()
    assert len(sent(stack, name)) == 1
    assert stack.decisions(name)[0]["outcome"] == "replied"
    assert turns(stack, name) == [("user", name), ("assistant", name)]


def test_odd_letters_come_through_the_bus_and_a_bad_neighbour_stays_behind(stack: LocalStack, now: datetime) -> None:
    half = comment("bus-1", "\ufffe half \ud83d a letter?", now, author=by("bus-1"))
    bare = {name: value for name, value in comment("bus-2", "Hi?", now, author=by("bus-2")).items() if name != "schema"}
    bad = {**comment("bus-3", "when?", now, author=by("bus-3")), "occurred_at": "2026-11-29T10:00:00"}
    stack.put_event("CommentReceived", {"schema": "onthoud.comments.v1", "comments": [half, bad, bare]})
    stack.drain()
    assert [stack.decisions(name)[0]["outcome"] for name in ("bus-1", "bus-2", "bus-3")] == [
        "replied",
        "replied",
        "quarantined",
    ]
    assert stack.decisions("bus-3")[0]["reason"] == "occurred_at: a time without an offset"
    assert stack.memory("instagram", "club", "bus-1")["turns"][0]["content"] == " half \ufffd a letter?"


def test_lost_answers_and_timeouts_leave_one_effect_or_one_question_for_a_person(
    stack: LocalStack, now: datetime
) -> None:
    stack.channel(read_back=False, idempotent=False)
    stack.faults({"target": "channel", "operation": "send", "kind": "lost_answer", "when": "after", "times": 1})
    stack.send("comments", comment("u-1", "lost?", now, author=by("unknown")))
    stack.drain()
    assert len(sent(stack, "u-1")) == 1
    assert stack.decisions("u-1")[0]["state"] == "UNKNOWN"
    assert turns(stack, "unknown") == [("user", "u-1")]
    [waiting] = json.loads(stack.cli("outbox", "list", "--json")["stdout"])
    stack.cli("outbox", "settle", waiting["id"], "--sent")
    assert turns(stack, "unknown") == [("user", "u-1"), ("assistant", "u-1")]


def test_overload_and_garbage_end_replied_escalated_or_dead_lettered(stack: LocalStack, now: datetime) -> None:
    stack.script(
        {"status": 429, "retry_after": 3600},
        {"status": 529},
        {"raw": "not json"},
        {"stop_reason": "refusal", "text": ""},
        {"stop_reason": "max_tokens", "text": '{"action": "reply", "te'},
    )
    stack.send("comments", comment("o-1", "anybody there?", now, author=by("over")))
    stack.drain()
    assert stack.decisions("o-1")[0]["outcome"] == "escalated"
    assert sent(stack, "o-1") == []


def test_no_kind_of_item_is_without_retention_and_eraser(stack: LocalStack) -> None:
    assert {item["kind"]["S"] for item in stack.table()} <= REGISTRY.kinds()


def test_thirty_one_days_of_silence_end_the_history_though_the_items_lie_there(
    stack: LocalStack, now: datetime
) -> None:
    stack.send("comments", comment("t-1", "remember me", now, author=by("ttl")))
    stack.drain()
    stack.advance(31 * 86_400, sweep_expired=False)
    assert any("remember me" in json.dumps(item) for item in stack.table())
    assert turns(stack, "ttl") == []
    later = datetime.fromisoformat(stack.now)
    stack.send("comments", comment("t-2", "hello", later, author=by("ttl")))
    stack.drain()
    assert turns(stack, "ttl") == [("user", "t-2"), ("assistant", "t-2")]
    stack.advance(29 * 86_400)
    stack.send("comments", comment("t-3", "again", datetime.fromisoformat(stack.now), author=by("ttl")))
    stack.drain()
    stack.advance(29 * 86_400)
    assert [event for _, event in turns(stack, "ttl")] == ["t-2", "t-2", "t-3", "t-3"]
    assert not any("remember me" in json.dumps(item) for item in stack.table())
