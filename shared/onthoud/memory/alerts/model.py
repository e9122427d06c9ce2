"""What an alert is, and what a source says. Frozen data, no behaviour beyond reading itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from onthoud.errors import PermanentError
from onthoud.memory.alerts.fingerprint import Scalar
from onthoud.memory.alerts.phases import Amount
from onthoud.memory.alerts.states import LIVE, Announce, State

_WORD = re.compile(r"[a-z][a-z0-9_-]{0,39}")


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing that a source shows.

    Attributes:
        source, kind, subject: its identity. `source:kind:subject` is the key, never a model's wording.
        title: how a person recognises it.
        material: the fields whose change is news. The rest below can never cause a line.
        amounts: further material fields, compared by the steps of a ladder.
        declaration: version of the set of material fields (see `fingerprint`).
        group, group_title: alerts of one group are told in one line ("one outage is one line").
        data: what is shown beside the title, as raw values that code formats.
        ends_at: when it is over by itself; gone after that, it closes silently.
        about: the partition of the customer whom it concerns, so that erasing the customer finds it.
    """

    source: str
    kind: str
    subject: str
    title: str
    material: Mapping[str, Scalar]
    amounts: Mapping[str, Amount] = field(default_factory=dict)
    declaration: int = 1
    summary: str = ""
    url: str = ""
    group: str = ""
    group_title: str = ""
    data: Mapping[str, Scalar] = field(default_factory=dict)
    ends_at: datetime | None = None
    about: str = ""

    def __post_init__(self) -> None:
        """Refuse an observation without identity."""
        for name in (self.source, self.kind):
            if not _WORD.fullmatch(name):
                raise PermanentError("a source and a kind are words of a-z, 0-9, _ and -")
        if not self.subject or not self.title:
            raise PermanentError(f"an observation of {self.source} lacks its subject or title")
        if not self.material and not self.amounts:
            raise PermanentError(f"an observation of {self.source} declares no material field")

    @property
    def key(self) -> str:
        """The alert's identity."""
        return f"{self.source}:{self.kind}:{self.subject}"


@dataclass(frozen=True, slots=True)
class Reading:
    """What one source said at one time. Only a complete reading can say that something is gone.

    Attributes:
        error: why it was not read, or not completely; a class or status, never content. A reading that is neither
            complete nor failed only adds: it says nothing of what it does not show.
    """

    source: str
    read_at: datetime
    complete: bool
    observations: tuple[Observation, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class Reported:
    """What one audience was last told of an alert.

    Attributes:
        hash, material: the state that was told.
        closed: it was told that the alert is resolved.
        seq: the announcement (`Alert.seq`) that was told.
        run: the brief that told it.
        reminders: how many reminders were told.
    """

    hash: str
    material: Mapping[str, Scalar]
    at: datetime
    run: str
    closed: bool = False
    seq: int = 0
    reminders: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of an alert's history: what happened, when, by whom."""

    at: datetime
    what: str
    by: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that may be told, and what has been told of it.

    `note` and `owner`, the snooze and the mute are a person's; no reading ever changes them. `reported` is what each
    audience has surely been told, `unsure` what it was sent with an outcome that nobody knows.
    """

    key: str
    source: str
    kind: str
    title: str
    state: State
    hash: str
    material: Mapping[str, Scalar]
    declaration: int
    first_seen: datetime
    changed_at: datetime
    summary: str = ""
    url: str = ""
    group: str = ""
    group_title: str = ""
    data: Mapping[str, Scalar] = field(default_factory=dict)
    ends_at: datetime | None = None
    about: str = ""
    present: bool = True
    absent_in: tuple[str, ...] = ()
    announce: Announce = Announce.NONE
    seq: int = 0
    times: int = 1
    surfaced_at: datetime | None = None
    resolved_at: datetime | None = None
    resolved_by: str = ""
    snoozed_until: datetime | None = None
    mute_reason: str = ""
    review_at: datetime | None = None
    note: str = ""
    owner: str = ""
    reported: Mapping[str, Reported] = field(default_factory=dict)
    unsure: Mapping[str, Reported] = field(default_factory=dict)
    history: tuple[Entry, ...] = ()
    version: int = 0

    @property
    def live(self) -> bool:
        """Whether it is open, snoozed, muted or resolved by hand: never trimmed."""
        return self.state in LIVE


@dataclass(frozen=True, slots=True)
class SourceState:
    """What the log remembers of a source. `failing_since` is set while it cannot be read completely."""

    read_at: datetime | None = None
    tried_at: datetime | None = None
    complete: bool = False
    error: str = ""
    failing_since: datetime | None = None
    held: int = 0


@dataclass(frozen=True, slots=True)
class Rules:
    """The settings of a log.

    Attributes:
        audiences: who is told, each `recipient/channel`; others' memories are left alone.
        resolve_after: complete readings without it until an alert counts as gone.
        remind_after_days: ages at which a silent open alert is told again; none by default.
        hold_over, hold_percent: a reading that would resolve more than so many, and more than this share of the
            source's alerts, is held and told.
        group_from: alerts of one group are one line from this many on.
        lump_over: more lines than this of one source and kind of news become one.
        closed_kept: how many closed alerts keep their details.
        tombstone_days: how long a closed alert is recognised when it comes back.
        review_days: when a mute is asked about, unless it names a date.
        history_kept: entries of an alert's history (the first one always stays).
    """

    audiences: tuple[str, ...]
    resolve_after: int = 1
    remind_after_days: tuple[int, ...] = ()
    hold_over: int = 10
    hold_percent: int = 50
    group_from: int = 3
    lump_over: int = 100
    closed_kept: int = 100
    tombstone_days: int = 400
    review_days: int = 90
    history_kept: int = 40

    @property
    def tombstone_life(self) -> timedelta:
        """How long a tombstone lives."""
        return timedelta(days=self.tombstone_days)
