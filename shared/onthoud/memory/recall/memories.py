"""What can be recalled, and where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeAlias

from onthoud.memory.recall.question import Question


@dataclass(frozen=True, slots=True)
class Memory:
    """Something that can be recalled, as the table holds it.

    Attributes:
        id: what a decision record cites.
        kind: `turn`, `passage`, `episode` or `fact`.
        text: the words.
        source: where it stands: a document and section, or an event.
        said_by: who said it, empty where nobody did.
        at: when it happened; None for what has no time (a document).
        session: the burst of turns that it belongs to.
        importance: `low`, `normal`, `high` or `critical`.
        accessed_at: when it was last recalled.
        topics: what it is about.
    """

    id: str
    kind: str
    text: str
    source: str = ""
    said_by: str = ""
    at: datetime | None = None
    session: str = ""
    importance: str = "normal"
    accessed_at: datetime | None = None
    topics: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory and how it ranked."""

    memory: Memory
    score: float
    relevance: float


@dataclass(frozen=True, slots=True)
class Found:
    """A source's answer: lists of scores by id, and the memories behind the ids, read from the table."""

    lists: Sequence[Mapping[str, float]] = ()
    memories: Mapping[str, Memory] = field(default_factory=dict)


class Source(Protocol):
    """A store that can be asked, bound to one scope when it is made: no question can name another."""

    def find(self, question: Question) -> Found:
        """Return what may be relevant."""
        ...


Rerank: TypeAlias = Callable[[str, Sequence[Recalled]], Sequence[Recalled]]
"""Puts the best candidates into a better order (a cross-encoder, say)."""
