"""Drafts, unsettled sends and switches from the command line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from infra.cli import drafts as drafts_module
from onthoud.ports.channel import FailureClass, SendError
from tests.fakes.world import World, comment, lost, nothing, reply, transient
from tests.unit.cli.operator import Operator
from tests.unit.social.test_history import at, deliver, history

THREAD = "instagram/club/p-1/c-1"


def drafted() -> Operator:
    world = World(mode="draft")
    deliver(world, comment("c-1"))
    return Operator(world)


# -- drafts


def test_a_draft_is_listed_with_its_reason_in_plain_words() -> None:
    operator = drafted()
    (found,) = operator.json("drafts", "list")
    assert found["hold"] == "mode_draft"
    assert found["why"] == "mode draft: a person approves every reply"
    assert found["customer"] == "instagram/club/ana-1"
    assert found["thread"] == THREAD
    assert found["event_id"] == found["in_reply_to"] == "c-1"
    assert found["answers"] == "Do you have lights on court 3?"
    printed = operator.run("drafts", "list")
    assert found["id"] in printed and "a person approves" in printed and "Thanks, good to hear" in printed


def test_a_draft_that_somebody_else_has_moved_is_not_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    operator = drafted()
    (found,) = operator.json("drafts", "list")

    def late(operation: str, phase: str) -> None:
        if (operation, phase) == ("transact", "before"):
            operator.world.table.hook = nothing
            Operator(operator.world).run("drafts", "reject", found["id"])

    operator.world.hooked(late)
    operator.run("drafts", "approve", found["id"], code=1)
    assert "somebody else was quicker" in operator.errors
    assert operator.world.channel.accepted == []


def test_no_drafts_are_said_and_are_an_empty_list() -> None:
    operator = Operator(World())
    assert operator.json("drafts", "list") == []
    assert "No drafts" in operator.run("drafts", "list")


def test_approving_sends_once_and_makes_it_history() -> None:
    operator = drafted()
    (found,) = operator.json("drafts", "list")
    assert operator.json("drafts", "approve", found["id"])["state"] == "SENT"
    assert [one.text for one in operator.world.channel.accepted] == ["Thanks, good to hear from you!"]
    assert history(operator.world)[-1] == ("c-1", "<reply>")
    operator.run("drafts", "approve", found["id"], code=1)
    assert "no draft with the id" in operator.errors
    assert len(operator.world.channel.accepted) == 1


def test_approving_past_a_kill_switch_is_refused_and_says_how_to_lift_it() -> None:
    operator = drafted()
    (found,) = operator.json("drafts", "list")
    operator.run("switch", "off")
    assert "onthoud switch on" in operator.run("drafts", "approve", found["id"], code=1)
    assert operator.world.channel.accepted == []
    operator.run("switch", "on")
    operator.run("drafts", "approve", found["id"])
    assert len(operator.world.channel.accepted) == 1


def test_approving_while_the_channel_refuses_is_an_error_of_one_line_and_loses_nothing() -> None:
    operator = drafted()
    (found,) = operator.json("drafts", "list")
    operator.world.channel.faults = [transient("429")]
    operator.run("drafts", "approve", found["id"], code=1)
    assert operator.errors == "onthoud: the channel refused for now: 429\n"
    assert [one["hold"] for one in operator.json("outbox", "list", "--all")] == ["retry"]


def test_an_edited_draft_is_sent_as_edited_and_keeps_the_bots_words() -> None:
    operator = drafted()
    (found,) = operator.json("drafts", "list")
    edited = operator.json("drafts", "edit", found["id"], "--text", "Yes, until eleven!")
    assert (edited["text"], edited["bot_text"]) == ("Yes, until eleven!", "Thanks, good to hear from you!")
    assert operator.world.channel.accepted == []
    operator.run("drafts", "approve", found["id"])
    assert operator.world.channel.accepted[0].text == "Yes, until eleven!"


def test_editing_says_what_to_do_next() -> None:
    operator = drafted()
    (found,) = operator.json("drafts", "list")
    assert f"onthoud drafts approve {found['id']}" in operator.run("drafts", "edit", found["id"], "--text", "Yes!")


def test_an_empty_text_is_refused() -> None:
    operator = drafted()
    (found,) = operator.json("drafts", "list")
    operator.run("drafts", "edit", found["id"], "--text", "  ", code=1)
    assert "drafts reject" in operator.errors


def test_editing_without_a_text_or_a_terminal_is_wrong_usage() -> None:
    operator = drafted()
    (found,) = operator.json("drafts", "list")
    operator.run("drafts", "edit", found["id"], code=2)
    assert "--text" in operator.errors


def test_at_a_terminal_the_editor_opens_on_the_bots_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = drafted()
    (found,) = operator.json("drafts", "list")
    script = tmp_path / "editor.py"
    script.write_text("import sys, pathlib as p; f = p.Path(sys.argv[1]); f.write_text(f.read_text() + ' Bye.')")
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr(drafts_module, "at_a_terminal", lambda: True)
    assert operator.json("drafts", "edit", found["id"])["text"] == "Thanks, good to hear from you! Bye."


def test_an_editor_that_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    operator = drafted()
    (found,) = operator.json("drafts", "list")
    monkeypatch.setenv("VISUAL", "/nowhere/editor")
    monkeypatch.setattr(drafts_module, "at_a_terminal", lambda: True)
    operator.run("drafts", "edit", found["id"], code=1)
    assert "--text" in operator.errors
    assert operator.json("drafts", "list")[0]["edited_at"] is None


def test_a_rejected_draft_is_never_sent_and_never_was_said() -> None:
    operator = drafted()
    (found,) = operator.json("drafts", "list")
    assert operator.json("drafts", "reject", found["id"])["state"] == "FAILED"
    assert operator.json("drafts", "list") == []
    assert history(operator.world) == [("c-1", "Do you have lights on court 3?")]


def test_escalations_stand_among_the_drafts_and_can_be_picked() -> None:
    world = World(mode="draft")
    world.model.script = [reply("", "escalate", why="needs_a_person")]
    deliver(world, comment("c-1"), comment("c-2", occurred_at=at(1), author={"id": "ben", "name": "Ben"}))
    operator = Operator(world)
    assert len(operator.json("drafts", "list")) == 2
    (found,) = operator.json("drafts", "list", "--hold", "escalated")
    assert (found["event_id"], found["text"]) == ("c-1", "")
    operator.run("drafts", "approve", found["id"], code=1)
    assert f"onthoud drafts edit {found['id']}" in operator.errors
    operator.run("drafts", "edit", found["id"], "--text", "We will call you.")
    operator.run("drafts", "approve", found["id"])
    assert [one.text for one in world.channel.accepted] == ["We will call you."]


def test_text_from_outside_cannot_take_over_the_terminal() -> None:
    operator = drafted()
    (found,) = operator.json("drafts", "list")
    text = "\x1b[2J[red]\u202eabc :smile:"
    operator.run("drafts", "edit", found["id"], "--text", text)
    for printed in (operator.run("drafts", "list"), operator.run("explain", "c-1")):
        assert "\\x1b[2J[red]\\u202eabc :smile:" in printed
    assert operator.json("drafts", "list")[0]["text"] == text


# -- unsettled sends


def unknown() -> Operator:
    world = World()
    world.channel.can_read_back = world.channel.is_idempotent = False
    world.channel.faults = [lost()]
    deliver(world, comment("c-1"))
    return Operator(world)


def test_a_send_of_which_nobody_knows_is_listed() -> None:
    operator = unknown()
    (found,) = operator.json("outbox", "list")
    assert (found["state"], found["event_id"], found["failure"]) == ("UNKNOWN", "c-1", "timeout")
    assert found["id"] in operator.run("outbox", "list")
    assert "Nothing to settle" in Operator(World()).run("outbox", "list")


def test_settled_as_sent_it_is_history() -> None:
    operator = unknown()
    (found,) = operator.json("outbox", "list")
    assert "part of the history" in operator.run("outbox", "settle", found["id"], "--sent")
    assert operator.json("outbox", "list") == []
    assert operator.world.runtime().memory.read(ana_of(operator.world)).turns[-1].state == "said"


def test_settled_as_not_sent_it_is_a_draft_that_can_be_sent() -> None:
    operator = unknown()
    operator.world.channel.accepted.clear()
    (found,) = operator.json("outbox", "list")
    assert operator.json("outbox", "settle", found["id"], "--not-sent")["hold"] == "not_sent"
    (draft,) = operator.json("drafts", "list")
    operator.run("drafts", "approve", draft["id"])
    assert len(operator.world.channel.accepted) == 1


def test_settling_needs_to_be_told_which() -> None:
    operator = unknown()
    (found,) = operator.json("outbox", "list")
    operator.run("outbox", "settle", found["id"], code=2)
    operator.run("outbox", "settle", "nothing", "--sent", code=1)
    assert len(operator.json("outbox", "list")) == 1


# -- switches


def ana_of(world: World):  # type: ignore[no-untyped-def]
    from onthoud.scope import Scope

    return Scope(world.settings.space, "instagram", "club", "ana-1")


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ([], "switch_all"),
        (["--account", "club"], "switch_account"),
        (["--customer", "instagram/club/ana-1"], "switch_customer"),
        (["--thread", "instagram/club/p-1/c-1"], "switch_thread"),
    ],
)
def test_what_is_switched_off_is_not_answered_until_it_is_switched_on(where: list[str], reason: str) -> None:
    operator = Operator(World())
    operator.run("switch", "off", *where)
    deliver(operator.world, comment("c-1"))
    assert operator.world.channel.accepted == []
    assert [one["hold"] for one in operator.json("drafts", "list")] == [reason]
    operator.run("switch", "on", *where)
    deliver(operator.world, comment("c-2", occurred_at=at(1), thread={"post_id": "p-1", "parent_id": "c-1"}))
    assert [one.in_reply_to for one in operator.world.channel.accepted] == ["c-2"]


@pytest.mark.parametrize(
    "where",
    [
        ["--account", "other"],
        ["--customer", "instagram/club/ben"],
        ["--customer", "instagram/other/ana-1"],
        ["--thread", "instagram/club/p-1/c-2"],
    ],
)
def test_a_switch_stops_only_what_it_names(where: list[str]) -> None:
    operator = Operator(World())
    operator.run("switch", "off", *where)
    deliver(operator.world, comment("c-1"))
    assert len(operator.world.channel.accepted) == 1


def test_a_persons_takeover_is_shown_and_lifted_by_the_threads_name() -> None:
    operator = Operator(World())
    thread = {"post_id": "p-1", "parent_id": "c-1"}
    deliver(operator.world, comment("c-1"))
    deliver(operator.world, comment("h-1", "Jan here.", author={"id": "club"}, thread=thread, occurred_at=at(1)))
    assert operator.json("switch", "show", "--thread", THREAD)["thread"] == {
        "thread": THREAD,
        "on": False,
        "human": True,
    }
    assert "a person has taken over" in operator.run("switch", "show", "--thread", THREAD)
    operator.run("switch", "on", "--thread", THREAD)
    deliver(operator.world, comment("c-2", "Thanks", thread=thread, occurred_at=at(2)))
    assert [one.in_reply_to for one in operator.world.channel.accepted] == ["c-1", "c-2"]


def test_the_switches_are_shown_with_since_when_and_why_and_what_today_cost() -> None:
    operator = Operator(World(daily_budget_usd="5"))
    deliver(operator.world, comment("c-1"))
    operator.run("switch", "off", "--account", "club", "--reason", "storm")
    found = operator.json("switch", "show")
    assert found["all"]["on"] is True
    assert found["accounts"][0]["account"] == "club" and found["accounts"][0]["since"].endswith("storm")
    assert float(found["spent_today_usd"]) > 0 and found["daily_budget_usd"] == "5"
    printed = operator.run("switch", "show")
    assert "account club" in printed and "OFF" in printed and "storm" in printed


def test_an_account_that_the_channel_refuses_is_shown_as_stopped() -> None:
    operator = Operator(World())
    operator.world.channel.faults = [("before", SendError(FailureClass.AUTH, "401"))]
    deliver(operator.world, comment("c-1"))
    assert "channel_auth" in operator.json("switch", "show")["accounts"][0]["since"]
    operator.run("switch", "on", "--account", "club")
    assert operator.json("switch", "show")["accounts"] == []


def test_a_name_of_another_form_is_wrong_usage() -> None:
    operator = Operator(World())
    operator.run("switch", "off", "--customer", "ana", code=2)
    assert "CHANNEL/ACCOUNT/ID" in operator.errors
    operator.run("switch", "off", "--thread", "a/b/c", code=2)
    assert "CHANNEL/ACCOUNT/POST/COMMENT" in operator.errors
    assert operator.json("switch", "show")["all"]["on"] is True
