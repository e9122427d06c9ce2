"""What readings and the passing of time do to the alerts. Pure: alerts in, changed alerts out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from onthoud.memory.alerts.changes import born, diff, migrated, redacted, shape
from onthoud.memory.alerts.fingerprint import Scalar
from onthoud.memory.alerts.model import Alert, Entry, Observation, Reading, Rules, SourceState
from onthoud.memory.alerts.states import SHOWN, Announce, Event, State, follow

META = "log"
"""The source under which a log tells of itself: sources that cannot be read, readings that are held."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When, and in which run. The run's name keeps a repeated run from counting twice."""

    now: datetime
    run: str


@dataclass(slots=True)
class Step:
    """What changed: alerts and sources to be written."""

    alerts: dict[str, Alert] = field(default_factory=dict)
    sources: dict[str, SourceState] = field(default_factory=dict)


def advance(
    known: Mapping[str, Alert],
    sources: Mapping[str, SourceState],
    readings: Iterable[Reading],
    moment: Moment,
    rules: Rules,
    redact: Callable[[str], str] = str,
) -> Step:
    """Apply readings, then what has come due, and return what changed.

    Args:
        known: every live alert of the log, and the tombstones of what the readings show.
        sources: what the log remembers of its sources.
        readings: one per source; one older than what is known of its source is ignored.
        moment: now, and the run.
        rules: the log's settings.
        redact: applied to text from outside before it is kept.
    """
    step = _Stepper(known, dict(sources), moment, rules, redact)
    for reading in readings:
        step.read(reading)
    step.tell_of_itself()
    step.wake()
    return step.done


