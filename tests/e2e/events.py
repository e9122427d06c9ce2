"""Events as producers send them, for the end-to-end tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "data" / "youtube-comments"


def comment(comment_id: str, text: str | None, at: datetime, **more: Any) -> dict[str, Any]:
    event: dict[str, Any] = {
        "schema": "onthoud.comment.v1",
        "comment_id": comment_id,
        "channel": "instagram",
        "account_id": "club",
        "verb": "created",
        "author": {"id": "ana-1", "name": "Ana", "is_self": False},
        "thread": {"post_id": "p-1", "parent_id": None},
        "text": text,
        "attachments": [],
        "occurred_at": at.isoformat(),
    }
    event.update(more)
    return event


def corpus(now: datetime) -> Iterator[dict[str, Any]]:
    """Yield the 1,138 real comments in their order, restamped to end now."""
    rows: list[dict[str, Any]] = []
    for path in sorted(CORPUS.glob("*.jsonl")):
        rows += [json.loads(line) | {"video": path.stem} for line in path.read_text().splitlines()]
    rows.sort(key=lambda row: row["published_at"])
    for position, row in enumerate(rows):
        yield comment(
            row["comment_id"],
            row["text"],
            now - timedelta(minutes=len(rows) - position),
            channel="youtube",
            author={"id": row["author_id"], "name": None, "is_self": False},
            thread={"post_id": row["video"], "parent_id": None},
        )
