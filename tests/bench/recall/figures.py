"""The figures: what share of the evidence is found, and how early."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, quantiles

from tests.bench.recall.locomo import CATEGORIES, SCORED, Asked, Conversation

BUDGETS = (512, 1024)
Ranking = Sequence[str]
"""Turn ids, best first."""


def of_question(ranking: Ranking, asked: Asked, costs: Mapping[str, int]) -> dict[str, float]:
    """Return the figures of one question, each between 0 and 1."""
    found = {f"recall@{depth}": _share(ranking[:depth], asked.evidence) for depth in (5, 10)}
    found["ndcg@10"] = _ndcg(ranking[:10], asked.evidence)
    for budget in BUDGETS:
        found[f"in {budget} tokens"] = _share(_within(ranking, costs, budget), asked.evidence)
    return found


def mean(results: Sequence[tuple[Asked, Mapping[str, float]]], categories: Sequence[int] = SCORED) -> dict[str, float]:
    """Return the mean figures over the questions of some categories, in percent."""
    chosen = [figures for asked, figures in results if asked.category in categories]
    return {name: 100 * fmean(one[name] for one in chosen) for name in chosen[0]} if chosen else {}


def by_category(results: Sequence[tuple[Asked, Mapping[str, float]]]) -> dict[str, float]:
    """Return recall@10 per category, in percent."""
    return {name: mean(results, (number,)).get("recall@10", math.nan) for number, name in CATEGORIES.items()}


def score(rankings: Mapping[str, Sequence[Ranking]], conversations: Sequence[Conversation]) -> list:  # type: ignore[type-arg]
    """Return every question with its figures; `rankings` holds those of each conversation in order of its questions."""
    results = []
    for conversation in conversations:
        costs = {turn.id: conversation.cost(turn) for turn in conversation.turns}
        for asked, ranking in zip(conversation.questions, rankings[conversation.name], strict=True):
            results.append((asked, of_question(ranking, asked, costs)))
    return results


def spread(seconds: Sequence[float]) -> tuple[float, float]:
    """Return median and 95th percentile in milliseconds."""
    cuts = quantiles(seconds, n=100)
    return 1000 * cuts[49], 1000 * cuts[94]


def _share(ranking: Ranking, evidence: frozenset[str]) -> float:
    return len(evidence & set(ranking)) / len(evidence)


def _within(ranking: Ranking, costs: Mapping[str, int], budget: int) -> list[str]:
    taken, used = [], 0
    for name in ranking:
        used += costs[name]
        if used > budget:
            break
        taken.append(name)
    return taken


def _ndcg(ranking: Ranking, evidence: frozenset[str]) -> float:
    gained = sum(1 / math.log2(place + 2) for place, name in enumerate(ranking) if name in evidence)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(evidence), 10)))
    return gained / ideal
