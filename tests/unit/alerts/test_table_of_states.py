"""The table in docs/alert-log.md, cell by cell: against the code's table, and through the log itself."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from onthoud.errors import Conflict, NotFound
from onthoud.memory.alerts.states import OPERATOR_EVENTS, TABLE, Event, State
from tests.unit.alerts.setting import START, Setting, news, task

PAGE = Path(__file__).parents[3] / "docs" / "alert-log.md"
KEY = "tasks:task:t1"
ENDS = START + timedelta(days=5)
LATER = START + timedelta(days=10)
A = task(ends_at=ENDS)
B = task(ends_at=ENDS, material={"status": "blocked"})


def cells() -> dict[tuple[State, Event], str]:
    """The cells of both tables of the page."""
    found: dict[tuple[State, Event], str] = {}
    columns: list[Event] = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        parts = [part.strip() for part in line.strip().strip("|").split("|")]
        if parts[0] == "state":
            columns = [Event(name) for name in parts[1:]]
        elif len(parts) == len(columns) + 1 and parts[0] in list(State):
            found |= {(State(parts[0]), event): cell for event, cell in zip(columns, parts[1:], strict=True)}
    return found


CELLS = cells()


def expected(state: State, cell: str) -> tuple[State | None, str]:
    if cell == "refused":
        return None, ""
    if cell == ".":
        return state, ""
    name, _, line = cell.partition(": ")
    return State(name), line


def opened(setting: Setting) -> None:
    setting.brief(setting.read(A))


def reopened(setting: Setting) -> None:
    closed(setting)
    setting.brief(setting.read(A))


def closed(setting: Setting) -> None:
    opened(setting)
    setting.brief(setting.read())


def by_hand(act: Callable[[Setting], object]) -> Callable[[Setting], None]:
    def prepare(setting: Setting) -> None:
        opened(setting)
        act(setting)

    return prepare


STATES: dict[State, Callable[[Setting], None]] = {
    State.NONE: lambda setting: None,
    State.OPEN: opened,
    State.REOPENED: reopened,
    State.SNOOZED: by_hand(lambda s: s.log.snooze(KEY, LATER, by="me")),
    State.SNOOZED_UNTIL_CHANGE: by_hand(lambda s: s.log.snooze_until_change(KEY, by="me")),
    State.MUTED: by_hand(lambda s: s.log.mute(KEY, "known", by="me", review_at=LATER)),
    State.RESOLVED: by_hand(lambda s: s.log.resolve(KEY, by="me")),
    State.GONE: by_hand(lambda s: s.observe(s.read())),
    State.CLOSED: closed,
}
HANDS: dict[Event, Callable[[Setting], object]] = {
    Event.SNOOZE: lambda s: s.log.snooze(KEY, LATER, by="me"),
    Event.SNOOZE_UNTIL_CHANGE: lambda s: s.log.snooze_until_change(KEY, by="me"),
    Event.MUTE: lambda s: s.log.mute(KEY, "known", by="me", review_at=LATER),
    Event.RESOLVE: lambda s: s.log.resolve(KEY, by="me"),
    Event.REOPEN: lambda s: s.log.reopen(KEY, by="me"),
}
UNREACHABLE = {
    # Time comes only for snoozes and mutes; what is not shown any more is in `gone` or `closed` by then.
    (state, Event.DUE_GONE)
    for state in (State.OPEN, State.REOPENED, State.SNOOZED_UNTIL_CHANGE, State.RESOLVED)
} | {(state, Event.DUE) for state in (State.NONE, State.GONE, State.CLOSED)}


def meet(setting: Setting, event: Event) -> list[str]:
    """Let the event happen, and return the lines that are due after it."""
    if event in OPERATOR_EVENTS:
        HANDS[event](setting)
        # What is due afterwards is seen in a run that reads nothing.
        return news(setting.observe(setting.read(complete=False, error="down", source="mail")))
    match event:
        case Event.SEEN:
            return news(setting.observe(setting.read(A)))
        case Event.CHANGED:
            return news(setting.observe(setting.read(B)))
        case Event.ABSENT:
            return news(setting.observe(setting.read()))
        case Event.PASSED:
            setting.clock.at = ENDS + timedelta(hours=1)
            return news(setting.observe(setting.read()))
        case Event.NOT_READ:
            return news(setting.observe(setting.read(complete=False, error="down")))
        case Event.DUE:
            setting.clock.at = LATER
            return news(setting.observe(setting.read(A)))
        case Event.DUE_GONE:
            setting.observe(setting.read())
            setting.clock.at = LATER
            return news(setting.observe(setting.read()))
        case _:
            assert event is Event.TOLD
            setting.deliver(setting.observe())
            return news(setting.observe())


def test_the_page_has_a_cell_for_every_state_and_event() -> None:
    assert CELLS.keys() == TABLE.keys()
    assert len(CELLS) == len(State) * len(Event)


@pytest.mark.parametrize(("state", "event"), sorted(CELLS), ids=lambda value: str(value))
def test_the_codes_table_agrees_with_the_page(state: State, event: Event) -> None:
    wanted, _ = expected(state, CELLS[state, event])
    outcome = TABLE[state, event]
    assert (outcome.state if outcome else None) is wanted


@pytest.mark.parametrize(("state", "event"), sorted(CELLS.keys() - UNREACHABLE), ids=lambda value: str(value))
def test_the_log_does_what_the_page_says(state: State, event: Event) -> None:
    setting = Setting()
    STATES[state](setting)
    before = setting.log.get(KEY)
    assert (before.state if before else State.NONE) is state
    wanted, line = expected(state, CELLS[state, event])
    if wanted is None:
        with pytest.raises((Conflict, NotFound)):
            meet(setting, event)
        assert setting.log.get(KEY) == before
        return
    lines = [line for line in meet(setting, event) if KEY in line]
    after = setting.log.get(KEY)
    assert (after.state if after else State.NONE) is wanted
    assert lines == ([f"{line} {KEY}"] if line else [])


def test_what_the_table_calls_unreachable_is_so() -> None:
    """DUE needs a date that only snoozed and muted alerts have."""
    for state in {state for state, _ in UNREACHABLE}:
        setting = Setting()
        STATES[state](setting)
        alert = setting.log.get(KEY)
        assert alert is None or (alert.snoozed_until is None and alert.review_at is None)
