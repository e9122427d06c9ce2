"""Tasks from Todoist's REST API v1 (https://developer.todoist.com/api/v1/): all active tasks, page by page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from daily_brief.sources.tasks import MAX_PAGES, Task, day_of, harvest_tasks
from onthoud.errors import OnthoudError, PermanentError, RetryableError
from onthoud.ports.source import Harvest
from onthoud.ports.web import Web

API = "https://api.todoist.com/api/v1/tasks"
PAGE_SIZE = 200
_PRIORITIES = {4: "urgent", 3: "high", 2: "normal", 1: "low"}
"""Todoist's API counts the other way round than its screens: 4 is the most urgent."""


@dataclass(frozen=True, slots=True)
class Todoist:
    """The active tasks of one account. `token` is read anew for each reading, so that a changed one is taken up."""

    web: Web
    token: Callable[[], str]
    zone: ZoneInfo
    name: str = "todoist"
    api: str = API

    def read(self, now: datetime) -> Harvest:
        """Read all pages; see the port. Todoist lists active tasks only: one that is gone is done or deleted."""
        tasks: list[Task] = []
        unreadable, error, cursor = 0, "", ""
        try:
            headers = {"Authorization": f"Bearer {self.token()}"}
            for _ in range(MAX_PAGES):
                query = urlencode({"limit": PAGE_SIZE, **({"cursor": cursor} if cursor else {})})
                found, broken, cursor = _page(self.web.get(f"{self.api}?{query}", headers=headers).body)
                tasks += found
                unreadable += broken
                if not cursor:
                    break
            else:
                error = "too many pages"
        except OnthoudError as fault:
            error = str(fault)
        return harvest_tasks(self.name, tasks, now, self.zone, unreadable=unreadable, error=error)


def _page(body: bytes) -> tuple[list[Task], int, str]:
    try:
        document = json.loads(body)
        entries, cursor = document["results"], document.get("next_cursor")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise RetryableError("not a page of tasks") from None
    if not isinstance(entries, list):
        raise RetryableError("not a page of tasks")
    tasks = []
    for entry in entries:
        try:
            tasks.append(_task(entry))
        except PermanentError:
            continue
    return tasks, len(entries) - len(tasks), str(cursor or "")


def _task(entry: Any) -> Task:
    if not isinstance(entry, Mapping) or not entry.get("id"):
        raise PermanentError("a task without an id")
    due = entry.get("due")
    return Task(
        id=str(entry["id"]),
        title=str(entry.get("content") or entry["id"]),
        status="done" if entry.get("checked") else "open",
        due=day_of(due.get("date")) if isinstance(due, Mapping) else None,
        priority=_PRIORITIES.get(entry.get("priority", 1), "normal"),
        url=f"https://app.todoist.com/app/task/{entry['id']}",
    )
