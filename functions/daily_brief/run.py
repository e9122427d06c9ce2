"""One run of the brief: settle what earlier runs left, read, plan, compose, send, remember.

ledger says "decided"?  -> nothing is read, no model is asked; what is on its way is brought to an end
sources -> alert log    -> observe: what changed is written, nothing counts as told
plan, compose           -> per way out; equal plans share one text and one model call
desk.close              -> ledger + outgoing message + kept plan, or nothing of it
audit copy, send        -> one send
commit                  -> only now it counts as told
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from daily_brief.compose import Brief, compose, drafts_of
from daily_brief.earlier import TOO_LATE, Earlier, copy_name
from daily_brief.outlets import Outlet
from daily_brief.phrasing import Phraser, Phrasing, plain
from daily_brief.settings import BriefSettings
from daily_brief.today import today_lines
from daily_brief.words import Words
from onthoud.clock import Clock
from onthoud.deadline import Deadline
from onthoud.delivery.decisions import Decision, Outcome
from onthoud.delivery.desk import ROUNDS, Case, Closing, Desk
from onthoud.delivery.ledger import identity
from onthoud.delivery.outbox import Outbox
from onthoud.errors import Conflict, RetryableError
from onthoud.memory.alerts.log import AlertLog, Seen
from onthoud.memory.alerts.planning import Plan
from onthoud.memory.alerts.states import SHOWN
from onthoud.memory.alerts.store import KeptPlan
from onthoud.memory.alerts.stores import BRIEF_LOG
from onthoud.observability import count, logger
from onthoud.ports.archive import Archive
from onthoud.ports.source import Harvest, Source
from onthoud.prices import Prices
from onthoud.privacy.redaction import Redactor

BOT = "daily_brief"
RUN = identity("run")
KEPT_FOR_SENDING_S = 30.0
REPORTED_DAYS = 7
"""The model sees what was reported in these days as already reported; older ones stay silent by the log alone."""
MEMORY_IDS = 100


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run works with."""

    settings: BriefSettings
    clock: Clock
    desk: Desk
    outbox: Outbox
    log: AlertLog
    sources: Sequence[Source]
    outlets: Sequence[Outlet]
    archive: Archive | None
    phraser: Phraser
    prices: Prices
    redactor: Redactor


@dataclass(slots=True)
class _Text:
    """A composed brief, and what composing it has cost; the cost is booked with the first way out."""

    brief: Brief
    phrasing: Phrasing
    booked: bool = False


