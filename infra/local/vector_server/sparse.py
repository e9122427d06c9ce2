"""The sparse half: BM25 as sparse vectors. Documents carry saturated term frequencies, the query's side adds IDF."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass

from onthoud.memory.recall.terms import terms

NAME = "BM25"
K1 = 1.2
B = 0.75
AVERAGE_TERMS = 32
"""BM25's average document length. A constant, since a stored vector cannot follow the collection."""


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Dimensions and their values, in step."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


def document(text: str) -> SparseVector:
    """Embed a text that is to be found."""
    counts = Counter(terms(text))
    length = sum(counts.values())
    weights: dict[int, float] = {}
    for term, count in counts.items():
        weight = count * (K1 + 1) / (count + K1 * (1 - B + B * length / AVERAGE_TERMS))
        weights[_dimension(term)] = weights.get(_dimension(term), 0.0) + weight
    return SparseVector(tuple(weights), tuple(weights.values()))


def query(text: str) -> SparseVector:
    """Embed a text that asks: every term weighs the same until IDF."""
    dimensions = dict.fromkeys(_dimension(term) for term in terms(text))
    return SparseVector(tuple(dimensions), (1.0,) * len(dimensions))


def _dimension(term: str) -> int:
    return zlib.crc32(term.encode()) & 0x7FFF_FFFF
