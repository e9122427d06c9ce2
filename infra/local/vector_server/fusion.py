"""Server-side fusion of a dense and a sparse list, by the formulas that the SDK documents."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, pstdev

RRF_K = 60

Scored = list[tuple[int, float]]


def rrf(lists: Sequence[Scored]) -> Scored:
    """Reciprocal rank fusion: the sum of `1 / (rank + 60)`."""
    return _sum([[(row, 1 / (rank + RRF_K)) for rank, (row, _) in enumerate(entries, 1)] for entries in lists])


def dbsf(lists: Sequence[Scored]) -> Scored:
    """Distribution-based score fusion: each list's scores on the scale of mean ± 3 standard deviations."""
    return _sum([_normalised(entries) for entries in lists])


def _normalised(entries: Scored) -> Scored:
    if not entries:
        return []
    scores = [score for _, score in entries]
    mean, deviation = fmean(scores), pstdev(scores)
    if deviation == 0:
        return [(row, 0.5) for row, _ in entries]
    low = mean - 3 * deviation
    return [(row, (score - low) / (6 * deviation)) for row, score in entries]


def _sum(lists: Sequence[Scored]) -> Scored:
    total: dict[int, float] = {}
    for entries in lists:
        for row, score in entries:
            total[row] = total.get(row, 0.0) + score
    return sorted(total.items(), key=lambda entry: -entry[1])
