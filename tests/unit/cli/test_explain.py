"""The story of an event, as `explain` tells it."""

from __future__ import annotations

import json

import pytest

from tests.fakes.world import World, comment, lost, reply
from tests.unit.cli.operator import Operator
from tests.unit.social.test_history import at, deliver


@pytest.fixture
def operator() -> Operator:
    return Operator(World())


def test_an_answered_event_tells_what_was_known_said_checked_and_paid(operator: Operator) -> None:
    world = operator.world
    world.model.script = [reply("Yes, they do."), reply("As I said.", memory_ids=["t1"])]
    deliver(world, comment("c-1"), comment("c-2", "And court 4?", occurred_at=at(1)))
    (story,) = operator.json("explain", "c-2")
    (decision,) = story["decisions"]
    assert (decision["outcome"], decision["state"]) == ("replied", "SENT")
    assert decision["memory_ids"] == ["turn:c-1:user", "turn:c-1:assistant"]
    assert decision["cited"] == ["turn:c-1:user"]
    assert decision["tokens"] == {"input": 100, "output": 20} and decision["cost_usd"] > 0
    assert (decision["reads"], decision["writes"]) == (2, 2) and decision["units"]["write"] > 0
    assert story["message"]["text"] == "As I said." and story["message"]["sent_at"]
    assert story["customer"] == "instagram/club/ana-1"
    assert story["thread"] == "instagram/club/p-1/c-2"
    assert story["remembered"]["text"] == "And court 4?"
    printed = operator.run("explain", "c-2")
    for words in ("replied", "turn:c-1:user", "As I said.", "input 100", "USD", "2 reads, 2 writes", "And court 4?"):
        assert words in printed, words


def test_times_are_told_in_the_operators_zone() -> None:
    operator = Operator(World(operator_time_zone="Europe/Amsterdam"))
    deliver(operator.world, comment("c-1"))
    assert "2026-11-30 10:00:00 CET" in operator.run("explain", "c-1")
    assert operator.json("explain", "c-1")[0]["first_seen_at"] == "2026-11-30T09:00:00.000000Z"


def test_a_skip_tells_its_reason_in_plain_words(operator: Operator) -> None:
    deliver(operator.world, comment("c-1", "🔥🔥"))
    printed = operator.run("explain", "c-1")
    assert (
        "skipped" in printed
        and "nothing but emoji" in printed
        and "not asked" in printed
        and "Message: none" in printed
    )


def test_checks_that_failed_are_named(operator: Operator) -> None:
    operator.world.model.script = [reply("See https://evil.example/x"), reply("See https://evil.example/x")]
    deliver(operator.world, comment("c-1"))
    printed = operator.run("explain", "c-1")
    assert "escalated" in printed and "FAILED" in printed and "checks, twice" in printed
    assert "2 calls" in printed


def test_every_identity_of_an_event_is_told_in_order(operator: Operator) -> None:
    world = operator.world
    deliver(world, comment("c-1"))
    world.clock.advance(minutes=1)
    deliver(world, comment("c-1", "And court 4?", verb="edited", occurred_at=at(1)))
    world.clock.advance(minutes=1)
    deliver(world, comment("c-1", None, verb="deleted", occurred_at=at(2)))
    (story,) = operator.json("explain", "c-1")
    told = [(one["verb"], one["outcome"], one["why"]) for one in story["decisions"]]
    assert [one[0] for one in told] == ["created", "edited", "deleted"]
    assert told[1][2].startswith("an edit") and told[2][2] == "the comment was deleted"
    assert story["deleted_at"] and story["remembered"] is None


def test_what_became_of_it_later_stands_beside_what_was_decided() -> None:
    operator = Operator(World(mode="draft"))
    deliver(operator.world, comment("c-1"))
    (draft,) = operator.json("drafts", "list")
    operator.run("drafts", "edit", draft["id"], "--text", "Until eleven.")
    operator.run("drafts", "approve", draft["id"])
    (story,) = operator.json("explain", "c-1")
    (decision,) = story["decisions"]
    assert decision["outcome"] == "replied" and decision["decided"] == {"outcome": "drafted", "reason": "mode_draft"}
    assert story["message"]["bot_text"] == "Thanks, good to hear from you!"
    printed = operator.run("explain", "c-1")
    assert "drafted mode_draft" in printed and "Until eleven." in printed and "good to hear" in printed


def test_a_send_of_which_nobody_knows_says_what_to_do() -> None:
    operator = Operator(World())
    operator.world.channel.can_read_back = operator.world.channel.is_idempotent = False
    operator.world.channel.faults = [lost()]
    deliver(operator.world, comment("c-1"))
    printed = operator.run("explain", "c-1")
    assert "UNKNOWN" in printed and "outbox settle" in printed


def test_the_same_id_on_two_channels_is_told_apart(operator: Operator) -> None:
    deliver(operator.world, comment("c-1"), comment("c-1", channel="youtube"), comment("c-1", account_id="club-2"))
    assert len(operator.json("explain", "c-1")) == 3
    (story,) = operator.json("explain", "c-1", "--channel", "youtube")
    assert story["channel"] == "youtube"
    (story,) = operator.json("explain", "c-1", "--account", "club-2")
    assert story["account_id"] == "club-2"


def test_a_quarantined_event_is_found_by_its_id_and_by_sqs_message_id(operator: Operator) -> None:
    deliver(operator.world, comment("c-1", occurred_at="2026-11-30T09:00:00"))
    (story,) = operator.json("explain", "c-1")
    assert "occurred_at" in story["reason"]
    assert operator.json("explain", story["message_id"]) == [story]
    assert "onthoud quarantine show" in operator.run("explain", "c-1")


def test_an_erased_event_is_told_without_words(operator: Operator) -> None:
    deliver(operator.world, comment("c-1", "my secret"))
    operator.run("memory", "erase", "instagram/club/ana-1")
    printed = operator.run("explain", "c-1")
    assert "my secret" not in printed and "no longer there" in printed


def test_an_event_that_never_arrived_says_where_to_look(operator: Operator) -> None:
    operator.run("explain", "c-404", code=1)
    assert "dead-letters list" in operator.errors and "quarantine list" in operator.errors


def test_the_quarantine_is_listed_without_bodies_and_shown_with_them(operator: Operator) -> None:
    assert "empty" in operator.run("quarantine", "list")
    bad = comment("c-1", "my secret", occurred_at="never")
    deliver(operator.world, {"schema": "onthoud.comments.v1", "comments": [bad, comment("c-2"), {"x": 1}]})
    found = operator.json("quarantine", "list")
    assert [one["id"] for one in found] == [f"{found[0]['message_id']}.0000", f"{found[0]['message_id']}.0002"]
    assert "my secret" not in operator.run("quarantine", "list")
    (shown,) = operator.json("quarantine", "show", found[0]["id"])
    assert json.loads(shown["body"])["text"] == "my secret"
    assert len(operator.json("quarantine", "show", found[0]["message_id"])) == 2
    assert "my secret" in operator.run("quarantine", "show", found[0]["message_id"])
    operator.run("quarantine", "show", "nothing", code=1)
