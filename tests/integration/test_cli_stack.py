"""The command line against the running stack: by `/local/cli`, and as a program of its own with `--local`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.local.harness import LocalStack, start_stack

pytestmark = pytest.mark.stack
ROOT = Path(__file__).resolve().parents[2]
ODD = "caf\u00e9 \U0001f3be,  two  spaces and a tab\t"


@pytest.fixture(scope="module")
def stack() -> Iterator[LocalStack]:
    with start_stack({"KnowledgeBase": "off"}) as running:
        yield running


def comment(comment_id: str, text: str, author: str = "ana-1", **more: Any) -> dict[str, Any]:
    return {
        "schema": "onthoud.comment.v1",
        "comment_id": comment_id,
        "channel": "instagram",
        "account_id": "club",
        "verb": "created",
        "author": {"id": author, "name": author, "is_self": False},
        "thread": {"post_id": f"p-{author}", "parent_id": None},
        "text": text,
        "attachments": [],
        "occurred_at": "2026-11-29T10:00:00Z",
        **more,
    }


def run(stack: LocalStack, *args: str, code: int = 0) -> Any:
    """Run a command by `/local/cli` and parse its JSON."""
    answer = stack.cli(*args, "--json")
    assert answer["exit_code"] == code, answer
    return json.loads(answer["stdout"])


def program(stack: LocalStack, *args: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own."""
    command = [sys.executable, "-c", "from infra.cli.main import main; main()", "--local", stack.url, *args]
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "PYTHONWARNINGS": "error"}
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=120)


def test_explain_tells_what_the_stack_did(stack: LocalStack) -> None:
    stack.send("comments", comment("e-1", "Do you have lights on court 3?", author="eva"))
    stack.drain()
    (story,) = run(stack, "explain", "e-1")
    assert story["decisions"][0]["outcome"] == "replied"
    (delivered,) = [one for one in stack.deliveries() if one["in_reply_to"] == "e-1"]
    assert story["message"]["text"] == delivered["text"]
    assert "replied" in stack.cli("explain", "e-1")["stdout"]


def test_wrong_usage_and_refusals_say_so_on_standard_error(stack: LocalStack) -> None:
    wrong = stack.cli("memory", "show", "ana")
    assert (wrong["exit_code"], wrong["stdout"]) == (2, "") and "CHANNEL/ACCOUNT/ID" in wrong["stderr"]
    refused = stack.cli("drafts", "approve", "nothing")
    assert (refused["exit_code"], refused["stdout"]) == (1, "")
    assert refused["stderr"] == "onthoud: no draft with the id nothing\n"


def test_the_program_finds_the_stack_by_its_address_and_lives_at_its_time(stack: LocalStack) -> None:
    stack.send("comments", comment("t-1", "Is it open today?", author="tim"))
    stack.drain()
    stack.advance(20 * 86_400, sweep_expired=False)
    shown = program(stack, "memory", "show", "instagram/club/tim", "--json")
    assert shown.returncode == 0, shown.stderr
    assert [turn["role"] for turn in json.loads(shown.stdout)["turns"]] == ["user", "assistant"]
    stack.advance(11 * 86_400, sweep_expired=False)
    assert json.loads(program(stack, "memory", "show", "instagram/club/tim", "--json").stdout)["turns"] == []
    missing = program(stack, "explain", "never")
    assert missing.returncode == 1 and missing.stdout == "" and missing.stderr.startswith("onthoud: ")
    assert program(stack, "memory", "show", "tim").returncode == 2


def test_a_switch_holds_back_and_an_approved_draft_really_goes_out(stack: LocalStack) -> None:
    run(stack, "switch", "off", "--customer", "instagram/club/dan")
    stack.send("comments", comment("d-1", "Can I book court 2?", author="dan"))
    stack.drain()
    (draft,) = [one for one in run(stack, "drafts", "list") if one["event_id"] == "d-1"]
    assert draft["hold"] == "switch_customer" and draft["text"] == ""
    run(stack, "drafts", "edit", draft["id"], "--text", "Yes, please call us.")
    run(stack, "drafts", "approve", draft["id"], code=1)
    run(stack, "switch", "on", "--customer", "instagram/club/dan")
    run(stack, "drafts", "approve", draft["id"])
    assert [one["text"] for one in stack.deliveries() if one["in_reply_to"] == "d-1"] == ["Yes, please call us."]


