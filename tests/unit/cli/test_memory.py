"""What is remembered of a customer, shown and erased from the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from infra.cli import memory as memory_module
from onthoud.memory.profile import Changes, Profiles
from onthoud.privacy import erasure
from onthoud.scope import Scope
from tests.fakes.world import World, comment, reply
from tests.unit.cli.operator import Operator
from tests.unit.social.test_history import at, deliver

ANA = "instagram/club/ana-1"


def ana(world: World) -> Scope:
    return Scope(world.settings.space, "instagram", "club", "ana-1")


@pytest.fixture
def operator() -> Operator:
    return Operator(World())


def test_show_prints_window_counters_profile_drafts_and_how_long_each_is_kept(operator: Operator) -> None:
    world = operator.world
    world.model.script = [reply("Yes, until eleven."), reply("", "escalate", why="needs_a_person")]
    deliver(world, comment("c-1"), comment("c-2", "Call me", occurred_at=at(5)))
    changes = Changes(values={"language": "nl"}, notes=(("left-handed", "staff"),))
    Profiles(world.table, world.clock, lambda text: text).save(ana(world), changes, source="operator")
    found = operator.json("memory", "show", ANA)
    assert [(turn["role"], turn["content"]) for turn in found["turns"]] == [
        ("user", "Do you have lights on court 3?"),
        ("assistant", "Yes, until eleven."),
        ("user", "Call me"),
    ]
    assert found["counters"]["replies"] == 1 and found["counters"]["name"] == "Ana"
    assert found["profile"] == {"language": "nl", "notes": [{"text": "left-handed", "visibility": "staff"}]}
    assert [one["hold"] for one in found["waiting"]] == ["escalated"]
    kinds = {store["kind"]: store["retention"] for store in found["stores"]}
    assert "HistoryDays" in kinds["turn"] and "head" in kinds
    printed = operator.run("memory", "show", ANA)
    for words in ("Yes, until eleven.", "Call me", "left-handed", "hands this one to a person", "HistoryDays", "Ana"):
        assert words in printed


def test_nothing_remembered_is_said(operator: Operator) -> None:
    assert operator.run("memory", "show", ANA) == f"Nothing is remembered of {ANA}.\n"
    assert operator.json("memory", "show", ANA)["turns"] == []


def test_show_reads_the_customers_own_partition_only(operator: Operator) -> None:
    deliver(operator.world, *(comment(f"c-{n}", author={"id": f"x-{n}"}) for n in range(5)), comment("c-9"))
    operator.world.table.calls.clear()
    operator.run("memory", "show", ANA)
    assert operator.world.table.calls == ["query", "query"]


def test_what_has_expired_is_not_shown_though_it_lies_there(operator: Operator) -> None:
    deliver(operator.world, comment("c-1"))
    operator.world.clock.advance(days=31)
    assert operator.json("memory", "show", ANA)["turns"] == []


def test_an_erased_customer_leaves_no_trace_and_a_receipt_says_what_went(operator: Operator) -> None:
    world = operator.world
    deliver(
        world,
        comment("c-1", "my secret"),
        comment("c-2", "other", author={"id": "ben", "name": "Ben"}, thread={"post_id": "p-2"}),
    )
    dead = operator.queues["dead:comments.fifo"]
    dead.send(json.dumps(comment("c-8", "my secret")), group="g", deduplication_id="1")
    receipt = operator.json("memory", "erase", ANA)
    assert receipt["counts"]["turn"] == 2 and receipt["counts"]["dead letters of comments"] == 1
    assert receipt["total"] == sum(receipt["counts"].values()) >= 3
    assert dead.lying == []
    left = [item for item in world.table.all_items() if item["pk"] == ana(world).partition]
    assert [item["sk"] for item in left] == ["head"]
    assert "my secret" not in str(world.table.all_items()) and "Ana" not in str(world.table.all_items())
    assert operator.json("memory", "show", "instagram/club/ben")["turns"] != []
    deliver(world, comment("c-3", "late", occurred_at=at(-1)))
    assert operator.json("memory", "show", ANA)["turns"] == []


def test_erasing_prints_receipt_and_proof(operator: Operator) -> None:
    deliver(operator.world, comment("c-1"))
    printed = operator.run("memory", "erase", ANA)
    assert "turn" in printed and "Read back: nothing is left" in printed


def test_erasing_what_was_never_there_says_that_nothing_was_remembered(operator: Operator) -> None:
    assert f"Nothing was remembered of {ANA}." in operator.run("memory", "erase", ANA)
    deliver(operator.world, comment("c-1"))
    operator.run("memory", "erase", ANA)
    assert operator.json("memory", "erase", ANA)["total"] == 0


def test_what_arrives_while_erasing_fails_the_proof(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    deliver(operator.world, comment("c-1"))
    dead = operator.queues["dead:comments.fifo"]
    real, looks = memory_module._partition, []

    def late(*args):  # type: ignore[no-untyped-def]
        looks.append(1)
        return [*real(*args), {"sk": "turn#late"}]

    monkeypatch.setattr(memory_module, "_partition", late)
    operator.run("memory", "erase", ANA, code=1)
    assert looks and "run it again" in operator.errors and dead.taken == set()


def test_a_dead_letter_that_arrives_while_erasing_fails_the_proof(
    operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead, real = operator.queues["dead:comments.fifo"], erasure.erase

    def late(*args: Any) -> Any:
        receipt = real(*args)
        dead.send(json.dumps(comment("c-8")), group="g", deduplication_id="1")
        return receipt

    monkeypatch.setattr(erasure, "erase", late)
    operator.run("memory", "erase", ANA, code=1)
    assert "dead letters of comments" in operator.errors


def test_a_person_at_a_terminal_is_asked_first(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    deliver(operator.world, comment("c-1"))
    monkeypatch.setattr(memory_module, "at_a_terminal", lambda: True)
    operator.run("memory", "erase", ANA, code=1)  # no answer is no
    assert operator.json("memory", "show", ANA)["turns"] != []
    operator.run("memory", "erase", ANA, "--yes")
    assert operator.json("memory", "show", ANA)["turns"] == []


def test_names_are_percent_decoded_and_other_forms_are_wrong_usage(operator: Operator) -> None:
    deliver(operator.world, comment("c-1", author={"id": "a/b 1%"}))
    assert operator.json("memory", "show", "instagram/club/a%2Fb%201%25")["turns"] != []
    operator.run("memory", "show", "ana", code=2)
    assert "CHANNEL/ACCOUNT/ID" in operator.errors
