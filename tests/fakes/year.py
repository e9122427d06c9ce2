"""A simulated stretch of an operator's life, from a seed, with its own record of the truth.

The world has three sources. Things appear, change, pass and go; sources fail, or answer with next to nothing as if
that were all; the schedule fires twice; the operator snoozes and resolves. `Truth` says by itself, from the world and
not from the log, which lines each brief owes; `Year` plays the days through the real brief and counts what differs.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from daily_brief.sources.tasks import Task, harvest_tasks
from onthoud.memory.alerts.model import Observation, Reading, Rules
from onthoud.ports.source import Harvest
from tests.unit.brief.morning import ZONE, Mornings

START = date(2026, 9, 1)  # so that both changes of clocks lie inside
SOURCES = ("mail", "calendar", "tasks")
_LINE = re.compile(r"^- \*\*([A-Z ]+)\*\* (.+)$", re.MULTILINE)
_KEYS = {"m": "mail:message:", "c": "calendar:event:", "t": "tasks:task:"}


@dataclass
class Thing:
    """Something in the world. `value` is what makes a change of it news, beside the passing of time."""

    name: str
    source: str
    born: date
    goes: date
    value: tuple[Any, ...] = ()
    due: date | None = None
    ends: datetime | None = None

    def seen(self, today: date) -> tuple[Any, ...]:
        """What a reader of this day would call its state."""
        return (*self.value, self.due, _phase(self.due, today))


def _phase(due: date | None, today: date) -> str:
    """The truth's own idea of phases, on purpose not the code's."""
    if due is None:
        return ""
    days = (due - today).days
    return "late" if days < 0 else ("now", "next")[days] if days < 2 else "soon" if days < 8 else "far"


@dataclass
class World:
    """What is really there."""

    random: random.Random
    things: dict[str, Thing] = field(default_factory=dict)
    gone: list[Thing] = field(default_factory=list)
    born: int = 0

    def live(self, today: date) -> None:
        """Let one day come: what is over goes, some things change, new ones appear, some old ones come back."""
        for name, thing in list(self.things.items()):
            if thing.goes <= today:
                self.gone.append(self.things.pop(name))
            else:
                self._change(thing, today)
        for _ in range(self.random.randint(8, 16)):
            self._appear("m", "mail", today, days=self.random.randint(1, 20))
        for _ in range(self.random.randint(4, 9)):
            due = today + timedelta(days=self.random.randint(0, 25)) if self.random.random() < 0.6 else None
            self._appear("t", "tasks", today, days=self.random.randint(2, 30), value=("open",), due=due)
        for _ in range(self.random.randint(1, 5)):
            self._appoint(today)
        if self.gone and self.random.random() < 0.4:
            self._come_back(today)

    def _appear(self, letter: str, source: str, today: date, *, days: int, **more: Any) -> Thing:
        self.born += 1
        name = f"{letter}{self.born}"
        thing = Thing(name, source, today, today + timedelta(days=days), **more)
        self.things[name] = thing
        return thing

    def _appoint(self, today: date) -> None:
        start = datetime.combine(today + timedelta(days=self.random.randint(1, 20)), time(10), ZONE)
        thing = self._appear("c", "calendar", today, days=100, value=(start,))
        thing.ends = start + timedelta(hours=1)
        thing.goes = thing.ends.date() + timedelta(days=1)
        if self.random.random() < 0.15:  # cancelled before it takes place
            thing.goes = today + timedelta(days=self.random.randint(1, max(1, (start.date() - today).days)))

    def _change(self, thing: Thing, today: date) -> None:
        if thing.source == "tasks" and self.random.random() < 0.06:
            thing.value = (self.random.choice(["open", "blocked", "waiting", "review"]),)
        if thing.source == "tasks" and thing.due is not None and self.random.random() < 0.02:
            thing.due = today + timedelta(days=self.random.randint(0, 20))
        if thing.source == "calendar" and self.random.random() < 0.04 and thing.goes > today + timedelta(days=2):
            start = thing.value[0] + timedelta(hours=self.random.choice([1, 2, -1]))
            thing.value, thing.ends = (start,), start + timedelta(hours=1)

    def _come_back(self, today: date) -> None:
        thing = self.gone.pop(self.random.randrange(len(self.gone)))
        if thing.source != "calendar" and thing.goes > today - timedelta(days=300):
            thing.goes = today + timedelta(days=self.random.randint(2, 15))
            self.things[thing.name] = thing


@dataclass
class Truth:
    """What the reader knows, and so what each brief owes. Knows nothing of the log."""

    known: dict[str, tuple[Any, ...] | None] = field(default_factory=dict)
    ends: dict[str, datetime | None] = field(default_factory=dict)
    snoozed: dict[str, datetime] = field(default_factory=dict)
    asleep_and_gone: set[str] = field(default_factory=set)
    dismissed: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    failing: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)

    def owed(self, now: datetime, today: date, shown: dict[str, dict[str, Thing] | None]) -> set[tuple[str, str]]:
        """Return (label, name) of each line that this brief owes. `shown` is None for a source that failed."""
        lines: set[tuple[str, str]] = set()
        for source in SOURCES:
            things = shown[source]
            if things is None:
                if source not in self.failing:
                    lines.add(("NEW", source))
                    self.failing.add(source)
                continue
            if source in self.failing:
                self.failing.discard(source)
                lines.add(("RESOLVED", source))
            lines |= self._visible(things, today)
            lines |= self._missing(source, things, now)
        lines |= self._woken(now, shown)
        return lines

    def _visible(self, things: dict[str, Thing], today: date) -> Iterator[tuple[str, str]] | set[tuple[str, str]]:
        lines = set()
        for name, thing in things.items():
            value, self.ends[name] = thing.seen(today), thing.ends
            self.asleep_and_gone.discard(name)
            if name in self.snoozed:
                continue
            if name in self.dismissed:
                if self.dismissed[name] == value:
                    continue
                del self.dismissed[name]
            if name not in self.known:
                lines.add(("NEW", name))
            elif self.known[name] is None:
                lines.add(("REOPENED", name))
            elif self.known[name] != value:
                lines.add(("UPDATE", name))
            self.known[name] = value
        return lines

    def _missing(self, source: str, things: dict[str, Thing], now: datetime) -> set[tuple[str, str]]:
        mine = {name for name in self.known if _source(name) == source and self.known[name] is not None}
        absent = mine - things.keys()
        going = [name for name in absent if not self._over(name, now)]
        if len(going) > 10 and len(going) * 2 > len(mine):
            newly = source not in self.held
            self.held.add(source)
            return {("NEW", f"{source}:")} if newly else set()
        lines = set()
        if source in self.held:
            self.held.discard(source)
            lines.add(("RESOLVED", f"{source}:"))
        for name in absent:
            if name in self.snoozed and not self._over(name, now):
                self.asleep_and_gone.add(name)
                continue  # silent until its time, whatever happens
            silent = self._over(name, now) or name in self.dismissed or name in self.snoozed
            self.dismissed.pop(name, None)
            self.snoozed.pop(name, None)
            self.known[name] = None
            if not silent:
                lines.add(("RESOLVED", name))
        return lines

    def _over(self, name: str, now: datetime) -> bool:
        ends = self.ends.get(name)
        return ends is not None and ends <= now

    def _woken(self, now: datetime, shown: dict[str, dict[str, Thing] | None]) -> set[tuple[str, str]]:
        lines = set()
        for name, until in list(self.snoozed.items()):
            if until > now:
                continue
            del self.snoozed[name]
            # A reading that is held says nothing, as one that failed.
            things = shown[_source(name)] if _source(name) not in self.held else None
            if name in (things or ()) or (things is None and name not in self.asleep_and_gone):
                lines.add(("SNOOZE ENDED", name))
                if things is not None:
                    self.known[name] = things[name].seen(now.astimezone(ZONE).date())
            else:
                self.known[name] = None
        return lines


def _name(words: str) -> str:
    """What a line speaks of: a thing, a source that could not be read, or (with a colon) one whose reading is held."""
    first, _, rest = words.partition(" ")
    if rest == "could not be read" or "gone at once" in rest:
        return first
    return words.split(": ")[1].split(" ")[0]


def _source(name: str) -> str:
    return {"m": "mail", "c": "calendar", "t": "tasks"}[name[0]]


@dataclass
class Figures:
    """What the simulation counts. The first five must be 0."""

    repeats: int = 0
    misses: int = 0
    false_resolves: int = 0
    not_once_a_date: int = 0
    wrong_sums: int = 0
    days: int = 0
    told: int = 0
    failed_readings: int = 0
    held_readings: int = 0
    fired_twice: int = 0
    silent_days: int = 0
    model_calls: int = 0
    most_open: int = 0
    reads: int = 0
    writes: int = 0
    examples: list[str] = field(default_factory=list)

    @property
    def faults(self) -> int:
        """How much is wrong."""
        return self.repeats + self.misses + self.false_resolves + self.not_once_a_date + self.wrong_sums

    def line(self) -> str:
        """All figures, for people."""
        days = self.days
        return "; ".join(
            [
                f"{days} days, {self.told} lines told ({self.told / days:.1f} a day), most open {self.most_open}",
                f"{self.failed_readings} failed and {self.held_readings} suspicious readings",
                f"fired twice on {self.fired_twice} days",
                f"repeats {self.repeats}, misses {self.misses}, false resolves {self.false_resolves}",
                f"dates without exactly one delivery {self.not_once_a_date}",
                f"trust lines that do not add up {self.wrong_sums}",
                f"{self.model_calls} model calls",
                f"{self.reads / days:.1f} reads and {self.writes / days:.1f} writes a run",
            ]
        )


class Year:
    """Plays days."""

    def __init__(self, seed: int, days: int) -> None:
        self.random = random.Random(seed)
        self.days = days
        self.world, self.truth, self.figures = World(self.random), Truth(), Figures(days=days)
        self.stack = Mornings(*SOURCES)
        # Each line by itself, so that the text alone says what was told; lumps have tests of their own.
        self.stack.rules = Rules(self.stack.rules.audiences, lump_over=100_000)
        odd = max(1, round(days * 5 / 365))
        chosen = self.random.sample(range(1, days), odd + round(days * 40 / 365))
        self.failing, self.suspicious = set(chosen[odd:]), set(chosen[:odd])
        self.shown: dict[str, dict[str, Thing] | None] = {}
        self.today = START
        for source in SOURCES:
            self.stack.sources[source].harvest = self._harvest(source)

    def _harvest(self, source: str) -> Callable[[Reading], Harvest]:
        def harvest(reading: Reading) -> Harvest:
            things = self.shown[source]
            if things is None:
                return Harvest(Reading(source, reading.read_at, False, (), "500"))
            if source == "tasks":
                tasks = [Task(t.name, t.name, t.value[0], t.due) for t in things.values()]
                return harvest_tasks(source, tasks, reading.read_at, ZONE)
            return Harvest(Reading(source, reading.read_at, True, tuple(map(_observed, things.values()))))

        return harvest

    def play(self, *, until_a_fault: bool = False) -> Figures:
        """Play all days, or up to the first one that goes wrong; returns the figures."""
        for number in range(self.days):
            self.today = START + timedelta(days=number)
            now = datetime.combine(self.today, time(6, 30), ZONE).astimezone(UTC)
            self.stack.world.clock.moment = now
            self.world.live(self.today)
            self._look(number)
            self._brief(now)
            if until_a_fault and self.figures.faults:
                break
            self._meddle(now)
        self.figures.model_calls = len(self.stack.model.requests)
        return self.figures

    def _look(self, number: int) -> None:
        self.shown = {
            source: {name: thing for name, thing in self.world.things.items() if thing.source == source}
            for source in SOURCES
        }
        bad = self.random.choice(SOURCES)
        if number in self.failing:
            self.figures.failed_readings += 1
            self.shown[bad] = None
        elif number in self.suspicious:
            self.figures.held_readings += 1
            self.shown[bad] = dict(list((self.shown[bad] or {}).items())[:1])

    def _brief(self, now: datetime) -> None:
        figures, channel = self.figures, self.stack.channels["channel"]
        before, meter = len(channel.accepted), self.stack.world.table.meter.copy()
        self.stack.run()
        spent = self.stack.world.table.meter.since(meter)
        figures.reads, figures.writes = figures.reads + spent.reads, figures.writes + spent.writes
        if self.random.random() < 0.1:
            figures.fired_twice += 1
            self.stack.run()
        sent = channel.accepted[before:]
        if len(sent) != 1 or sent[0].in_reply_to != f"daily-brief/{self.today}":
            figures.not_once_a_date += 1
            return
        self._compare(sent[0].text, self.truth.owed(now, self.today, self.shown))

    def _compare(self, text: str, owed: set[tuple[str, str]]) -> None:
        figures = self.figures
        lines = [(label, _name(words)) for label, words in _LINE.findall(text)]
        said = set(lines)
        figures.told += len(lines)
        figures.silent_days += not lines
        figures.repeats += len(lines) - len(said) + len(said - owed)
        figures.misses += len(owed - said)
        there = {name for label, name in said if label == "RESOLVED" and name in self.world.things}
        figures.false_resolves += len(there)
        sums = re.search(r"(\d+) open: (\d+) told today, (\d+) unchanged, (\d+) snoozed", text)
        if sums is None or int(sums[1]) != sum(map(int, sums.groups()[1:])):
            figures.wrong_sums += 1
        else:
            figures.most_open = max(figures.most_open, int(sums[1]))
        if said != owed and len(figures.examples) < 5:
            figures.examples.append(f"{self.today}: told {sorted(said - owed)[:4]}, owed {sorted(owed - said)[:4]}")

    def _meddle(self, now: datetime) -> None:
        """Let the operator's hand be in it: now and then a snooze, now and then "that is solved"."""
        open_names = [
            name
            for name in sorted(self.world.things)
            if self.truth.known.get(name) is not None
            and name not in self.truth.snoozed
            and name not in self.truth.dismissed
            and self.truth.known[name] == self.world.things[name].seen(self.today)
            and self.shown[_source(name)] is not None
            and name in (self.shown[_source(name)] or {})
        ]
        log = self.stack.log()
        if open_names and self.random.random() < 0.25:
            name = self.random.choice(open_names)
            until = now + timedelta(days=self.random.randint(1, 12), hours=-1)
            log.snooze(_KEYS[name[0]] + name, until, by="operator")
            self.truth.snoozed[name] = until
            open_names.remove(name)
        if open_names and self.random.random() < 0.25:
            name = self.random.choice(open_names)
            log.resolve(_KEYS[name[0]] + name, by="operator")
            self.truth.dismissed[name] = self.world.things[name].seen(self.today)


def _observed(thing: Thing) -> Observation:
    material = (
        {"state": "received"} if thing.source == "mail" else {"start": thing.value[0].astimezone(UTC).isoformat()}
    )
    kind = "message" if thing.source == "mail" else "event"
    return Observation(thing.source, kind, thing.name, thing.name, material, ends_at=thing.ends)
