"""Scene one: real comments over four days, some customers returning, some events twice, one of them poison."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from infra.demo.scene import CLUB, Stage

DATA = Path(__file__).parent / "data" / "comments.jsonl"
DAYS = 4
SENT_TWICE = 12
POISON = '{"schema": "onthoud.comment.v1", "comment_id": "poison", "text": "no author, no time"}'


def play(stage: Stage) -> None:
    """Play four days of comments and tell what the memory changed."""
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    stage.title(f"1  The reply bot remembers its customers: {len(rows)} real comments over {DAYS} days")
    events = _days(stage, rows)
    _compare(stage, rows)
    _again(stage, events)
    _poison(stage)
    _crash(stage)
    _figures(stage)


def _event(row: dict[str, Any], at: datetime, *, author: str = "", name: str = "") -> dict[str, Any]:
    return {
        "schema": "onthoud.comment.v1",
        "comment_id": name or row["comment_id"],
        "channel": "youtube",
        "account_id": CLUB,
        "verb": "created",
        "author": {"id": author or row["author_id"]},
        "thread": {"post_id": row["video"], "parent_id": None},
        "text": row["text"],
        "occurred_at": at.isoformat(),
    }


def _days(stage: Stage, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Hand the comments over as a producer does, a part each day, and print the days."""
    events: list[dict[str, Any]] = []
    printed: list[list[Any]] = []
    share = -(-len(rows) // DAYS)
    for day in range(DAYS):
        morning = stage.next_morning()
        today = [
            _event(row, morning + timedelta(minutes=position))
            for position, row in enumerate(rows[day * share : (day + 1) * share])
        ]
        for event in today:
            stage.stack.put_event("CommentReceived", event)
        stage.stack.drain()
        events += today
        names = {event["comment_id"] for event in today}
        decided = [one for one in stage.stack.decisions() if one["event_id"] in names]
        outcomes = Counter(one["outcome"] for one in decided)
        known = sum(1 for one in decided if one["memory_ids"])
        reasons = Counter(one["reason"] for one in decided if one["outcome"] == "skipped")
        printed.append(
            [
                morning.strftime("%a %d %b"),
                len(today),
                outcomes["replied"],
                known,
                ", ".join(f"{count} x {reason}" for reason, count in reasons.most_common()) or "-",
            ]
        )
    stage.table(["day", "comments", "replied", "with history", "skipped because"], printed, right=(1, 2, 3))
    return events


def _compare(stage: Stage, rows: Sequence[dict[str, Any]]) -> None:
    """Print what a returning customer was answered, and what somebody new is answered to the same words."""
    by_name = {one["in_reply_to"]: one for one in stage.stack.deliveries("reply")}
    returning = [one for one in stage.stack.decisions() if one["outcome"] == "replied" and one["memory_ids"]]
    if not returning:
        return
    chosen = returning[-1]["event_id"]
    row = next(row for row in rows if row["comment_id"] == chosen)
    stranger = _event(row, stage.now, author="somebody-new", name="demo-stranger")
    stage.stack.send("comments", stranger)
    stage.stack.drain()
    fresh = next((one for one in stage.stack.deliveries("reply") if one["in_reply_to"] == "demo-stranger"), None)
    stage.console.print("\nThe same words, with and without a history:")
    stage.table(
        ["who", "reply"],
        [
            ["wrote before, remembered", by_name[chosen]["text"]],
            ["somebody new", fresh["text"] if fresh else "(no reply)"],
        ],
    )


def _again(stage: Stage, events: Sequence[dict[str, Any]]) -> None:
    """Deliver events once more, as queues do."""
    before = len(stage.stack.deliveries("reply"))
    for event in events[:SENT_TWICE]:
        stage.stack.send("comments", event)
    stage.stack.drain()
    more = len(stage.stack.deliveries("reply")) - before
    stage.console.print(f"\nDuplicates: {SENT_TWICE} events were delivered again; replies sent because of it: {more}.")


def _poison(stage: Stage) -> None:
    """Send something that nobody can process, in front of something that can be."""
    stage.stack.send("comments", POISON, group="demo")
    drained = stage.stack.drain()
    kept = stage.stack.quarantine()[-1]
    stage.console.print(
        f"Poison: one message cannot be read ({kept['reason']}); it waits in quarantine, "
        f"{drained['dead_lettered']} messages were dead-lettered."
    )


def _crash(stage: Stage) -> None:
    """Kill the worker right after the reply went out."""
    stage.stack.faults({"target": "channel", "operation": "send", "kind": "crash", "when": "after", "times": 1})
    row = {"comment_id": "demo-crash", "author_id": "demo-crash", "text": "Great video!", "video": "demo"}
    stage.stack.send("comments", _event(row, stage.now))
    stage.stack.drain()
    stage.stack.faults()
    sent = [one for one in stage.stack.deliveries("reply") if one["in_reply_to"] == "demo-crash"]
    stage.console.print(
        f"Crash: the worker was killed after sending, before it could note it; replies to that comment: {len(sent)} "
        "(the thread was read back)."
    )


def _figures(stage: Stage) -> None:
    """Print what an event costs."""
    decided = [one for one in stage.stack.decisions() if one["bot"] == "social_reply" and one["at"]]
    replied = [one for one in decided if one["outcome"] == "replied"]

    def mean(values: Sequence[float]) -> str:
        return f"{sum(values) / max(len(values), 1):.2f}"

    stage.console.print("\nPer reply, on average:")
    stage.table(
        ["reads", "writes", "read units", "write units", "model calls", "tokens in", "tokens out"],
        [
            [
                mean([one["reads"] for one in replied]),
                mean([one["writes"] for one in replied]),
                mean([one["units"]["read"] for one in replied]),
                mean([one["units"]["write"] for one in replied]),
                mean([one["model_calls"] for one in replied]),
                mean([one["tokens"]["input"] for one in replied]),
                mean([one["tokens"]["output"] for one in replied]),
            ]
        ],
        right=range(7),
    )
