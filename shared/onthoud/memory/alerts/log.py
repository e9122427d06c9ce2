"""The alert log: the one object through which a bot asks what was said already, and remembers what it says.

A run of a brief is `observe` (what do the sources show), `plan` (what is due to whom), delivery, and `commit`. Only
`commit` makes something count as told: a crash before it costs a delay, never a silence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from onthoud.clock import Clock
from onthoud.errors import Conflict, PermanentError
from onthoud.memory.alerts.advance import Moment, Step, advance, noted, review_date, settled
from onthoud.memory.alerts.changes import Redact
from onthoud.memory.alerts.items import Head
from onthoud.memory.alerts.model import Alert, Entry, Observation, Reading, Reported, Rules, SourceState
from onthoud.memory.alerts.planning import Plan, Telling, plan
from onthoud.memory.alerts.states import Event, State, follow
from onthoud.memory.alerts.store import AlertStore, KeptPlan, Shelf
from onthoud.memory.alerts.stores import operator_partition
from onthoud.memory.alerts.telling import perhaps_told, told
from onthoud.ports.table import Put, Table
from onthoud.scope import Scope, Space

_TRIES = 4
_TELLINGS_PER_READ = 50


@dataclass(frozen=True, slots=True)
class Seen:
    """The log after an observation: every live alert, and every source."""

    alerts: Mapping[str, Alert]
    sources: Mapping[str, SourceState]


class AlertLog:
    """The log of one recipient in one bot."""

    def __init__(self, table: Table, clock: Clock, shelf: Shelf, rules: Rules, redact: Redact = str) -> None:
        self._clock, self._rules, self._redact = clock, rules, redact
        self._store = AlertStore(table, shelf, clock, rules)

    @classmethod
    def of_operator(
        cls, table: Table, clock: Clock, space: Space, log: str, recipient: str, rules: Rules, redact: Redact = str
    ) -> AlertLog:
        """Return the log that a bot keeps for an operator."""
        return cls(table, clock, Shelf(operator_partition(space, log, recipient), log), rules, redact)

    @classmethod
    def of_customer(
        cls, table: Table, clock: Clock, scope: Scope, log: str, rules: Rules, redact: Redact = str
    ) -> AlertLog:
        """Return the log that a bot keeps for a customer; it lies in the customer's partition and is erased with it."""
        return cls(table, clock, Shelf(scope.partition, log), rules, redact)

    @property
    def rules(self) -> Rules:
        """The settings of this log."""
        return self._rules

    # -- a run -------------------------------------------------------------------------------------------------------

    def observe(self, readings: Sequence[Reading], run: str) -> Seen:
        """Take in what the sources show, and write the alerts that it changed.

        Repeating a run's observation changes nothing.

        Raises:
            Conflict: others wrote the same alerts again and again; the run may be repeated as it is.
        """
        for attempt in range(_TRIES):
            live, head = self._store.live(), self._store.head()
            shown = {observation.key for reading in readings for observation in reading.observations}
            known = {**self._store.tombstones(shown - live.keys()), **live}
            moment = Moment(self._clock.now(), run)
            step = advance(known, head.sources, readings, moment, self._rules, self._redact)
            try:
                self._write(known, step)
            except Conflict:
                if attempt == _TRIES - 1:
                    raise
                continue  # another run of the same brief is at work: what it wrote is read, and is no change any more
            return Seen(_still_there({**live, **step.alerts}), {**head.sources, **step.sources})
        raise AssertionError("unreachable")

    def _write(self, known: Mapping[str, Alert], step: Step) -> None:
        changed = [(known.get(key), alert) for key, alert in step.alerts.items()]
        closing = [alert.key for before, alert in changed if _closes(before, alert)]
        if step.sources:
            self._store.edit_head(lambda head: replace(head, sources={**head.sources, **step.sources}))
        self._store.remember_closed(closing)
        self._store.save(changed)

    def plan(self, seen: Seen, audience: str, run: str) -> Plan:
        """Decide what is due to `audience`; writes nothing."""
        return plan(seen.alerts.values(), seen.sources, audience, run, self._clock.now(), self._rules)

    def keep(self, planned: Plan) -> list[Put]:
        """Return the writes that must be in the transaction with which the delivery of a plan begins."""
        return self._store.plan_actions(planned)

    def uncommitted(self) -> list[KeptPlan]:
        """Return the plans whose delivery began and that were neither committed nor dropped."""
        return self._store.plans()

    def commit(self, kept: KeptPlan, *, certain: bool = True) -> int:
        """Remember a delivered plan as told; returns how many alerts that changed.

        Args:
            kept: the plan as it was kept when its delivery began.
            certain: False when nobody knows whether it arrived: it is then repeated as possibly seen.
        """
        remember = told if certain else perhaps_told
        now, changed = self._clock.now(), 0

        def change(telling: Telling) -> Callable[[Alert], Alert]:
            def apply(alert: Alert) -> Alert:
                memory = (alert.reported if certain else alert.unsure).get(kept.audience)
                if memory is not None and _covers(memory, telling, kept.run):
                    return alert  # a commit that was interrupted is being finished
                return remember(alert, telling, kept.audience, kept.run, now, self._rules)

            return apply

        for start in range(0, len(kept.tellings), _TELLINGS_PER_READ):
            part = kept.tellings[start : start + _TELLINGS_PER_READ]
            changed += self._commit_part({telling.key: change(telling) for telling in part})
        self._store.drop_plan(kept)
        return changed

    def _commit_part(self, edits: Mapping[str, Callable[[Alert], Alert]]) -> int:
        found = self._store.many(list(edits))
        pairs = [(alert, edits[key](alert)) for key, alert in found.items()]
        changes = [(before, after) for before, after in pairs if after != before]
        self._store.remember_closed([after.key for before, after in changes if _closes(before, after)])
        try:
            self._store.save(changes)
        except Conflict:
            for before, _ in changes:
                self._store.edit(before.key, edits[before.key])
        return len(changes)

    def drop(self, kept: KeptPlan) -> None:
        """Forget a plan that surely was not delivered: its news stay due."""
        self._store.drop_plan(kept)

    # -- without a brief: "have I said this already?" ----------------------------------------------------------------

    def last_told(self, key: str, audience: str) -> Reported | None:
        """Return what `audience` was last told of `key`; None if it never was."""
        alert = self._store.one(key)
        return alert.reported.get(audience) if alert is not None else None

    def tell(self, observation: Observation, audience: str, run: str) -> bool:
        """Note that something is being said; returns False if it was said before and has not changed.

        For bots without a brief. Call it before speaking and speak only on True: after a crash in between it stays
        unsaid once. Where that is worse than saying it twice, use `observe`, `plan` and `commit`.
        """
        seen = self.observe([Reading(observation.source, self._clock.now(), False, (observation,))], run)
        alerts = [alert for alert in (seen.alerts.get(observation.key),) if alert is not None]
        planned = plan(alerts, {}, audience, run, self._clock.now(), self._rules)
        return self.commit(KeptPlan(planned.id, audience, run, planned.tellings, ())) > 0

    # -- a person's hand ---------------------------------------------------------------------------------------------

    def snooze(self, key: str, until: datetime, *, by: str) -> Alert:
        """Keep an alert silent until a time, whatever changes.

        Raises:
            NotFound: no such alert.
            Conflict: it is over.
            PermanentError: the time has passed.
        """
        if until <= self._clock.now():
            raise PermanentError("a snooze must end in the future")
        return self._by_hand(
            key, Event.SNOOZE, by, until.isoformat(), lambda alert: replace(alert, snoozed_until=until)
        )

    def snooze_until_change(self, key: str, *, by: str) -> Alert:
        """Keep an alert silent until it changes. Raises as `snooze`."""
        return self._by_hand(key, Event.SNOOZE_UNTIL_CHANGE, by)

    def mute(self, key: str, reason: str, *, by: str, review_at: datetime | None = None) -> Alert:
        """Keep an alert silent until a person says otherwise; asked about once, at the review date.

        Raises:
            NotFound: no such alert.
            PermanentError: no reason is given.
        """
        if not reason.strip():
            raise PermanentError("a mute needs a reason")
        review = review_at or review_date(self._clock.now(), self._rules)
        words = self._redact(reason.strip())
        return self._by_hand(
            key, Event.MUTE, by, words, lambda alert: replace(alert, mute_reason=words, review_at=review)
        )

    def resolve(self, key: str, *, by: str, note: str = "") -> Alert:
        """Take an alert as solved: silent until it changes, or until it was gone and is back. Raises as `snooze`."""
        now = self._clock.now()
        return self._by_hand(
            key, Event.RESOLVE, by, note, lambda alert: replace(alert, resolved_at=now, resolved_by=f"hand ({by})")
        )

    def reopen(self, key: str, *, by: str) -> Alert:
        """End a snooze, a mute or a resolution by hand. Raises as `snooze`."""
        return self._by_hand(key, Event.REOPEN, by)

    def annotate(self, key: str, *, note: str | None = None, owner: str | None = None, by: str) -> Alert:
        """Write a person's note or owner on an alert; no reading ever changes them. Raises NotFound."""

        def change(alert: Alert) -> Alert:
            after = replace(
                alert,
                note=alert.note if note is None else self._redact(note),
                owner=alert.owner if owner is None else owner,
            )
            return noted(after, Entry(self._clock.now(), "annotated", by), self._rules)

        return self._store.edit(key, change)

    def _by_hand(
        self, key: str, event: Event, by: str, note: str = "", extra: Callable[[Alert], Alert] | None = None
    ) -> Alert:
        def change(alert: Alert) -> Alert:
            outcome = follow(alert.state, event)
            if event is Event.REOPEN and outcome.state is alert.state:
                return alert
            cleared = replace(alert, snoozed_until=None, mute_reason="", review_at=None)
            if alert.state is not State.CLOSED:
                cleared = replace(cleared, resolved_at=None, resolved_by="")
            after = replace(extra(cleared) if extra else cleared, state=outcome.state)
            after = noted(after, Entry(self._clock.now(), str(event), by, note), self._rules)
            return settled(after, self._rules)

        return self._store.edit(key, change)

    # -- looking -----------------------------------------------------------------------------------------------------

    def get(self, key: str) -> Alert | None:
        """Return one alert, closed ones included."""
        return self._store.one(key)

    def all(self, *, closed: bool = False) -> list[Alert]:
        """Return the live alerts, and the closed ones if asked for, oldest first."""
        alerts = [*self._store.live().values(), *(self._store.closed().values() if closed else ())]
        return sorted(alerts, key=lambda alert: (alert.first_seen, alert.key))

    def head(self) -> Head:
        """Return what the log remembers of its sources."""
        return self._store.head()


def _closes(before: Alert | None, after: Alert) -> bool:
    return after.state is State.CLOSED and (before is None or before.state is not State.CLOSED)


def _still_there(alerts: Mapping[str, Alert]) -> dict[str, Alert]:
    return {key: alert for key, alert in alerts.items() if alert.state is not State.CLOSED}


def _covers(memory: Reported, telling: Telling, run: str) -> bool:
    return memory.run == run and (memory.hash, memory.seq, memory.closed) == (telling.hash, telling.seq, telling.closed)
