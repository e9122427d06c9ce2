"""The states of an alert, the events that it meets, and the table of what follows.

`docs/alert-log.md` shows the same table to people; a test holds the two together, cell by cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from onthoud.errors import Conflict


class State(StrEnum):
    """Where an alert stands. A person reads the word before the first dash: `snoozed-until-change` is snoozed."""

    NONE = "none"
    """Never seen, or forgotten when its tombstone ended."""
    OPEN = "open"
    REOPENED = "reopened"
    """Open again after it was closed."""
    SNOOZED = "snoozed"
    """Silent until a time, whatever changes."""
    SNOOZED_UNTIL_CHANGE = "snoozed-until-change"
    MUTED = "muted"
    """Silent until a person says otherwise; survives the alert itself."""
    RESOLVED = "resolved"
    """Resolved by hand while the source still shows it: silent until it changes, or is gone and comes back."""
    GONE = "gone"
    """Gone in a complete reading; those who were told of it are owed one word."""
    CLOSED = "closed"
    """Over, and nobody is owed a word. Kept as a tombstone."""


class Event(StrEnum):
    """What can happen to an alert."""

    SEEN = "seen"
    """The source shows it as it was."""
    CHANGED = "changed"
    """The source shows it with another material value."""
    ABSENT = "absent"
    """A complete reading no longer shows it."""
    PASSED = "passed"
    """A complete reading no longer shows it, and its own end has passed."""
    NOT_READ = "not-read"
    """The source failed, was read in part, or its reading is held."""
    DUE = "due"
    """The snooze's time, or the mute's review date, has come, and the source still shows it."""
    DUE_GONE = "due-gone"
    """The same, but the source no longer shows it."""
    TOLD = "told"
    """Everybody who was owed a word has it."""
    SNOOZE = "snooze"
    SNOOZE_UNTIL_CHANGE = "snooze-until-change"
    MUTE = "mute"
    RESOLVE = "resolve"
    REOPEN = "reopen"
    """A person ends a snooze, a mute or a resolution."""


class Announce(StrEnum):
    """A line that is due once because of the transition itself, whether or not a material value changed."""

    NONE = ""
    REOPENED = "reopened"
    SNOOZE_ENDED = "snooze-ended"
    MUTE_REVIEW = "mute-review"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The cell of the table: the next state, and what is to be announced."""

    state: State
    announce: Announce = Announce.NONE


OPERATOR_EVENTS = frozenset({Event.SNOOZE, Event.SNOOZE_UNTIL_CHANGE, Event.MUTE, Event.RESOLVE, Event.REOPEN})
SHOWN = frozenset({State.OPEN, State.REOPENED})
SILENT = frozenset({State.SNOOZED, State.SNOOZED_UNTIL_CHANGE, State.MUTED, State.RESOLVED})
LIVE = SHOWN | SILENT
"""The states in which an alert is never trimmed."""

_S = State
_STAYS = "stays"
_REFUSED = "refused"

# Rows: states; columns, in the order of `_COLUMNS`. `_STAYS` is the state itself, `_REFUSED` an operator's error.
_COLUMNS = (
    Event.SEEN, Event.CHANGED, Event.ABSENT, Event.PASSED, Event.NOT_READ, Event.DUE, Event.DUE_GONE, Event.TOLD,
    Event.SNOOZE, Event.SNOOZE_UNTIL_CHANGE, Event.MUTE, Event.RESOLVE, Event.REOPEN,
)  # fmt: skip
_Cell = State | Outcome | str
_BACK = Outcome(_S.REOPENED, Announce.REOPENED)
_WOKEN = Outcome(_S.OPEN, Announce.SNOOZE_ENDED)
_REVIEW = Outcome(_S.MUTED, Announce.MUTE_REVIEW)
_BY_HAND: tuple[_Cell, ...] = (_S.SNOOZED, _S.SNOOZED_UNTIL_CHANGE, _S.MUTED, _S.RESOLVED)
_UNKNOWN: tuple[_Cell, ...] = (_REFUSED,) * 5
_ROWS: dict[State, tuple[_Cell, ...]] = {
    _S.NONE: (_S.OPEN, _S.OPEN, _STAYS, _STAYS, _STAYS, _STAYS, _STAYS, _STAYS, *_UNKNOWN),
    _S.OPEN: (_STAYS, _STAYS, _S.GONE, _S.CLOSED, _STAYS, _STAYS, _STAYS, _STAYS, *_BY_HAND, _STAYS),
    _S.REOPENED: (_STAYS, _STAYS, _S.GONE, _S.CLOSED, _STAYS, _STAYS, _STAYS, _STAYS, *_BY_HAND, _STAYS),
    _S.SNOOZED: (_STAYS, _STAYS, _STAYS, _S.CLOSED, _STAYS, _WOKEN, _S.CLOSED, _STAYS, *_BY_HAND, _S.OPEN),
    _S.SNOOZED_UNTIL_CHANGE: (_STAYS, _S.OPEN, _S.GONE, _S.CLOSED, _STAYS, _STAYS, _STAYS, _STAYS, *_BY_HAND, _S.OPEN),
    _S.MUTED: (_STAYS, _STAYS, _STAYS, _STAYS, _STAYS, _REVIEW, _REVIEW, _STAYS, *_BY_HAND, _S.OPEN),
    _S.RESOLVED: (_STAYS, _S.OPEN, _S.CLOSED, _S.CLOSED, _STAYS, _STAYS, _STAYS, _STAYS, *_BY_HAND, _S.OPEN),
    # Gone and back before anybody was told: for them nothing happened, unless it came back changed.
    _S.GONE: (_S.OPEN, _S.OPEN, _STAYS, _STAYS, _STAYS, _STAYS, _STAYS, _S.CLOSED,
              _REFUSED, _REFUSED, _S.MUTED, _S.CLOSED, _REFUSED),
    _S.CLOSED: (_BACK, _BACK, _STAYS, _STAYS, _STAYS, _STAYS, _STAYS, _STAYS,
                _REFUSED, _REFUSED, _S.MUTED, _STAYS, _REFUSED),
}  # fmt: skip


def _outcome(state: State, cell: _Cell) -> Outcome | None:
    if isinstance(cell, Outcome):
        return cell
    if cell == _REFUSED:
        return None
    return Outcome(state) if cell == _STAYS else Outcome(State(cell))


TABLE: dict[tuple[State, Event], Outcome | None] = {
    (state, event): _outcome(state, cell)
    for state, row in _ROWS.items()
    for event, cell in zip(_COLUMNS, row, strict=True)
}
"""Every state and every event; None where an operator's action makes no sense and is refused."""


def follow(state: State, event: Event) -> Outcome:
    """Return what follows when `event` meets an alert in `state`.

    Raises:
        Conflict: an operator's action that makes no sense in that state.
    """
    outcome = TABLE[state, event]
    if outcome is None:
        raise Conflict(f"an alert that is {state} cannot be met with {event}")
    return outcome