def test_dead_letters_say_why_and_come_back_byte_for_byte(stack: LocalStack) -> None:
    body = json.dumps(comment("x-1", ODD, author="xan"), indent=1)
    stack.faults({"target": "model", "kind": "error", "when": "before", "times": 1000})
    sent = stack.send("comments", body)
    stack.drain()
    assert stack.dead_letters()[0]["message_id"] == sent
    (letter,) = run(stack, "dead-letters", "list")
    assert letter["queue"] == "comments" and letter["body"] == body
    assert letter["reason"] == stack.dead_letters()[0]["reason"] != "receive count exceeded"
    assert run(stack, "dead-letters", "redrive", "--dry-run")["would_send"] == 1
    stack.faults()
    assert run(stack, "dead-letters", "redrive", "--since", "1h")["sent"] == 1
    stack.drain()
    assert stack.dead_letters() == []
    assert [one["in_reply_to"] for one in stack.deliveries() if one["in_reply_to"] == "x-1"] == ["x-1"]
    (story,) = run(stack, "explain", "x-1")
    assert story["remembered"]["text"] == ODD.strip() or story["remembered"]["text"] == ODD


def test_erasing_reaches_the_dead_letters_and_nothing_comes_back(stack: LocalStack) -> None:
    stack.send("comments", comment("s-1", "my secret word", author="sam"))
    stack.drain()
    stack.faults({"target": "model", "kind": "error", "when": "before", "times": 1000})
    stack.send("comments", comment("s-2", "my secret word again", author="sam"))
    stack.drain()
    stack.faults()
    receipt = run(stack, "memory", "erase", "instagram/club/sam")
    assert receipt["counts"]["turn"] >= 2 and receipt["counts"]["dead letters of comments"] == 1
    assert stack.dead_letters() == []
    assert "my secret word" not in json.dumps(stack.table())
    stack.send("comments", comment("s-1", "my secret word", author="sam"))
    stack.send("comments", comment("s-3", "my secret word, late", author="sam"))
    stack.drain()
    assert stack.memory("instagram", "club", "sam")["turns"] == []
    assert "my secret word" not in json.dumps(stack.table())
    assert run(stack, "explain", "s-3")[0]["decisions"][0]["reason"] == "erased"
    assert run(stack, "memory", "erase", "instagram/club/sam")["total"] == 0


def test_what_cannot_be_read_is_in_quarantine_with_its_reason(stack: LocalStack) -> None:
    message_id = stack.send("comments", "not json at all")
    stack.drain()
    (found,) = [one for one in run(stack, "quarantine", "list") if one["message_id"] == message_id]
    assert found["reason"] == "the body is not JSON"
    assert run(stack, "quarantine", "show", found["id"])[0]["body"] == "not json at all"


def test_a_send_of_which_nobody_knows_is_settled_by_a_person(stack: LocalStack) -> None:
    stack.channel(read_back=False, idempotent=False)
    try:
        stack.faults({"target": "channel", "operation": "send", "kind": "lost_answer", "when": "after", "times": 1})
        stack.send("comments", comment("u-1", "Where do I park?", author="uma"))
        stack.drain()
        (entry,) = run(stack, "outbox", "list")
        assert (entry["event_id"], entry["state"]) == ("u-1", "UNKNOWN")
        assert stack.cli("outbox", "settle", entry["id"])["exit_code"] == 2
        run(stack, "outbox", "settle", entry["id"], "--sent")
        assert run(stack, "outbox", "list") == []
        assert stack.memory("instagram", "club", "uma")["turns"][-1]["role"] == "assistant"
    finally:
        stack.faults()
        stack.channel(read_back=True, idempotent=True)