@dataclass(slots=True)
class BriefRun:
    """The run for one local date."""

    parts: Parts
    scheduled_at: datetime
    deadline: Deadline
    _texts: dict[tuple[object, ...], _Text] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The run's name, by which it happens once: the brief's name and the local date."""
        return f"{BRIEF_LOG}/{self.words.today.isoformat()}"

    @property
    def words(self) -> Words:
        """The operator's language, zone and date."""
        zone = self.parts.settings.operator_zone
        return Words(self.parts.settings.default_language, zone, self.scheduled_at.astimezone(zone).date())

    def run(self) -> dict[str, str]:
        """Do it; returns what became of each way out.

        Raises:
            RetryableError: something is not at its end; the same run may be repeated.
        """
        parts, now = self.parts, self.parts.clock.now()
        late = now - self.scheduled_at > timedelta(hours=parts.settings.brief_max_late_hours)
        outlets = {outlet.audience: outlet for outlet in parts.outlets}
        earlier = Earlier(parts.desk, parts.outbox, parts.log, outlets, parts.clock, parts.archive)
        earlier.settle(self.name, late=late, deadline=self.deadline)
        open_cases = [(outlet, self._open(outlet)) for outlet in parts.outlets]
        todo = [(outlet, case) for outlet, case in open_cases if RUN not in case.record.decisions]
        done = {outlet.name: "decided before" for outlet, case in open_cases if RUN in case.record.decisions}
        if not todo:
            count("Duplicate")
            return done
        if (reason := self._refusal(late)) is not None:
            count("BriefTooLate" if reason == TOO_LATE else "Skipped")
            return done | {outlet.name: self._skip(outlet, case, reason) for outlet, case in todo}
        harvests = [source.read(now) for source in parts.sources]
        seen = parts.log.observe([harvest.reading for harvest in harvests], self.name)
        outcomes, failure = dict(done), None
        for outlet, case in todo:
            try:
                outcomes[outlet.name] = self._tell(outlet, case, seen, harvests, earlier)
            except RetryableError as error:
                logger.warning("a way out failed", outlet=outlet.name, reason=str(error))
                failure = error
        if failure is not None:
            raise failure
        return outcomes

    # -- one way out -------------------------------------------------------------------------------------------------

    def _tell(self, outlet: Outlet, case: Case, seen: Seen, harvests: Sequence[Harvest], earlier: Earlier) -> str:
        parts = self.parts
        plan = parts.log.plan(seen, outlet.audience, self.name)
        if parts.settings.mode == "shadow":
            self._archive(outlet, self._text(plan, seen, harvests, case).brief.whole)
            return self._skip(outlet, case, "mode_shadow")
        writes = parts.log.keep(plan)
        for _ in range(ROUNDS):
            stop = case.situation(parts.settings, parts.clock.now()).stop()
            if stop is not None:
                self._archive(outlet, self._text(plan, seen, harvests, case).brief.whole)
                return self._skip(outlet, case, stop)
            text = self._text(plan, seen, harvests, case)
            about = sorted({news.alert.about for line in plan.lines for news in line.news if news.alert.about})
            entry = outlet.entry(case, self.name, text.brief, parts.clock.now(), about=about)
            try:
                parts.desk.close(case, Closing(RUN, self._decision("replied", "", text, plan), writes, entry))
            except Conflict:
                # The same schedule fired twice and the other run was quicker, or a switch was turned meanwhile.
                case = self._open(outlet)
                if RUN in case.record.decisions:
                    count("Duplicate")
                    return "decided before"
                continue
            text.booked = True
            self._archive(outlet, text.brief.whole)
            sent = outlet.sender.deliver(entry, self.deadline)
            earlier.conclude(KeptPlan.of(plan, writes), sent)
            return str(sent.state)
        raise Conflict("the brief kept being decided elsewhere")

    def _open(self, outlet: Outlet) -> Case:
        ref = outlet.event(self.parts.settings.space, self.name)
        return self.parts.desk.open(ref, scope=None, occurred_at=self.scheduled_at)

    def _refusal(self, late: bool) -> str | None:
        if self.parts.settings.mode == "off":
            return "mode_off"
        return TOO_LATE if late else None

    def _skip(self, outlet: Outlet, case: Case, reason: str) -> str:
        decision = Decision(BOT, "skipped", reason=reason)
        try:
            self.parts.desk.close(case, Closing(RUN, decision))
        except Conflict:
            return "decided before"
        logger.warning("no brief", outlet=outlet.name, run=self.name, reason=reason)
        return reason

    def _archive(self, outlet: Outlet, text: str) -> None:
        """Keep the audit copy, before anything is sent; a way out that is told something else has a copy of its own."""
        if self.parts.archive is None:
            return
        same = len(self._texts) < 2
        self.parts.archive.put(copy_name(self.name, outlet, [outlet] if same else self.parts.outlets), text)

    # -- the text ----------------------------------------------------------------------------------------------------

    def _text(self, plan: Plan, seen: Seen, harvests: Sequence[Harvest], case: Case) -> _Text:
        same = tuple((line.kind, news.alert.key, news.possibly_seen) for line in plan.lines for news in line.news)
        if same not in self._texts:
            words = self.words
            drafts = drafts_of(plan, words)
            phrasing = self._phrase(plan, seen, case)
            today = today_lines(harvests, words, self.parts.redactor.clean)
            self._texts[same] = _Text(compose(plan, today, drafts, phrasing, words), phrasing)
        return self._texts[same]

    def _phrase(self, plan: Plan, seen: Seen, case: Case) -> Phrasing:
        parts, drafts = self.parts, drafts_of(plan, self.words)
        if not drafts:
            return plain(drafts)
        budget = parts.settings.daily_budget_usd
        if budget and case.situation(parts.settings, parts.clock.now()).spent >= budget:
            return plain(drafts, "budget!")
        left = self.deadline.remaining_s() - KEPT_FOR_SENDING_S
        if left <= 1:
            return plain(drafts, "time!")
        timeout = min(parts.settings.model_timeout_s, left)
        return parts.phraser.phrase(drafts, self._reported(plan, seen), self.words, timeout_s=timeout)

    def _reported(self, plan: Plan, seen: Seen) -> list[str]:
        since = self.parts.clock.now() - timedelta(days=REPORTED_DAYS)
        due = {telling.key for telling in plan.tellings}
        told = [
            (memory.at, alert.title)
            for alert in seen.alerts.values()
            if alert.state in SHOWN
            and alert.key not in due
            and (memory := alert.reported.get(plan.audience)) is not None
            and memory.at >= since
        ]
        return [title for _, title in sorted(told, reverse=True)]

    def _decision(self, outcome: Outcome, reason: str, text: _Text, plan: Plan) -> Decision:
        phrasing = text.phrasing
        fresh = not text.booked
        return Decision(
            bot=BOT,
            outcome=outcome,
            reason=reason,
            checks=phrasing.checks,
            memory_ids=[telling.key for telling in plan.tellings[:MEMORY_IDS]],
            usage=phrasing.usage if fresh else type(phrasing.usage)(),
            cost_usd=self.parts.prices.cost(phrasing.model, phrasing.usage) if fresh and phrasing.calls else Decimal(0),
            model=phrasing.model,
            model_calls=phrasing.calls if fresh else 0,
            said=identity(text.brief.text),
        )
