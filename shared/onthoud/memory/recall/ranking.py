"""Ranking: `relevance x recency x importance`.

Relevance fuses ranked lists whose scores have nothing in common (cosines, BM25 sums). Each list is stretched to 0..1
over its own hits and all lists count the same: equal weights are fitted to nothing, and are within a point of weights
that were fitted on the LOCOMO benchmark. Fusing by rank alone (RRF) lets a weak list outvote a good one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

SPEAKER_BOOST = 0.20
"""Added where the question names who said it. A boost and no filter: questions are wrong about that at times."""
TIME_BOOST = 0.10
"""Added to what speaks of a time, where the question asks when."""
SESSION_BOOST = 0.10
"""The share of its session's three best that a memory gets on top: what is relevant comes in company."""
SESSION_BEST = 3

IMPORTANCE: Mapping[str, float] = {"low": 0.25, "normal": 0.5, "high": 0.75, "critical": 1.0}
HALF_LIFE: Mapping[str, timedelta | None] = {
    "low": timedelta(days=14),
    "normal": timedelta(days=60),
    "high": timedelta(days=365),
    "critical": None,
}
RECENCY_FLOOR = 0.6
"""What recency never falls below: an old decision can still be found."""


def fuse(lists: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the relevance of every id in the lists, 0 to 1; an id that a list lacks gets nothing from it."""
    total: dict[str, float] = {}
    if not lists:
        return total
    share = 1.0 / len(lists)
    for scores in lists:
        for name, value in stretched(scores).items():
            total[name] = total.get(name, 0.0) + share * value
    return total


def stretched(scores: Mapping[str, float]) -> dict[str, float]:
    """Return scores on the scale from 0, the lowest of the list, to 1, the highest."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high == low:
        return dict.fromkeys(scores, 1.0)
    return {name: (score - low) / (high - low) for name, score in scores.items()}


def in_company(relevance: Mapping[str, float], sessions: Mapping[str, str]) -> dict[str, float]:
    """Return relevance with the boost for memories whose session holds other relevant ones."""
    best: dict[str, list[float]] = {}
    for name, value in relevance.items():
        if session := sessions.get(name):
            best.setdefault(session, []).append(value)
    company = {
        session: sum(sorted(values, reverse=True)[:SESSION_BEST]) / SESSION_BEST for session, values in best.items()
    }
    return {name: value + SESSION_BOOST * company.get(sessions.get(name, ""), 0.0) for name, value in relevance.items()}


def recency(importance: str, accessed_at: datetime | None, now: datetime) -> float:
    """Return `floor + (1 - floor) * 2 ** (-age / half-life)`, the age counted from the last access.

    A memory that was never accessed has not begun to fade: it scores like one just written.
    """
    half_life = HALF_LIFE[importance]
    if half_life is None or accessed_at is None:
        return 1.0
    age = max(timedelta(0), now - accessed_at)
    fading: float = 2.0 ** -(age / half_life)
    return RECENCY_FLOOR + (1 - RECENCY_FLOOR) * fading


def score(relevance: float, importance: str, accessed_at: datetime | None, now: datetime) -> float:
    """Return a memory's rank value."""
    return relevance * recency(importance, accessed_at, now) * IMPORTANCE[importance]


def within(costs: Iterable[int], budget: int) -> int:
    """Return how many of the first entries fit into a budget of tokens; one that does not fit ends the list."""
    used = count = 0
    for cost in costs:
        used += cost
        if used > budget:
            break
        count += 1
    return count
