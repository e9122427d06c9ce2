"""Tasks: from a plain list and from Todoist."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from daily_brief.sources.tasks import TaskList
from daily_brief.sources.todoist import API, Todoist
from onthoud.errors import RetryableError
from onthoud.ports.source import Chore, Harvest
from tests.unit.brief.feeds import FixedWeb

URL = "https://tasks.example.com/list"
ZONE = ZoneInfo("Europe/Amsterdam")
NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)


def read(*tasks: dict[str, Any], now: datetime = NOW) -> Harvest:
    return TaskList(FixedWeb({URL: json.dumps({"tasks": tasks}).encode()}), URL, ZONE).read(now)


def task(**fields: Any) -> dict[str, Any]:
    return {"id": "1", "title": "Pay", "status": "open", "due": None, "priority": None, "url": None} | fields


@pytest.mark.parametrize(
    ("due", "phase"),
    [
        (None, None),
        ("2026-12-20", "later"),
        ("2026-12-08", "later"),
        ("2026-12-07", "week"),
        ("2026-12-02", "week"),
        ("2026-12-01", "tomorrow"),
        ("2026-11-30", "today"),
        ("2026-11-29", "overdue"),
        ("2026-12-01T09:00:00+01:00", "tomorrow"),
    ],
)
def test_the_phase_of_a_due_date(due: str | None, phase: str | None) -> None:
    [one] = read(task(due=due)).reading.observations
    assert one.material["due_phase"] == phase


def test_today_is_the_operators_day() -> None:
    late = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)  # already 1 December in Amsterdam
    [one] = read(task(due="2026-12-01"), now=late).reading.observations
    assert one.material["due_phase"] == "today"


def test_only_done_closes_a_task() -> None:
    harvest = read(task(id="1", status="done"), task(id="2", status="blocked"), task(id="3", status="whatever"))
    assert [one.key for one in harvest.reading.observations] == ["tasks:task:2", "tasks:task:3"]


def test_due_and_overdue_tasks_are_for_today() -> None:
    harvest = read(
        task(id="1", title="Later", due="2026-12-09"),
        task(id="2", title="Now", due="2026-11-30"),
        task(id="3", title="Late", due="2026-11-01", status="blocked"),
        task(id="4", title="Done", due="2026-11-01", status="done"),
    )
    assert harvest.chores == (Chore("Late", date(2026, 11, 1), "blocked"), Chore("Now", date(2026, 11, 30), "open"))


def test_an_entry_that_makes_no_sense_is_one_line_and_concludes_nothing() -> None:
    harvest = read(task(), {"title": "no id"}, task(id="2", due="soon"))
    assert [one.key for one in harvest.reading.observations] == ["tasks:task:1", "tasks:unreadable:entries"]
    assert not harvest.reading.complete


def test_pages_are_read_to_the_end() -> None:
    pages = {
        URL: json.dumps({"tasks": [task(id="1")], "next": "/list?page=2"}).encode(),
        "https://tasks.example.com/list?page=2": json.dumps({"tasks": [task(id="2")]}).encode(),
    }
    reading = TaskList(FixedWeb(pages), URL, ZONE).read(NOW).reading
    assert (reading.complete, len(reading.observations)) == (True, 2)


def test_a_page_that_is_missing_makes_the_list_incomplete_and_keeps_what_was_read() -> None:
    web = FixedWeb({URL: json.dumps({"tasks": [task()], "next": "/gone"}).encode()})
    reading = TaskList(web, URL, ZONE).read(NOW).reading
    assert (reading.complete, reading.error, len(reading.observations)) == (False, "status 404", 1)


def test_a_list_without_end_is_incomplete() -> None:
    web = FixedWeb({URL: json.dumps({"tasks": [], "next": URL}).encode()})
    assert TaskList(web, URL, ZONE).read(NOW).reading.error == "too many pages"


@pytest.mark.parametrize("answer", [b"", b"<html>", b'{"tasks": [{"id"', b'{"error": 1}', RetryableError("status 429")])
def test_what_is_no_list_is_a_failure(answer: bytes | Exception) -> None:
    reading = TaskList(FixedWeb({URL: answer}), URL, ZONE).read(NOW).reading
    assert (reading.complete, reading.observations) == (False, ())


def test_an_address_that_is_no_link_is_not_printed_as_one() -> None:
    [one] = read(task(url="javascript:alert(1)")).reading.observations
    assert one.url == ""


def test_todoist_is_read_page_by_page_with_its_token() -> None:
    first = {
        "results": [{"id": "a", "content": "Pay", "priority": 4, "due": {"date": "2026-12-01"}}],
        "next_cursor": "c",
    }
    second = {
        "results": [{"id": "b", "content": "Call", "priority": 1, "due": None}, {"content": "?"}],
        "next_cursor": None,
    }
    web = FixedWeb(
        {
            f"{API}?limit=200": json.dumps(first).encode(),
            f"{API}?limit=200&cursor=c": json.dumps(second).encode(),
        }
    )
    reading = Todoist(web, lambda: "t0ken", ZONE).read(NOW).reading
    found = {one.key: one.material for one in reading.observations}
    assert found["todoist:task:a"] == {
        "status": "open",
        "due": "2026-12-01",
        "due_phase": "tomorrow",
        "priority": "urgent",
    }
    assert found["todoist:task:b"]["priority"] == "low"
    assert not reading.complete  # one entry has no id
    assert {headers["Authorization"] for _, headers in web.asked} == {"Bearer t0ken"}


def test_todoist_that_refuses_is_a_failure() -> None:
    reading = Todoist(FixedWeb({}), lambda: "t", ZONE).read(NOW).reading
    assert (reading.complete, reading.error) == (False, "status 404")