class _Stepper:
    def __init__(
        self,
        known: Mapping[str, Alert],
        sources: dict[str, SourceState],
        moment: Moment,
        rules: Rules,
        redact: Callable[[str], str],
    ) -> None:
        self._known, self._sources, self._moment, self._rules, self._redact = known, sources, moment, rules, redact
        self.done = Step()
        self._by_source: dict[str, list[str]] = {}
        for key, alert in known.items():
            self._by_source.setdefault(alert.source, []).append(key)

    def _get(self, key: str) -> Alert | None:
        return self.done.alerts.get(key) or self._known.get(key)

    def _set(self, alert: Alert) -> None:
        self.done.alerts[alert.key] = alert

    # -- readings ----------------------------------------------------------------------------------------------------

    def read(self, reading: Reading) -> None:
        before = self._sources.get(reading.source, SourceState())
        if before.tried_at is not None and reading.read_at < before.tried_at:
            return  # an older reading, arriving late, neither reopens nor resolves
        seen: set[str] = set()
        for observation in reading.observations:
            if observation.key not in seen:
                seen.add(observation.key)
                self._observe(observation)
        missing = self._missing(reading.source, seen) if reading.complete else []
        held = self._held(reading.source, missing)
        if not held:
            for alert in missing:
                self._absent(alert)
        if reading.source != META and (reading.complete or reading.error):
            self._remember_source(reading, before, held)

    def _remember_source(self, reading: Reading, before: SourceState, held: int) -> None:
        after = SourceState(
            read_at=reading.read_at if reading.complete else before.read_at,
            tried_at=reading.read_at,
            complete=reading.complete,
            error=reading.error,
            failing_since=None if reading.complete else before.failing_since or reading.read_at,
            # While it cannot be read, a hold stays as it was.
            held=held if reading.complete else before.held,
        )
        self._sources[reading.source] = after
        self.done.sources[reading.source] = after

    def _observe(self, observation: Observation) -> None:
        alert = self._get(observation.key)
        if alert is None:
            self._set(born(observation, self._moment.now, self._redact))
            return
        seen = shape(observation, alert)
        if observation.declaration != alert.declaration:
            alert = migrated(alert, observation, seen, self._redact)
            self._set(alert)
        changed = seen.hash != alert.hash
        outcome = follow(alert.state, Event.CHANGED if changed else Event.SEEN)
        if not changed and outcome.state == alert.state and alert.present and not alert.absent_in:
            return
        after = replace(alert, present=True, absent_in=())
        if changed:
            after = redacted(after, observation, seen, self._redact)
            after = replace(after, changed_at=self._moment.now)
            after = self._note(after, "changed", diff(alert.material, after.material))
        if alert.state is State.CLOSED:
            after = redacted(after, observation, seen, self._redact)
            after = replace(after, times=alert.times + 1, changed_at=self._moment.now, resolved_at=None, resolved_by="")
        self._set(self._enter(after, outcome.state, outcome.announce))

    def _missing(self, source: str, seen: set[str]) -> list[Alert]:
        found = []
        for key in self._by_source.get(source, ()):
            alert = self._get(key)
            if key not in seen and alert is not None and (alert.present or alert.state in SHOWN):
                found.append(alert)
        return found

    def _held(self, source: str, missing: list[Alert]) -> int:
        """Return how many alerts a suspicious reading would resolve, 0 if it is to be believed."""
        gone = sum(1 for alert in missing if not self._passed(alert))
        total = sum(1 for key in self._by_source.get(source, ()) if self._known[key].present)
        suspicious = gone > self._rules.hold_over and gone * 100 > self._rules.hold_percent * total
        if source == META or not suspicious:
            return 0
        told = self._known.get(f"{META}:held:{source}")
        # A person who resolves the line "held" by hand says: believe it.
        return 0 if told is not None and told.state is State.RESOLVED else gone

    def _passed(self, alert: Alert) -> bool:
        return alert.ends_at is not None and alert.ends_at <= self._moment.now

    def _absent(self, alert: Alert) -> None:
        passed = self._passed(alert)
        absent_in = alert.absent_in if self._moment.run in alert.absent_in else (*alert.absent_in, self._moment.run)
        if not passed and len(absent_in) < self._rules.resolve_after:
            self._set(replace(alert, absent_in=absent_in))
            return
        outcome = follow(alert.state, Event.PASSED if passed else Event.ABSENT)
        after = replace(alert, present=False, absent_in=())
        if outcome.state in {State.GONE, State.CLOSED}:
            by = alert.resolved_by or "source"
            after = replace(after, resolved_at=alert.resolved_at or self._moment.now, resolved_by=by)
        after = self._note(after, "over" if passed else "gone")
        self._set(self._enter(after, outcome.state, outcome.announce))

    # -- the log's own lines, and time -------------------------------------------------------------------------------

    def tell_of_itself(self) -> None:
        observations = []
        for name, state in sorted(self._sources.items()):
            if state.failing_since is not None:
                data: dict[str, Scalar] = {
                    "source": name,
                    "error": state.error,
                    "since": state.failing_since.isoformat(),
                }
                observations.append(
                    Observation(META, "unread", name, f"{name} could not be read", {"unread": True}, data=data)
                )
            if state.held:
                title = f"{name}: {state.held} entries are gone at once; nothing was resolved"
                held: dict[str, Scalar] = {"source": name, "held": state.held}
                observations.append(Observation(META, "held", name, title, {"held": True}, data=held))
        self.read(Reading(META, self._moment.now, True, tuple(observations)))

    def wake(self) -> None:
        now = self._moment.now
        for key in [*self._known, *(self.done.alerts.keys() - self._known.keys())]:
            alert = self._get(key)
            if alert is None:
                continue
            if self._passed(alert) and alert.source not in self._sources and alert.source != META and alert.live:
                self._end(alert)
                continue
            time = {State.SNOOZED: alert.snoozed_until, State.MUTED: alert.review_at}.get(alert.state)
            if time is None or time > now:
                continue
            outcome = follow(alert.state, Event.DUE if alert.present else Event.DUE_GONE)
            what = "snooze ended" if alert.state is State.SNOOZED else "mute is due for review"
            after = self._note(replace(alert, snoozed_until=None, review_at=None), what)
            self._set(self._enter(after, outcome.state, outcome.announce))

    def _end(self, alert: Alert) -> None:
        """End what has passed where nobody ever reads the source as a whole (a bot that only adds its conflicts)."""
        outcome = follow(alert.state, Event.PASSED)
        if outcome.state is alert.state:
            return
        after = replace(alert, present=False, resolved_at=alert.resolved_at or self._moment.now)
        after = replace(after, resolved_by=alert.resolved_by or "time")
        self._set(self._enter(self._note(after, "over"), outcome.state, outcome.announce))

    # -- small hands -------------------------------------------------------------------------------------------------

    def _note(self, alert: Alert, what: str, note: str = "") -> Alert:
        return noted(alert, Entry(self._moment.now, what, self._moment.run, note), self._rules)

    def _enter(self, alert: Alert, state: State, announce: Announce) -> Alert:
        entered = state is not alert.state
        after = replace(alert, state=state)
        if announce is not Announce.NONE:
            after = replace(after, announce=announce, seq=alert.seq + 1)
            after = self._note(after, str(announce))
        if entered and state is State.OPEN and alert.state is State.SNOOZED_UNTIL_CHANGE:
            after = self._note(after, "snooze ended by a change")
        return settled(after, self._rules)


def noted(alert: Alert, entry: Entry, rules: Rules) -> Alert:
    """Return the alert with one more line of history; the first line always stays, the oldest others go."""
    history = (*alert.history, entry)
    if len(history) > rules.history_kept:
        history = (history[0], *history[len(history) - rules.history_kept + 1 :])
    return replace(alert, history=history)


def owed(alert: Alert, rules: Rules) -> bool:
    """Return whether some audience was told, surely or perhaps, that the alert is open, and not that it is over."""
    # A bot that only observes names no audience: whoever was told before is owed the word.
    for audience in rules.audiences or {*alert.reported, *alert.unsure}:
        told, perhaps = alert.reported.get(audience), alert.unsure.get(audience)
        if (told is not None and not told.closed) or (told is None and perhaps is not None):
            return True
    return False


def settled(alert: Alert, rules: Rules) -> Alert:
    """Close an alert that is gone and of which nobody is owed a word."""
    if alert.state is State.GONE and not owed(alert, rules):
        return replace(alert, state=follow(State.GONE, Event.TOLD).state)
    return alert


def review_date(now: datetime, rules: Rules) -> datetime:
    """Return when a mute without a date is asked about."""
    return now + timedelta(days=rules.review_days)
