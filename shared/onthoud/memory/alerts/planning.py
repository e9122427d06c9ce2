"""The plan of a brief: what is printed, what is not, and how far the sources were read. Pure and repeatable."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from onthoud.memory.alerts.fingerprint import Scalar
from onthoud.memory.alerts.model import Alert, Rules, SourceState
from onthoud.memory.alerts.news import News, NewsKind, news_of, reminders_due
from onthoud.memory.alerts.states import SHOWN, State

_ORDER = {kind: position for position, kind in enumerate(NewsKind)}


@dataclass(frozen=True, slots=True)
class Telling:
    """What will be remembered as told once the brief is delivered: enough to commit without reading anything else."""

    key: str
    kind: NewsKind
    hash: str
    material: Mapping[str, Scalar]
    seq: int
    closed: bool
    reminders: int


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the brief: one alert's news, or those of a whole group.

    Attributes:
        ref: its name in this plan (`a1`, `a2`, ...); what the model is given instead of keys.
        title: set for a group only.
        total: how many of the group are open in all.
    """

    ref: str
    kind: NewsKind
    news: tuple[News, ...]
    title: str = ""
    total: int = 0


@dataclass(frozen=True, slots=True)
class Counts:
    """The trust line's numbers: `open` = `told` + `unchanged` + `snoozed`."""

    open: int = 0
    told: int = 0
    unchanged: int = 0
    snoozed: int = 0
    muted: int = 0
    resolved: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """What one audience is to be told in one run."""

    audience: str
    run: str
    made_at: datetime
    lines: tuple[Line, ...]
    tellings: tuple[Telling, ...]
    counts: Counts
    sources: Mapping[str, SourceState]

    @property
    def id(self) -> str:
        """A name for exactly these tellings."""
        facts = [self.audience, self.run, *([t.key, str(t.kind), t.hash, str(t.seq)] for t in self.tellings)]
        return hashlib.sha256(json.dumps(facts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def plan(
    alerts: Iterable[Alert],
    sources: Mapping[str, SourceState],
    audience: str,
    run: str,
    now: datetime,
    rules: Rules,
) -> Plan:
    """Decide what `audience` is told. Changes nothing, and gives the same answer for the same input."""
    shown: Counter[str] = Counter()
    states: Counter[State] = Counter()
    found: list[News] = []
    for alert in alerts:
        states[alert.state] += alert.present or alert.state in SHOWN
        if alert.group and alert.state in SHOWN:
            shown[alert.group] += 1
        news = news_of(alert, audience, now, rules)
        if isinstance(news, News):
            found.append(news)
    found.sort(key=lambda news: (_ORDER[news.kind], news.alert.source, news.alert.first_seen, news.alert.key))
    return Plan(
        audience=audience,
        run=run,
        made_at=now,
        lines=tuple(_lines(found, shown, rules)),
        tellings=tuple(telling(news, now, rules) for news in found),
        counts=_counts(found, states),
        sources=dict(sources),
    )


def telling(news: News, now: datetime, rules: Rules) -> Telling:
    """Return what is remembered once this news is told."""
    alert = news.alert
    return Telling(
        key=alert.key,
        kind=news.kind,
        hash=alert.hash,
        material=alert.material,
        seq=alert.seq,
        closed=news.kind is NewsKind.RESOLVED,
        reminders=reminders_due(alert, now, rules),
    )


def _counts(found: list[News], states: Counter[State]) -> Counts:
    shown = states[State.OPEN] + states[State.REOPENED]
    snoozed = states[State.SNOOZED] + states[State.SNOOZED_UNTIL_CHANGE]
    told = sum(1 for news in found if news.alert.state in SHOWN)
    return Counts(
        open=shown + snoozed,
        told=told,
        unchanged=shown - told,
        snoozed=snoozed,
        muted=states[State.MUTED],
        resolved=sum(1 for news in found if news.kind is NewsKind.RESOLVED),
    )


def _lines(found: list[News], shown: Counter[str], rules: Rules) -> Iterable[Line]:
    groups: dict[tuple[str, ...], list[News]] = defaultdict(list)
    lumps = Counter((news.kind, news.alert.source, news.alert.kind) for news in found if not news.alert.group)
    for news in found:
        groups[_group_of(news, lumps, rules)].append(news)
    number = 0
    for name, members in groups.items():
        together = name[0] == "lump" or (name[0] == "group" and _large(members, shown, rules))
        for part in [members] if together else [[one] for one in members]:
            number += 1
            first = part[0]
            if not together:
                yield Line(f"a{number}", first.kind, (first,))
                continue
            total = max(len(part), shown[first.alert.group]) if name[0] == "group" else len(part)
            yield Line(f"a{number}", first.kind, tuple(part), first.alert.group_title or first.alert.title, total)


def _group_of(news: News, lumps: Mapping[tuple[NewsKind, str, str], int], rules: Rules) -> tuple[str, ...]:
    alert = news.alert
    if alert.group:
        return ("group", str(news.kind), alert.source, alert.group)
    if lumps[news.kind, alert.source, alert.kind] > rules.lump_over:
        return ("lump", str(news.kind), alert.source, alert.kind)
    return ("one", alert.key)


def _large(members: list[News], shown: Counter[str], rules: Rules) -> bool:
    return max(len(members), shown[members[0].alert.group]) >= rules.group_from
