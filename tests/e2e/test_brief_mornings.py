"""The daily brief on the local stack: the real template, the schedule, the real sources over sockets."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from infra.local.harness import LocalStack, start_stack

pytestmark = pytest.mark.stack

MAIL = (
    "From: Ana <ana@example.com>\r\nSubject: {subject}\r\nDate: Sun, 29 Nov 2026 10:00:00 +0100\r\n"
    "Message-ID: <{subject}@example.com>\r\nContent-Type: text/plain; charset={charset}\r\n\r\n{body}"
)
NO_EVENTS = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nEND:VCALENDAR\r\n"
DAY_S = 86_400
_ids = itertools.count(1)


def mail(subject: str, body: str = "Words.", charset: str = "utf-8") -> str:
    return MAIL.format(subject=subject, body=body, charset=charset)


def roof(**changes: Any) -> dict[str, Any]:
    """A task that no other test has."""
    task = {"title": "Repair the roof", "status": "open", "due": None, "priority": "high", "url": None}
    return {"id": f"roof-{next(_ids)}"} | task | changes


@pytest.fixture(scope="module")
def running() -> Iterator[LocalStack]:
    with start_stack() as stack:
        yield stack


@pytest.fixture
def stack(running: LocalStack) -> LocalStack:
    """The stack on a morning when nothing is open and nothing is scripted."""
    running.script()
    running.faults()
    running.source("mail", {"messages": []})
    running.source("calendar", NO_EVENTS)
    running.source("tasks", {"tasks": []})
    while True:
        running.run_schedule("daily-brief")
        next_morning(running)
        alerts = [one for one in cli(running, "alerts", "list") if one["source"] != "onthoud"]
        if not alerts:
            break
        for key in [one["key"] for one in alerts if one["key"].startswith("log:held:")]:
            cli(running, "alerts", "resolve", key)  # it is true: what other tests had there is gone
    running.call("DELETE", "/local/model/calls")
    return running


def brief(stack: LocalStack) -> str:
    """Run the schedule by hand; returns the text of the one brief that it delivered."""
    before = len(stack.deliveries("brief"))
    answer = stack.run_schedule("daily-brief")
    assert answer["status"] == "succeeded", answer
    [sent] = stack.deliveries("brief")[before:]
    return str(sent["text"])


def changes(text: str) -> list[str]:
    _, _, part = text.partition("## What changed\n")
    return [line for line in part.split("\n\n")[0].split("\n") if line]


def next_morning(stack: LocalStack) -> None:
    stack.advance(DAY_S)
    stack.call("DELETE", "/local/deliveries")


def cli(stack: LocalStack, *args: str) -> Any:
    answer = stack.cli(*args, "--json")
    assert answer["exit_code"] == 0, answer
    return json.loads(answer["stdout"])


# First those that let the schedules run by themselves: whatever came due before runs then, too.


def test_the_schedule_runs_by_itself_once_a_local_day(stack: LocalStack) -> None:
    task = roof()
    stack.source("tasks", {"tasks": [task]})
    stack.advance(3 * DAY_S)
    stack.drain()
    names = [one["in_reply_to"] for one in stack.deliveries("brief")]
    assert len(names) == 3 == len(set(names))
    assert [bool(changes(one["text"])) for one in stack.deliveries("brief")] == [True, False, False]


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_crash_while_sending_costs_a_delay_at_most(stack: LocalStack, when: str) -> None:
    task = roof()
    stack.source("tasks", {"tasks": [task]})
    stack.faults({"target": "channel", "operation": "send", "kind": "crash", "when": when, "after": 0, "times": 1})
    stack.run_schedule("daily-brief")
    stack.advance(1_200)
    stack.drain()
    [sent] = stack.deliveries("brief")
    assert len(changes(sent["text"])) == 1
    next_morning(stack)
    assert "nothing new" in brief(stack)


def test_four_mornings(stack: LocalStack) -> None:
    task = roof()
    stack.source("tasks", {"tasks": [task]})
    first = brief(stack)
    assert changes(first) == ["- **NEW** task: Repair the roof (status: open; priority: high)"]
    assert all(f"{source} " in first for source in ("mail", "calendar", "tasks", "onthoud"))
    next_morning(stack)
    assert "nothing new" in brief(stack)
    next_morning(stack)
    stack.source("tasks", {"tasks": [task | {"status": "blocked"}]})
    assert changes(brief(stack)) == ["- **UPDATE** task: Repair the roof (status: open → blocked)"]
    next_morning(stack)
    stack.source("tasks", {"tasks": [task | {"status": "done"}]})
    assert changes(brief(stack)) == ["- **RESOLVED** task: Repair the roof"]
    assert len([call for call in stack.model_calls() if call["purpose"] == "brief"]) == 3


def test_fired_twice_on_one_date_delivers_once_and_asks_the_model_once(stack: LocalStack) -> None:
    task = roof()
    stack.source("tasks", {"tasks": [task]})
    for _ in range(2):
        assert stack.run_schedule("daily-brief")["status"] == "succeeded"
    [sent] = stack.deliveries("brief")
    day = datetime.fromisoformat(stack.now).date()
    assert sent["in_reply_to"].startswith(f"daily-brief/{day.year}-")
    assert len([call for call in stack.model_calls() if call["purpose"] == "brief"]) == 1
    [decision] = stack.decisions(sent["in_reply_to"])
    assert (decision["bot"], decision["outcome"]) == ("daily_brief", "replied")
    assert min(decision["reads"], decision["writes"]) > 0


def test_one_bad_mail_is_one_line_and_nine_others_are_read(stack: LocalStack) -> None:
    good = [mail(f"Good-{letter}") for letter in "abcdefghi"]
    stack.source("mail", {"messages": [*good[:5], mail("Bad", charset="x-no-such"), *good[5:]]})
    lines = changes(brief(stack))
    assert len(lines) == 10
    assert sum("could not read" in line for line in lines) == 1
    assert all(any(f"Good-{letter}" in line for line in lines) for letter in "abcdefghi")


@pytest.mark.parametrize("fails", ["500", "partial", "empty", "timeout"])
def test_a_source_that_fails_resolves_nothing(stack: LocalStack, fails: str) -> None:
    tasks = [roof(title=f"Task-{number}") for number in range(20)]
    stack.source("tasks", {"tasks": tasks})
    brief(stack)
    next_morning(stack)
    stack.source("tasks", {"fails": fails})
    failed = brief(stack)
    assert "RESOLVED" not in failed
    assert len(changes(failed)) == 1
    assert ("held" in failed) if fails == "empty" else ("tasks FAILED" in failed)
    next_morning(stack)
    stack.source("tasks", {"tasks": tasks})
    assert [line for line in changes(brief(stack)) if "Task-" in line] == []


@pytest.mark.parametrize("fails", ["partial", "empty"])
def test_a_mailbox_that_fails_resolves_nothing(stack: LocalStack, fails: str) -> None:
    stack.source("mail", {"messages": [mail(f"Matter-{number}", f"body {number}") for number in range(12)]})
    brief(stack)
    next_morning(stack)
    stack.source("mail", {"fails": fails})
    assert "RESOLVED" not in brief(stack)


def test_the_calendar_is_read_in_the_operators_zone(stack: LocalStack) -> None:
    local = datetime.fromisoformat(stack.now)
    day = f"{local:%Y%m%d}"
    feed = (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n"
        f"BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Fair\r\nDTSTART;VALUE=DATE:{day}\r\nEND:VEVENT\r\n"
        f"BEGIN:VEVENT\r\nUID:2\r\nSUMMARY:Dinner\r\nDTSTART;TZID=Europe/Amsterdam:{day}T183000\r\n"
        "DURATION:PT2H\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    stack.source("calendar", feed)
    text = brief(stack)
    assert "- All day: Fair" in text
    assert "- 18:30–20:30 Dinner" in text


def test_the_operators_hand_holds_across_mornings(stack: LocalStack) -> None:
    task = roof()
    stack.source("tasks", {"tasks": [task]})
    brief(stack)
    [alert] = [one for one in cli(stack, "alerts", "list") if one["source"] == "tasks"]
    assert (alert["key"], alert["state"]) == (f"tasks:task:{task['id']}", "open")
    assert cli(stack, "alerts", "snooze", alert["key"], "--until", "change")["state"] == "snoozed"
    next_morning(stack)
    text = brief(stack)
    assert ", 1 snoozed; mail " in text
    assert "roof" not in text
    next_morning(stack)
    stack.source("tasks", {"tasks": [task | {"status": "blocked"}]})
    assert len(changes(brief(stack))) == 1
    assert "told new" in "\n".join(cli(stack, "alerts", "explain", alert["key"])["history"])
    found = {one["key"]: one["now"] for one in cli(stack, "alerts", "why-not", "roof")}
    assert "unchanged since" in found[alert["key"]]["operator/channel"]


@pytest.mark.parametrize(
    "script",
    [
        {"text": "All is well. Nothing to do. The roof was repaired at 15:00."},
        {"json": {"items": []}},
        {"json": {"items": [{"id": "a1", "text": "due tomorrow at 15:00"}]}},
        {"raw": "not json"},
        {"stop_reason": "max_tokens", "text": "x"},
        {"status": 529},
    ],
    ids=lambda script: next(iter(script)),
)
def test_the_model_cannot_break_the_brief(stack: LocalStack, script: dict[str, Any]) -> None:
    task = roof()
    stack.source("tasks", {"tasks": [task]})
    stack.script(script)
    assert changes(brief(stack)) == ["- **NEW** task: Repair the roof (status: open; priority: high)"]
