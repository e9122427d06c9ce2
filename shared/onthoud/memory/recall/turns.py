"""Past conversation: each turn is found by itself and by its neighbourhood.

A turn alone is often too short to be found ("Yes, on Tuesday!"), so a second record holds it with the turns before and
after it. Speaker and time are metadata: embedded, they would draw every question that names the speaker.

`TurnsFromTable` needs no index and is what Onthoud uses: words only, nothing leaves the account. `IndexedTurns` adds
search by meaning for operators who choose to keep customers' words in the vector index too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from onthoud.memory.recall.lexical import bm25
from onthoud.memory.recall.memories import Found, Memory
from onthoud.memory.recall.question import Question
from onthoud.ports.vectors import MAX_BATCH, Hit, Mode, Query, Record, Vectors, namespace
from onthoud.scope import Scope

DEPTH = 50
"""How far down each list is read."""
_TURN, _WINDOW = "turn", "window"

Hydrate = Callable[[Sequence[str]], Mapping[str, Memory]]
"""Reads memories by id from the table; what is gone or expired is absent from the answer."""


def namespace_of(scope: Scope) -> str:
    """Return where a customer's turns are indexed."""
    return namespace("turns", scope.partition)


def windows(turns: Sequence[Memory]) -> dict[str, str]:
    """Return each turn's text with its neighbours', within its session."""
    joined: dict[str, str] = {}
    for at, turn in enumerate(turns):
        near = [other.text for other in turns[max(0, at - 1) : at + 2] if other.session == turn.session]
        joined[turn.id] = "\n".join(near)
    return joined


@dataclass(frozen=True, slots=True)
class TurnsFromTable:
    """A customer's turns, as read from their partition, oldest first; searched by words."""

    turns: Sequence[Memory]
    language: str = "en"

    def find(self, question: Question) -> Found:
        """Return what shares words with the question; see the protocol."""
        texts = {turn.id: turn.text for turn in self.turns}
        lists = [bm25(question.words, each, self.language) for each in (texts, windows(self.turns))]
        named = {turn.id: turn for turn in self.turns}
        return Found([_best(scores) for scores in lists], named)


@dataclass(frozen=True, slots=True)
class IndexedTurns:
    """A customer's turns in the vector index, in a namespace that only this scope has.

    Args:
        vectors: the index.
        scope: whose turns.
        hydrate: reads them from the table.
    """

    vectors: Vectors
    scope: Scope
    hydrate: Hydrate

    @property
    def namespace(self) -> str:
        """The scope's own namespace; nothing in a question can lead to another."""
        return namespace_of(self.scope)

    def add(self, turns: Sequence[Memory], *, around: Sequence[Memory] = ()) -> None:
        """Index turns. `around` are the turns next to them, whose neighbourhoods change too."""
        everything = sorted({turn.id: turn for turn in (*around, *turns)}.values(), key=_order)
        wanted = {turn.id for turn in (*around, *turns)}
        joined = windows(everything)
        records = [record for turn in everything if turn.id in wanted for record in _records(turn, joined[turn.id])]
        for start in range(0, len(records), MAX_BATCH):
            self.vectors.upsert(self.namespace, records[start : start + MAX_BATCH])

    def remove(self, ids: Iterable[str]) -> int:
        """Take turns out of the index; return how many records that were."""
        return self.vectors.delete(self.namespace, [_record_id(kind, one) for one in ids for kind in (_TURN, _WINDOW)])

    def erase(self) -> None:
        """Remove all that the index holds of this customer."""
        self.vectors.drop(self.namespace)

    def find(self, question: Question) -> Found:
        """Return what is near the question, by meaning and by words; see the protocol. One round trip to the index."""
        queries = [
            Query(question.words, mode, DEPTH, where=f"kind = '{kind}'")
            for kind in (_TURN, _WINDOW)
            for mode in (Mode.DENSE, Mode.SPARSE)
        ]
        lists = [_by_turn(hits) for hits in self.vectors.search(self.namespace, queries)]
        memories = self.hydrate(sorted({name for scores in lists for name in scores}))
        return Found([_known(scores, memories) for scores in lists], memories)


@dataclass(frozen=True, slots=True)
class TurnIndex:
    """All customers' turns in the index, as a place that erasure clears; whoever indexes turns registers it."""

    vectors: Vectors
    name: str = "vector index"

    def purge(self, scope: Scope) -> int:
        """Remove what is the customer's; return how many records that were."""
        place = namespace_of(scope)
        count = sum(1 for _ in self.vectors.ids(place))
        self.vectors.drop(place)
        return count


def _records(turn: Memory, window: str) -> list[Record]:
    metadata = {"turn": turn.id, "said_by": turn.said_by, "at": turn.at.isoformat() if turn.at else None}
    return [
        Record(_record_id(kind, turn.id), text, {**metadata, "kind": kind})
        for kind, text in ((_TURN, turn.text), (_WINDOW, window))
        if text.strip()
    ]


def _record_id(kind: str, turn: str) -> str:
    return f"{kind}-{hashlib.sha256(turn.encode()).hexdigest()[:32]}"


def _by_turn(hits: Sequence[Hit]) -> dict[str, float]:
    return {str(hit.metadata["turn"]): hit.score for hit in hits if "turn" in hit.metadata}


def _known(scores: Mapping[str, float], memories: Mapping[str, Memory]) -> dict[str, float]:
    return {name: score for name, score in scores.items() if name in memories}


def _best(scores: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(scores.items(), key=lambda entry: -entry[1])[:DEPTH])


def _order(turn: Memory) -> tuple[str, str]:
    return (turn.at.isoformat() if turn.at else "", turn.id)
