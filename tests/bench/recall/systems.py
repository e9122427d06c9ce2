"""The systems that are compared: Onthoud's recall, and plain methods with the same embedder."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import numpy as np

from infra.local.vector_server.embedder import Embedder
from infra.local.vector_server.index import Index
from onthoud.adapters.upstash import UpstashVectors
from onthoud.memory.recall.lexical import bm25
from onthoud.memory.recall.memories import Memory
from onthoud.memory.recall.question import Question
from onthoud.memory.recall.recall import Recall
from onthoud.memory.recall.turns import IndexedTurns, TurnsFromTable
from onthoud.scope import Scope, Space
from tests.bench.recall.locomo import Asked, Conversation
from tests.fakes.vector_server import TOKEN, serving

Rank = Callable[[Asked], list[str]]


class StandingClock:
    """Stands still: no memory of the benchmark was accessed, so none fades."""

    def now(self) -> datetime:
        return datetime(2026, 11, 30, tzinfo=UTC)


def run(conversation: Conversation, rank: Rank) -> tuple[list[list[str]], list[float]]:
    """Return the ranking of every question, and the seconds that each took."""
    rankings, seconds = [], []
    for asked in conversation.questions:
        begun = time.perf_counter()
        rankings.append(rank(asked))
        seconds.append(time.perf_counter() - begun)
    return rankings, seconds


def dense(conversation: Conversation, embedder: Embedder) -> Rank:
    """Cosine over the turns as they are usually stored, with the speaker's name before the words."""
    matrix = embedder.passages([f"{turn.said_by}: {turn.text}" for turn in conversation.turns])
    names = [turn.id for turn in conversation.turns]
    return lambda asked: [names[at] for at in np.argsort(-(matrix @ embedder.query(asked.text)), kind="stable")]


def words(conversation: Conversation) -> Rank:
    """BM25 over the same."""
    texts = {turn.id: f"{turn.said_by}: {turn.text}" for turn in conversation.turns}

    def rank(asked: Asked) -> list[str]:
        scores = bm25(asked.text, texts)
        return sorted(scores, key=lambda name: -scores[name])

    return rank


def without_index(conversation: Conversation) -> Rank:
    """Onthoud's recall as it is by default: words only, in process, from the table."""
    return _ranked(Recall([TurnsFromTable(conversation.turns)], StandingClock()), conversation)


class WithIndex:
    """Onthoud's recall with the turns in the vector index: the adapter, over HTTP, to the local server."""

    def __init__(self, embedder: Embedder) -> None:
        self.index = Index(embedder)
        self._serving = serving(self.index)

    def __enter__(self) -> WithIndex:
        self.vectors = UpstashVectors(self._serving.__enter__(), lambda fresh: TOKEN, timeout_s=600)
        return self

    def __exit__(self, *error: object) -> None:
        self.vectors.close()
        self._serving.__exit__(None, None, None)

    def rank(self, conversation: Conversation) -> Rank:
        """Index a conversation under a scope of its own; return how to ask it."""
        held = {turn.id: turn for turn in conversation.turns}

        def hydrate(names: Sequence[str]) -> dict[str, Memory]:
            return {name: held[name] for name in names if name in held}

        scope = Scope(Space("bench", "recall"), "locomo", "file", conversation.name)
        source = IndexedTurns(self.vectors, scope, hydrate)
        source.add(conversation.turns)
        return _ranked(Recall([source], StandingClock()), conversation)


def _ranked(recall: Recall, conversation: Conversation) -> Rank:
    def rank(asked: Asked) -> list[str]:
        return [one.memory.id for one in recall.ranked(Question(asked.text, conversation.speakers))]

    return rank
