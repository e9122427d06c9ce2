"""Tasks from a plain JSON address: `{"tasks": [{"id", "title", "status", "due", "priority", "url"}], "next": null}`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from urllib.parse import urljoin
from zoneinfo import ZoneInfo

from onthoud.errors import OnthoudError, PermanentError, RetryableError
from onthoud.memory.alerts.fingerprint import subject_of
from onthoud.memory.alerts.model import Observation, Reading
from onthoud.memory.alerts.phases import Due, due_phase
from onthoud.ports.source import Chore, Harvest
from onthoud.ports.web import Web

MAX_PAGES = 20


@dataclass(frozen=True, slots=True)
class Task:
    """A task as any system has it. Only `done` closes one."""

    id: str
    title: str
    status: str = "open"
    due: date | None = None
    priority: str = ""
    url: str = ""


def harvest_tasks(
    name: str, tasks: Iterable[Task], now: datetime, zone: ZoneInfo, *, unreadable: int = 0, error: str = ""
) -> Harvest:
    """Return what a list of tasks amounts to.

    Args:
        name: the source's.
        tasks: all that could be read.
        now: the present.
        zone: the operator's, in which "today" is meant.
        unreadable: entries that made no sense; the list is then not complete, since nobody knows which task it was.
        error: why the list is not complete; empty where it is.
    """
    today = now.astimezone(zone).date()
    open_tasks = [task for task in tasks if task.status.casefold() != "done"]
    observations = [_observation(name, task, today) for task in open_tasks]
    if unreadable:
        title = f"{unreadable} entries of {name}" if unreadable > 1 else f"an entry of {name}"
        observations.append(Observation(name, "unreadable", "entries", title, {"state": "unreadable"}))
        error = error or "entries without id"
    due = sorted((t for t in open_tasks if t.due is not None and t.due <= today), key=lambda t: (t.due, t.title))
    chores = tuple(Chore(t.title, t.due, t.status) for t in due if t.due is not None)
    return Harvest(Reading(name, now, not error, tuple(observations), error), chores=chores)


def _observation(name: str, task: Task, today: date) -> Observation:
    phase = due_phase(task.due, today)
    return Observation(
        source=name,
        kind="task",
        subject=subject_of(task.id),
        title=" ".join(task.title.split())[:200] or task.id,
        material={
            "status": task.status,
            # The date itself: moved by a person, it is news. The phase: crossed by time, it is news. Days left: never.
            "due": task.due.isoformat() if task.due else None,
            "due_phase": str(phase) if phase is not Due.NONE else None,
            "priority": task.priority or None,
        },
        url=task.url if task.url.startswith(("https://", "http://")) else "",
    )


@dataclass(frozen=True, slots=True)
class TaskList:
    """A task list behind one address."""

    web: Web
    url: str
    zone: ZoneInfo
    name: str = "tasks"

    def read(self, now: datetime) -> Harvest:
        """Read the list to its end; see the port."""
        tasks: list[Task] = []
        unreadable, error, url = 0, "", self.url
        try:
            for _ in range(MAX_PAGES):
                found, broken, following = _page(self.web.get(url, headers={"Accept": "application/json"}).body)
                tasks += found
                unreadable += broken
                if not following:
                    break
                url = urljoin(url, following)
            else:
                error = "too many pages"
        except OnthoudError as fault:
            error = str(fault)
        return harvest_tasks(self.name, tasks, now, self.zone, unreadable=unreadable, error=error)


def _page(body: bytes) -> tuple[list[Task], int, str]:
    try:
        document = json.loads(body)
    except ValueError:
        raise RetryableError("not JSON") from None
    entries = document.get("tasks") if isinstance(document, Mapping) else document
    if not isinstance(entries, list):
        raise RetryableError("no list of tasks")
    tasks: list[Task] = []
    for entry in entries:
        try:
            tasks.append(_task(entry))
        except PermanentError:
            continue
    following = document.get("next") if isinstance(document, Mapping) else None
    return tasks, len(entries) - len(tasks), str(following or "")


def _task(entry: Any) -> Task:
    if not isinstance(entry, Mapping) or entry.get("id") in (None, ""):
        raise PermanentError("a task without an id")
    return Task(
        id=str(entry["id"]),
        title=str(entry.get("title") or entry["id"]),
        status=str(entry.get("status") or "open"),
        due=day_of(entry.get("due")),
        priority=str(entry.get("priority") or ""),
        url=str(entry.get("url") or ""),
    )


def day_of(value: Any) -> date | None:
    """Read a due date, with or without a time; None for none.

    Raises:
        PermanentError: it is something else.
    """
    if value in (None, ""):
        return None
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        raise PermanentError("a due date is not YYYY-MM-DD") from None
