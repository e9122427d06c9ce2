"""BM25 in process: for the few hundred turns of one customer, read from the table, no index is needed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from onthoud.memory.recall.terms import terms

K1 = 1.2
B = 0.75


def bm25(query: str, texts: Mapping[str, str], language: str = "en") -> dict[str, float]:
    """Return the scores of the texts that share a term with the query."""
    asked = set(terms(query, language))
    counts = {name: Counter(terms(text, language)) for name, text in texts.items()}
    lengths = {name: sum(count.values()) for name, count in counts.items()}
    average = sum(lengths.values()) / len(lengths) if lengths else 0.0
    scores: dict[str, float] = {}
    for term in asked:
        holders = [name for name, count in counts.items() if term in count]
        idf = math.log((len(texts) - len(holders) + 0.5) / (len(holders) + 0.5) + 1)
        for name in holders:
            count = counts[name][term]
            saturated = count * (K1 + 1) / (count + K1 * (1 - B + B * lengths[name] / average))
            scores[name] = scores.get(name, 0.0) + idf * saturated
    return scores
