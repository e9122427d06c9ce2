"""Asking the knowledge base.

    1 read   the state (one read): which generation answers, and the noise floor
    2 ask    the index, by meaning and by words, in one round trip
    3 read   the texts of the best hits from the table (one read): what is gone there is gone

An answer costs two reads of the table and one call of the index, and only where the knowledge base is on and asked. The
reply path reads the state together with the rest of its event, so that a search adds one read there, and none where
nothing was ever indexed or nothing is hit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from onthoud.errors import RetryableError
from onthoud.memory.knowledge.chunks import CHUNKER_VERSION, heading
from onthoud.memory.knowledge.manifest import Manifests
from onthoud.memory.knowledge.records import Passage, State
from onthoud.memory.recall import ranking
from onthoud.memory.recall.memories import Found, Memory
from onthoud.memory.recall.question import Question
from onthoud.memory.recall.terms import terms
from onthoud.ports.vectors import Hit, Mode, Query, Vectors
from onthoud.text.tokens import estimate

DEPTH = 30
HYDRATED = 12
"""How many of the best hits are read from the table."""
MOST = 4
BUDGET = 900
COVERED = 0.5
"""A passage is relevant below the noise floor when it holds this share of the question's terms: names, codes and
product numbers mean nothing to an embedding."""
LEAST_TERMS = 2


@dataclass(frozen=True, slots=True)
class Answer:
    """What the knowledge base holds on a question.

    Attributes:
        passages: the relevant passages, best first; empty when nothing is relevant.
        in_use: whether there ever was a document: without one, "nothing found" says nothing.
        floor: what a dense score has to rise above; None where it was not measured.
        nearest: all passages that were read, relevant or not, for `explain`.
    """

    passages: tuple[Passage, ...] = ()
    in_use: bool = True
    floor: float | None = None
    nearest: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The knowledge base, for reading."""

    manifests: Manifests
    vectors: Vectors

    def search(
        self, query: str, *, names: Collection[str] = (), most: int = MOST, budget: int = BUDGET
    ) -> list[Passage]:
        """Return the passages that are relevant to a question, best first, each with document and section.

        Args:
            query: the question, in any language.
            names: people's names in it, which would only mislead the search.
            most: how many passages at most.
            budget: how many tokens they may take together; the best one is returned whatever it takes.

        Raises:
            RetryableError: the index cannot be asked now, or is being built anew.
        """
        return list(self.answer(query, names=names, most=most, budget=budget).passages)

    def answer(
        self,
        query: str,
        *,
        names: Collection[str] = (),
        most: int = MOST,
        budget: int = BUDGET,
        state: State | None = None,
    ) -> Answer:
        """Return the passages with the figures behind them; see `search`.

        `state` saves the read of it for callers who have it already.
        """
        state = state or self.manifests.state()
        if state.generation is None:
            return Answer(in_use=False)
        question = Question(query, frozenset(names))
        dense, sparse = self._ask(question, state)
        nearest = self._read(dense, sparse, state, HYDRATED)
        relevant = [one for one in nearest if _is_relevant(one, state.floor, question.words)]
        costs = [estimate(one.text) + estimate(one.section) for one in relevant[:most]]
        kept = relevant[: max(1, ranking.within(costs, budget))]
        return Answer(tuple(kept[:most]), floor=state.floor, nearest=tuple(nearest))

    def find(self, question: Question) -> Found:
        """Answer as a source of recall: whatever is nearest, relevant or not."""
        state = self.manifests.state()
        if state.generation is None:
            return Found()
        dense, sparse = self._ask(question, state)
        memories = {one.id: _memory(one) for one in self._read(dense, sparse, state, DEPTH)}
        lists = [{hit.id: hit.score for hit in hits if hit.id in memories} for hits in (dense, sparse)]
        return Found(lists, memories)

    def _ask(self, question: Question, state: State) -> tuple[Sequence[Hit], Sequence[Hit]]:
        if state.generation is None or state.generation.chunker != CHUNKER_VERSION:
            raise RetryableError("the knowledge base was cut by another version of the chunker and is being built anew")
        queries = [Query(question.words, mode, DEPTH) for mode in (Mode.DENSE, Mode.SPARSE)]
        dense, sparse = self.vectors.search(state.generation.namespace(self.manifests.space), queries)
        return dense, sparse

    def _read(self, dense: Sequence[Hit], sparse: Sequence[Hit], state: State, most: int) -> list[Passage]:
        """Return the best hits as the table holds them, best first; what the table does not confirm is dropped."""
        if state.generation is None:
            return []
        sources = {hit.id: str(hit.metadata.get("document", "")) for hit in (*dense, *sparse)}
        fused = ranking.fuse([_scores(dense), _scores(sparse)])
        best = sorted((name for name in fused if sources[name]), key=lambda name: (-fused[name], name))[:most]
        namespace = state.generation.namespace(self.manifests.space)
        found = self.manifests.passages([(sources[name], name) for name in best], namespace)
        alike = _scores(dense)
        return [
            replace(found[name], score=fused[name], likeness=alike.get(name, 0.0)) for name in best if name in found
        ]


def _is_relevant(passage: Passage, floor: float | None, question: str) -> bool:
    if floor is None or passage.likeness > floor:
        return True
    asked = set(terms(question))
    if len(asked) < LEAST_TERMS:
        return False
    held = asked & set(terms(f"{passage.section} {passage.text}"))
    return len(held) >= max(LEAST_TERMS, COVERED * len(asked))


def _scores(hits: Sequence[Hit]) -> Mapping[str, float]:
    return {hit.id: hit.score for hit in hits}


def _memory(passage: Passage) -> Memory:
    source = " › ".join((passage.document, heading("", passage.section)))
    return Memory(passage.id, "passage", passage.text, source)
