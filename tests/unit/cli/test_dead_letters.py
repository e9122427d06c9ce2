"""Dead letters: what lies there and why, sent back byte for byte, and cleared of an erased customer."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
import typer

from infra.cli.dead_letters import moment
from onthoud.clock import iso
from onthoud.delivery.attempts import Attempts
from onthoud.delivery.dead_letters import DeadBodies, DeadLetters, without
from onthoud.errors import RetryableError
from onthoud.scope import Scope
from tests.fakes.memory_queue import MemoryQueue
from tests.fakes.world import START, World, comment
from tests.unit.cli.operator import Operator

ODD = '{"schema": "onthoud.comment.v1",  "text": "caf\\u00e9 \U0001f3be\\n", "n": 1.0}\n'


def dead(operator: Operator, *bodies: str, group: str = "g", queue: str = "dead:comments.fifo", **more: Any) -> None:
    for body in bodies:
        operator.queues[queue].send(
            body, group=group, deduplication_id=f"{len(operator.queues[queue].deduplicated)}", **more
        )


def booking(customer: str) -> dict[str, Any]:
    return {
        "schema": "onthoud.booking.v1",
        "booking_id": "b-1",
        "channel": "instagram",
        "account_id": "club",
        "customer": {"id": customer},
    }


@pytest.fixture
def operator() -> Operator:
    return Operator(World())


def ana(world: World) -> Scope:
    return Scope(world.settings.space, "instagram", "club", "ana-1")


# -- looking


def test_the_list_says_queue_reason_and_body(operator: Operator) -> None:
    dead(operator, "one", attributes={"reason": "the channel refused for now: 429"})
    dead(operator, "two", queue="dead:run")
    found = operator.json("dead-letters", "list")
    assert [(one["queue"], one["reason"], one["body"]) for one in found] == [
        ("comments", "the channel refused for now: 429", "one"),
        ("run", "receive count exceeded", "two"),
    ]
    assert found[0]["at"] == iso(START)


def test_the_reason_is_the_last_recorded_failure_where_the_message_carries_none(operator: Operator) -> None:
    dead(operator, "one")
    message = operator.queues["dead:comments.fifo"].lying[0]
    Attempts(operator.world.table, operator.world.settings.space, message.message_id).failed(
        START, "DynamoDB answered X"
    )
    assert operator.json("dead-letters", "list")[0]["reason"] == "DynamoDB answered X"


def test_a_look_takes_nothing_away(operator: Operator) -> None:
    dead(operator, "one", "two")
    operator.run("dead-letters", "list")
    queue = operator.queues["dead:comments.fifo"]
    assert queue.bodies == ["one", "two"] and queue.taken == set()
    assert len(operator.json("dead-letters", "list")) == 2


def test_since_leaves_out_what_is_older(operator: Operator) -> None:
    dead(operator, "old")
    operator.world.clock.advance(hours=5)
    dead(operator, "new", group="other")
    assert [one["body"] for one in operator.json("dead-letters", "list", "--since", "4h")] == ["new"]
    exact = (START + timedelta(hours=5)).isoformat()
    assert [one["body"] for one in operator.json("dead-letters", "list", "--since", exact)] == ["new"]
    assert len(operator.json("dead-letters", "list", "--since", "6h")) == 2


@pytest.mark.parametrize("text", ["yesterday", "2026-11-30T09:00:00", "12", "-3h", "5y"])
def test_a_time_that_is_none_is_wrong_usage(operator: Operator, text: str) -> None:
    with pytest.raises(typer.BadParameter):
        moment(text, START)
    operator.run("dead-letters", "list", f"--since={text}", code=2)


def test_a_queue_that_is_none_is_wrong_usage_and_names_the_known_ones(operator: Operator) -> None:
    operator.run("dead-letters", "list", "--queue", "nope", code=2)
    assert "comments, events, run" in " ".join(operator.errors.split())


def test_bodies_are_printed_when_asked_for(operator: Operator) -> None:
    dead(operator, ODD)
    assert "caf" not in operator.run("dead-letters", "list")
    assert "caf\\u00e9 \U0001f3be\\n" in operator.run("dead-letters", "list", "--bodies")


# -- sending back


def test_a_redrive_sends_the_same_bytes_in_group_and_order(operator: Operator) -> None:
    bodies = [ODD, *(f"body {n}" for n in range(25))]
    dead(operator, *bodies, group="ana")
    dead(operator, "other", group="ben")
    done = operator.json("dead-letters", "redrive")
    assert (done["sent"], done["failed"]) == (27, 0)
    back = operator.queues["comments.fifo"].lying
    assert [one.body for one in back if one.group == "ana"] == bodies
    assert [one.body for one in back if one.group == "ben"] == ["other"]
    assert operator.queues["dead:comments.fifo"].lying == []


def test_a_dry_run_sends_nothing(operator: Operator) -> None:
    dead(operator, "one", "two")
    assert operator.json("dead-letters", "redrive", "--dry-run")["would_send"] == 2
    assert "Nothing is sent" in operator.run("dead-letters", "redrive", "--dry-run")
    assert operator.queues["comments.fifo"].lying == []
    assert len(operator.queues["dead:comments.fifo"].lying) == 2


def test_a_redrive_of_one_queue_leaves_the_others(operator: Operator) -> None:
    dead(operator, "one")
    dead(operator, "event", queue="dead:events")
    operator.run("dead-letters", "redrive", "--queue", "events")
    assert operator.queues["events"].bodies == ["event"]
    assert operator.queues["dead:comments.fifo"].bodies == ["one"]


def test_a_redrive_since_leaves_the_older_ones_where_they_are(operator: Operator) -> None:
    dead(operator, "old", group="a")
    operator.world.clock.advance(hours=5)
    dead(operator, "new", group="b")
    done = operator.json("dead-letters", "redrive", "--since", "1h")
    assert done["queues"][0]["left"] == 1
    assert operator.queues["comments.fifo"].bodies == ["new"]
    queue = operator.queues["dead:comments.fifo"]
    assert queue.bodies == ["old"] and queue.taken == set()


def test_what_stands_behind_a_refused_message_does_not_overtake_it(operator: Operator) -> None:
    dead(operator, "one", "two", group="ana")
    dead(operator, "three", group="ben")
    operator.queues["comments.fifo"].refuses["one"] = RetryableError("the queue did not take the message now: X")
    done = operator.json("dead-letters", "redrive", code=1)
    assert (done["sent"], done["failed"]) == (1, 2)
    assert done["queues"][0]["failure"] == "the queue did not take the message now: X"
    assert operator.queues["comments.fifo"].bodies == ["three"]
    assert operator.queues["dead:comments.fifo"].bodies == ["one", "two"]
    assert operator.queues["dead:comments.fifo"].taken == set()


def test_a_message_that_dies_again_at_once_can_be_sent_again(operator: Operator) -> None:
    for _ in range(2):
        dead(operator, "one")
        operator.run("dead-letters", "redrive")
    assert operator.queues["comments.fifo"].bodies == ["one", "one"]


def test_a_redrive_that_was_cut_off_sends_nothing_twice_within_sqs_own_window(
    operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead(operator, "one")
    with monkeypatch.context() as cut:
        cut.setattr(MemoryQueue, "delete", lambda self, message: (_ for _ in ()).throw(RetryableError("cut off")))
        operator.run("dead-letters", "redrive", code=1)
    operator.run("dead-letters", "redrive")
    assert operator.queues["comments.fifo"].bodies == ["one"]
    assert operator.queues["dead:comments.fifo"].lying == []


def test_what_no_queue_can_take_back_is_said_and_stays(operator: Operator) -> None:
    dead(operator, "a failed run", queue="dead:run")
    done = operator.json("dead-letters", "redrive", code=1)
    assert done["queues"][0]["failure"] == "run has no queue that takes it back"
    assert operator.queues["dead:run"].bodies == ["a failed run"]


# -- erasing


def test_a_customers_bodies_go_and_all_others_stay(operator: Operator) -> None:
    world = operator.world
    mine = [json.dumps(comment("c-1")), json.dumps(booking("ana-1"))]
    wrapped = json.dumps({"Type": "Notification", "MessageId": "n", "Message": json.dumps(comment("c-2"))})
    others = [json.dumps(comment("c-3", author={"id": "ben"})), json.dumps(booking("ben")), "no json at all"]
    other_account = json.dumps(comment("c-4", account_id="club-2"))
    for position, body in enumerate([*mine, wrapped, *others, other_account]):
        dead(operator, body, group=f"g-{position}")
    queue = operator.queues["dead:comments.fifo"]
    place = DeadBodies(DeadLetters("comments", queue), world.settings.space)
    assert place.purge(ana(world)) == 3
    assert queue.bodies == [*others, other_account] and queue.taken == set()
    assert place.purge(ana(world)) == 0


def test_a_customers_comments_are_taken_out_of_a_batch_and_the_others_stay(operator: Operator) -> None:
    world = operator.world
    batch = {
        "schema": "onthoud.comments.v1",
        "comments": [comment("c-1"), comment("c-2", author={"id": "ben", "name": "Ben"}), comment("c-3")],
    }
    dead(operator, json.dumps(batch), attributes={"reason": "why"})
    queue = operator.queues["dead:comments.fifo"]
    assert DeadBodies(DeadLetters("comments", queue), world.settings.space).purge(ana(world)) == 1
    assert [one["comment_id"] for one in json.loads(queue.bodies[0])["comments"]] == ["c-2"]
    assert "Ana" not in queue.bodies[0]
    assert queue.lying[0].reason == "why" and queue.lying[0].group == "g"


def test_a_batch_of_the_customer_alone_goes_whole(operator: Operator) -> None:
    world = operator.world
    batch = json.dumps({"schema": "onthoud.comments.v1", "comments": [comment("c-1"), comment("c-2")]})
    assert without(batch, ana(world), world.settings.space) is None


def test_more_than_ten_of_one_group_are_all_reached_while_they_are_the_customers(operator: Operator) -> None:
    world = operator.world
    dead(operator, *(json.dumps(comment(f"c-{n}")) for n in range(25)), group="ana")
    queue = operator.queues["dead:comments.fifo"]
    assert DeadBodies(DeadLetters("comments", queue), world.settings.space).purge(ana(world)) == 25
    assert queue.lying == []


def test_what_a_look_cannot_reach_is_said_and_not_passed_over(operator: Operator) -> None:
    world = operator.world
    dead(operator, *(f"not json {n}" for n in range(10)), json.dumps(comment("c-1")), group="shared")
    queue = operator.queues["dead:comments.fifo"]
    with pytest.raises(RetryableError, match="1 lie behind others of their group"):
        DeadBodies(DeadLetters("comments", queue), world.settings.space).purge(ana(world))
    assert queue.taken == set()
