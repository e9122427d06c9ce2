"""The one call: what is relevant now, from every source that the caller may see, best first, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onthoud.clock import Clock
from onthoud.memory.recall import ranking
from onthoud.memory.recall.memories import Found, Memory, Recalled, Rerank, Source
from onthoud.memory.recall.question import Question, speaks_of_time
from onthoud.text.tokens import estimate

RERANKED = 50
"""How many of the best a reranker sees; the right ones are among them nine times in ten."""
OVERHEAD_TOKENS = 8
"""What a memory's source and time take in a prompt beside its words."""


@dataclass(frozen=True, slots=True)
class Recall:
    """Asks all sources and ranks what they find.

    Args:
        sources: what may be asked; each is bound to its scope.
        clock: the clock.
        rerank: puts the best candidates into a better order, if there is one.
    """

    sources: Sequence[Source]
    clock: Clock
    rerank: Rerank | None = None

    def search(self, question: Question) -> list[Recalled]:
        """Return the memories that fit into the question's budget, best first."""
        return within_budget(self.ranked(question), question.budget)

    def ranked(self, question: Question) -> list[Recalled]:
        """Return all candidates, best first."""
        found = [candidate for source in self.sources for candidate in self._scored(source.find(question), question)]
        ranked = sorted(found, key=lambda one: (-one.score, one.memory.id))
        if self.rerank is None:
            return ranked
        return [*self.rerank(question.words, ranked[:RERANKED]), *ranked[RERANKED:]]

    def _scored(self, found: Found, question: Question) -> list[Recalled]:
        now = self.clock.now()
        relevance = {
            name: value + _boosts(found.memories[name], question)
            for name, value in ranking.fuse(found.lists).items()
            if name in found.memories and _asked_for(found.memories[name], question)
        }
        sessions = {name: found.memories[name].session for name in relevance}
        return [
            Recalled(
                memory := found.memories[name],
                ranking.score(value, memory.importance, memory.accessed_at, now),
                value,
            )
            for name, value in ranking.in_company(relevance, sessions).items()
        ]


def within_budget(ranked: Sequence[Recalled], budget: int) -> list[Recalled]:
    """Return the first memories that fit into a budget of tokens."""
    costs = (estimate(one.memory.text) + OVERHEAD_TOKENS for one in ranked)
    return list(ranked[: ranking.within(costs, budget)])


def _boosts(memory: Memory, question: Question) -> float:
    boost = 0.0
    if memory.said_by and memory.said_by in question.named:
        boost += ranking.SPEAKER_BOOST
    if question.asks_when and speaks_of_time(memory.text):
        boost += ranking.TIME_BOOST
    return boost


def _asked_for(memory: Memory, question: Question) -> bool:
    if question.topics and not question.topics & memory.topics:
        return False
    if memory.at is None:
        return True
    return (question.since is None or memory.at >= question.since) and (
        question.until is None or memory.at <= question.until
    )
