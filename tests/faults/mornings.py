"""The crash matrix of the brief: three mornings, killed once at every call and phase, then carried on as Lambda,
the sweeper and the following mornings would."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from onthoud.delivery.outbox import Entry, State
from onthoud.errors import OnthoudError
from onthoud.memory.alerts.model import Alert
from tests.fakes.world import plenty
from tests.faults.fifo import Killed
from tests.unit.brief.morning import Mornings, task

RETRIES = (60, 120)
"""Seconds after which Lambda repeats an asynchronous invocation that failed."""
_LINE = re.compile(r"^- \*\*([A-Z ]+)\*\* task: (\S+)(.*)", re.MULTILINE)
EXPECTED = Counter({("NEW", "roof"): 1, ("NEW", "bill"): 1, ("UPDATE", "roof"): 1, ("RESOLVED", "bill"): 1})


@dataclass(frozen=True)
class FarEnd:
    read_back: bool
    idempotent: bool


FAR_ENDS = (FarEnd(True, True), FarEnd(True, False), FarEnd(False, True), FarEnd(False, False))


@dataclass
class Killer:
    """Counts calls and phases, and kills at the chosen one; for good, until the process is a new one."""

    at: int | None = None
    seen: list[str] = field(default_factory=list)

    def __call__(self, target: str, phase: str) -> None:
        self.seen.append(f"{target}-{phase}")
        if self.at is not None and len(self.seen) == self.at + 1:
            raise Killed(self.seen[-1])


def days() -> Iterator[list[object]]:
    yield [task("roof", "roof"), task("bill", "bill")]
    yield [task("roof", "roof", status="blocked")]
    yield [task("roof", "roof", status="blocked")]


def play(far_end: FarEnd, killer: Killer) -> Mornings:
    """Three mornings; the killer is at work on the first two."""
    stack = Mornings()
    channel = stack.channels["channel"]
    channel.can_read_back, channel.is_idempotent = far_end.read_back, far_end.idempotent
    for number, shown in enumerate(days()):
        stack.sources["tasks"].shown = list(shown)  # type: ignore[arg-type]
        stack.hooked(killer if number < 2 else lambda target, phase: None)
        _morning(stack)
        stack.next_morning()
    stack.hooked(lambda target, phase: None)
    return stack


def _morning(stack: Mornings) -> None:
    scheduled = stack.now
    for pause in (0, *RETRIES):
        stack.world.clock.advance(seconds=pause)
        try:
            stack.run(scheduled)
        except (Killed, OnthoudError):
            continue
        break
    stack.world.clock.advance(minutes=20)
    try:
        stack.world.runtime().sweeper.sweep(plenty())
    except Killed:
        stack.world.clock.advance(minutes=20)
        stack.world.runtime().sweeper.sweep(plenty())


def faults_of(stack: Mornings, far_end: FarEnd) -> list[str]:
    """Return what does not hold: one line per broken promise."""
    accepted = stack.channels["channel"].accepted
    broken = [
        f"{name} was delivered {times} times"
        for name, times in Counter(message.in_reply_to for message in accepted).items()
        if times > 1
    ]
    broken += [
        f"{message.in_reply_to} has no audit copy of what was sent"
        for message in accepted
        if stack.archive.texts.get(f"{message.in_reply_to}.md") != message.text
    ]
    told, unsure = Counter[tuple[str, str]](), Counter[str]()
    for message in accepted:
        for label, name, rest in _LINE.findall(message.text):
            told[label, name] += 1
            unsure[name] += "possibly seen" in rest
    broken += _lines(told, unsure, far_end)
    broken += _told_and_not_sent(stack)
    if any(entry.state is State.SENDING for entry in _entries(stack)):
        broken.append("a brief is left on its way")
    if stack.log().uncommitted():
        broken.append("a plan is left uncommitted")
    if len(stack.model.requests) > 4:
        broken.append(f"the model was paid {len(stack.model.requests)} times for two mornings")
    return broken


def _lines(told: Counter[tuple[str, str]], unsure: Counter[str], far_end: FarEnd) -> list[str]:
    broken = []
    for name in ("roof", "bill"):
        mine = {label: times for (label, who), times in told.items() if who == name}
        if not far_end.read_back and unsure[name]:
            continue  # nobody could know whether the first was seen; it was said again, and said to be a repetition
        repeated = [label for label, times in mine.items() if times > 1]
        if repeated:
            broken.append(f"{name}: {repeated} said more than once")
        if far_end.read_back or not unsure[name]:
            broken += _missing(name, mine)
    return broken


def _missing(name: str, mine: dict[str, int]) -> list[str]:
    """A morning may be lost to crashes, so that NEW already has the second morning's state; never may a word be."""
    wanted = {label for label, who in EXPECTED if who == name}
    if mine.keys() == wanted:
        return []
    merged = mine.keys() == {"NEW"} if name == "roof" else not mine
    return [] if merged else [f"{name}: told {sorted(mine)}, owed {sorted(wanted)}"]


def _told_and_not_sent(stack: Mornings) -> list[str]:
    sent = {message.in_reply_to for message in stack.channels["channel"].accepted}
    alerts: list[Alert] = stack.log().all(closed=True)
    return [
        f"{alert.key} counts as told in {memory.run}, which was never sent"
        for alert in alerts
        for memory in alert.reported.values()
        if memory.run not in sent
    ]


def _entries(stack: Mornings) -> list[Entry]:
    return [Entry.of_item(item) for item in stack.world.table.all_items() if "out" in item]
