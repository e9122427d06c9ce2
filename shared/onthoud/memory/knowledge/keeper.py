"""The knowledge base as a whole: brought into step, checked, and told about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from onthoud.errors import PermanentError, RetryableError
from onthoud.memory.knowledge import reconcile
from onthoud.memory.knowledge.floor import measure
from onthoud.memory.knowledge.reconcile import Repair
from onthoud.memory.knowledge.sync import Action, Outcome, Synchroniser

GROWTH = 0.2
"""The noise floor is measured anew once the index has grown or shrunk by this share."""

Progress = Callable[[int, int, Outcome], None]
"""Called after each document with how many are done, how many there are, and what became of it."""


def silent(done: int, total: int, outcome: Outcome) -> None:
    """Tell nobody."""
    del done, total, outcome


@dataclass(slots=True)
class Report:
    """What a reconcile did.

    Attributes:
        finished: whether all was gone through; otherwise the time was up and it wants to be called again.
        outcomes: what became of the documents that were out of step.
        failed: documents that are in the way now, with the reason; the next run tries again.
        held: documents whose deletion waits for a person.
        repair: what was mended in the index; None when it was not compared.
    """

    finished: bool = False
    outcomes: list[Outcome] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    held: tuple[str, ...] = ()
    repair: Repair | None = None

    def count(self, action: Action) -> int:
        """Return how many documents ended with an action."""
        return sum(outcome.action is action for outcome in self.outcomes)

    @property
    def embedded(self) -> int:
        """How many chunks were embedded, restored ones included."""
        return sum(one.embedded for one in self.outcomes) + (self.repair.restored if self.repair else 0)


@dataclass(frozen=True, slots=True)
class Keeper:
    """Keeps the knowledge base in step with its bucket.

    Args:
        sync: does it for one document.
        may_go_on: says whether there is time for another document.
    """

    sync: Synchroniser
    may_go_on: Callable[[], bool] = lambda: True

    def documents(self, keys: Iterable[str]) -> list[Outcome]:
        """Bring documents into step, as events name them.

        Raises:
            RetryableError: one is in the way now; those before it are done.
        """
        outcomes = [self.sync.document(key) for key in dict.fromkeys(keys)]
        if any(outcome.action is not Action.UNCHANGED for outcome in outcomes):
            self._keep_floor()
        return outcomes

    def out_of_date(self) -> bool:
        """Say whether the whole base has to be indexed anew: its model or its chunker is not the present one."""
        generation = self.sync.manifests.state().generation
        return generation is not None and generation != self.sync.generation

    def reconcile(self, *, delete_held: bool = False, progress: Progress = silent) -> Report:
        """Compare bucket, manifests and index, and bring them into step.

        Args:
            delete_held: delete what a suspicious listing misses; a person has looked.
            progress: told after each document.

        Raises:
            RetryableError: bucket or index cannot be read.
        """
        survey, report = reconcile.survey(self.sync), Report()
        report.held = survey.missing if survey.suspicious and not delete_held else ()
        keys = (*survey.changed, *(survey.missing if not report.held else ()))
        report.finished = self._go_through(keys, report, progress)
        self._note(held=report.held)
        if report.finished:
            report.repair = reconcile.repair(self.sync)
            if not report.failed:
                self._settle()
        return report

    def _go_through(self, keys: Sequence[str], report: Report, progress: Progress) -> bool:
        for done, key in enumerate(keys, start=1):
            if not self.may_go_on():
                return False
            try:
                outcome = self.sync.document(key)
            except (RetryableError, PermanentError) as error:
                report.failed[key] = str(error)
                outcome = Outcome(key, Action.UNCHANGED, reason=str(error))
            else:
                report.outcomes.append(outcome)
            progress(done, len(keys), outcome)
        return True

    def _note(self, *, held: tuple[str, ...]) -> None:
        manifests = self.sync.manifests
        state = manifests.state()
        manifests.set_state(replace(state, held=held, reconciled_at=self.sync.clock.now()))

    def _settle(self) -> None:
        state = self.sync.manifests.state()
        records = self.sync.vectors.info().records
        if state.generation != self.sync.generation or _far(state.measured_records, records):
            if state.generation is None and not any(True for _ in self.sync.manifests.all()):
                return  # never used yet
            reconcile.settle_generation(self.sync, state.generation)

    def _keep_floor(self) -> None:
        """Measure the noise floor once the index is no longer the one that it was measured on."""
        manifests = self.sync.manifests
        state, records = manifests.state(), self.sync.vectors.info().records
        if state.generation == self.sync.generation and not _far(state.measured_records, records):
            return
        if state.generation is None or state.generation == self.sync.generation:
            floor = measure(self.sync.vectors, self.sync.namespace)
            manifests.set_state(replace(state, generation=self.sync.generation, floor=floor, measured_records=records))


def _far(before: int, now: int) -> bool:
    return abs(now - before) > GROWTH * max(before, 1)
