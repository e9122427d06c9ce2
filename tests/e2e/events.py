"""Events as producers send them, for the end-to-end tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tests.fakes import world

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "data" / "youtube-comments"


def comment(comment_id: str, text: str | None, at: datetime, **more: Any) -> dict[str, Any]:
    """Return a comment that occurred at a moment of the stack's clock."""
    return world.comment(comment_id, text, **{"occurred_at": at.isoformat(), **more})


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
