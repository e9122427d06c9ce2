"""Lines as code writes them: every field, every language."""

from __future__ import annotations

import tomllib
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

import daily_brief.words
from daily_brief.lines import describe
from daily_brief.words import FOLDER, Words
from onthoud.memory.alerts.advance import META
from onthoud.memory.alerts.model import Alert
from onthoud.memory.alerts.news import News, NewsKind
from onthoud.memory.alerts.planning import Line
from onthoud.memory.alerts.states import State
from tests.unit.brief.morning import ZONE

NOW = datetime(2026, 11, 30, tzinfo=UTC)
ENGLISH = Words("en", ZONE, date(2026, 11, 30))


def line(kind: str, material: dict[str, Any], *, before: dict[str, Any] | None = None, **more: Any) -> Line:
    source = more.pop("source", "x")
    alert = Alert(f"{source}:{kind}:1", source, kind, "Title", State.OPEN, "h", material, 1, NOW, NOW, **more)
    return Line(
        "a1",
        NewsKind.UPDATE if before else NewsKind.NEW,
        (News(NewsKind.UPDATE if before else NewsKind.NEW, alert, before),),
    )


TOMORROW = {"due": "2026-12-01", "due_phase": "tomorrow"}


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (line("task", {"status": "open", "due": "2027-01-05", "due_phase": "later", "priority": None}),
         "task: Title (status: open; due: Tuesday 5 January 2027, in more than a week)"),
        (line("task", TOMORROW, before={"due": "2026-12-01", "due_phase": "week"}),
         "task: Title (due: within a week → tomorrow (Tuesday 1 December))"),
        (line("task", TOMORROW, before={"due": None, "due_phase": None}),
         "task: Title (due: none → Tuesday 1 December, tomorrow)"),
        (line("event", {"start": "2026-12-01T17:00:00+00:00", "end": "2026-12-01T18:30:00+00:00", "place": "Hall"}),
         "appointment: Title (when: Tuesday 1 December 18:00–19:30; place: Hall)"),
        (line("event", {"start": "2026-12-01T22:00:00+00:00", "end": "2026-12-02T01:00:00+00:00"}),
         "appointment: Title (when: Tuesday 1 December 23:00 – Wednesday 2 December 02:00)"),
        (line("event", {"start": "2026-12-01", "end": "2026-12-02"}), "appointment: Title (when: Tuesday 1 December)"),
        (line("series", {"rule": "FREQ=WEEKLY;BYDAY=MO", "clock": "09:00", "minutes": 30, "place": None}),
         "repeating appointment: Title (rhythm: weekly [BYDAY=MO]; time: 09:00; minutes: 30)"),
        (line("taken-out", {"taken_out": True}, data={"start": "2026-12-07"}),
         "taken out of the calendar: Title (Monday 7 December)"),
        (line("dead-letters", {"depth": 2}, data={"depth": 14}), "dead letters: Title (waiting: 14)"),
        (line("dead-letters", {"depth": 2}, data={"depth": 14}, before={"depth": 1}),
         "dead letters: Title (waiting: 14)"),
        (line("message", {"state": "received"}, data={"sender": "Ana"}), "mail: Title (from Ana)"),
        (line("unread", {"unread": True}, source=META, data={"source": "tasks"}), "tasks could not be read"),
        (line("unheard-of", {"state": "x"}), "alert: Title"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_line_in_english(made: Line, said: str) -> None:
    assert describe(made, ENGLISH) == said


def tables() -> dict[str, dict[str, Any]]:
    return {path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.toml"))}


def shape(value: Any) -> Any:
    """Which phrases there are, and which values each of them takes."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return "list"
    import string

    return {field for _, field, _, _ in string.Formatter().parse(str(value)) if field}


@pytest.mark.parametrize("language", sorted(tables().keys() - {"en"}))
def test_every_language_has_every_phrase_with_the_same_values(language: str) -> None:
    def without_dates(table: dict[str, Any]) -> Any:
        return shape({name: value for name, value in table.items() if name not in {"full_date", "short_date"}})

    assert without_dates(tables()[language]) == without_dates(tables()["en"])
    assert len(tables()[language]["weekdays"]) == 7
    assert len(tables()[language]["months"]) == 12


@pytest.mark.parametrize("language", sorted(tables()))
def test_a_date_names_its_weekday_in_every_language(language: str) -> None:
    words = Words(language, ZONE, date(2026, 11, 30))
    for day in (date(2026, 11, 30), date(2027, 3, 28)):
        assert words.list("weekdays")[day.weekday()] in words.full_date(day)
        assert str(day.day) in words.full_date(day)
        assert str(day.year) in words.full_date(day)


def test_the_tables_travel_with_the_function() -> None:
    assert Path(daily_brief.words.__file__).parent in FOLDER.parents
