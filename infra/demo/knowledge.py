"""Scene four: a question is answered from a document, follows its change, and is not answered once it is gone."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from infra.demo.scene import CLUB, Stage

DOCUMENT = "handbook.md"
QUESTION = "How many parking spaces are there behind the building?"
HANDBOOK = """# House handbook

## Parking

There are {spaces} parking spaces behind the building; the entrance is in Mill Lane.

## Lockers

Lockers take a coin, which comes back when they are opened.

## Lost property

Things that were left behind are kept at the desk for four weeks.
"""
_names = count(1)


def play(stage: Stage) -> None:
    """Ask one question three times: with a document, with its new version, and without it."""
    stage.title("4  The knowledge base: answers with their source, and none without one")
    rows = []
    stage.stack.put_document(DOCUMENT, HANDBOOK.format(spaces="forty").encode())
    stage.stack.drain()
    rows.append(["says forty", *_ask(stage)])
    stage.stack.put_document(DOCUMENT, HANDBOOK.format(spaces="sixty").encode())
    stage.stack.drain()
    rows.append(["now says sixty", *_ask(stage)])
    stage.stack.delete_document(DOCUMENT)
    stage.stack.drain()
    rows.append(["deleted", *_ask(stage)])
    stage.console.print(f"asked each time, by somebody else: {QUESTION}")
    stage.table([DOCUMENT, "outcome", "answer, or what waits for a person", "source"], rows)


def _ask(stage: Stage) -> tuple[str, str, str]:
    name = f"knowledge-{next(_names)}"
    event = {
        "schema": "onthoud.comment.v1",
        "comment_id": name,
        "channel": "instagram",
        "account_id": CLUB,
        "verb": "created",
        "author": {"id": name, "name": "Ana"},
        "thread": {"post_id": "p-knowledge", "parent_id": None},
        "text": QUESTION,
        "occurred_at": stage.now.isoformat(),
    }
    stage.stack.send("comments", event)
    stage.stack.drain()
    decision = stage.stack.decisions(name)[-1]
    said = [one["text"] for one in stage.stack.deliveries() if one["in_reply_to"] == name]
    text = " ".join(said) or _draft(stage, name)
    return decision["outcome"], text, _source(decision)


def _draft(stage: Stage, name: str) -> str:
    """Return the text that an escalation left for a person."""
    drafts = json.loads(stage.stack.cli("drafts", "list", "--json")["stdout"])
    return next((str(one["text"]) for one in drafts if one["in_reply_to"] == name), "")


def _source(decision: dict[str, Any]) -> str:
    sources = [one.removeprefix("passage:").rpartition(":")[0] for one in decision["memory_ids"] if "passage:" in one]
    return sources[0] if sources else "-"
