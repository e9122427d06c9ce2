from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from onthoud.memory.recall import ranking

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def test_lists_of_any_scale_count_the_same() -> None:
    fused = ranking.fuse([{"a": 0.81, "b": 0.80}, {"b": 31.0, "c": 2.0}])
    assert fused == {"a": 0.5, "b": 0.5, "c": 0.0}


def test_what_is_best_in_every_list_has_relevance_one() -> None:
    assert ranking.fuse([{"a": 3.0, "b": 1.0}] * 4)["a"] == pytest.approx(1.0)


def test_a_list_of_equals_puts_all_of_it_on_top() -> None:
    assert ranking.fuse([{"a": 2.0, "b": 2.0}]) == {"a": 1.0, "b": 1.0}
    assert ranking.fuse([]) == {}
    assert ranking.fuse([{}, {"a": 1.0}]) == {"a": 0.5}


def test_a_memory_never_accessed_scores_no_worse_than_one_just_written() -> None:
    assert ranking.recency("normal", None, NOW) == ranking.recency("normal", NOW, NOW) == 1.0


def test_recency_halves_above_its_floor_and_never_falls_below() -> None:
    half = ranking.recency("normal", NOW - timedelta(days=60), NOW)
    assert half == pytest.approx(ranking.RECENCY_FLOOR + (1 - ranking.RECENCY_FLOOR) / 2)
    assert ranking.recency("low", NOW - timedelta(days=3650), NOW) == pytest.approx(ranking.RECENCY_FLOOR)


def test_the_important_fade_slower_and_the_critical_never() -> None:
    long_ago = NOW - timedelta(days=400)
    values = [ranking.recency(level, long_ago, NOW) for level in ("low", "normal", "high", "critical")]
    assert values == sorted(values)
    assert values[-1] == 1.0


def test_an_access_in_the_future_is_no_bonus() -> None:
    assert ranking.recency("normal", NOW + timedelta(days=9), NOW) == 1.0


def test_the_score_is_relevance_times_recency_times_importance() -> None:
    assert ranking.score(0.8, "high", None, NOW) == pytest.approx(0.8 * 1.0 * 0.75)


def test_what_comes_in_company_gains() -> None:
    raised = ranking.in_company({"a": 0.6, "b": 0.6, "c": 0.6}, {"a": "s1", "b": "s1", "c": "s2"})
    assert raised["a"] == raised["b"] > raised["c"] > 0.6


@pytest.mark.parametrize(("budget", "count"), [(0, 0), (9, 0), (10, 1), (30, 2), (60, 3), (1000, 3)])
def test_a_budget_takes_from_the_front_and_stops_at_the_first_that_does_not_fit(budget: int, count: int) -> None:
    assert ranking.within([10, 20, 30], budget) == count
    assert ranking.within([10, 2000, 1], budget) == (1 if budget >= 10 else 0)
