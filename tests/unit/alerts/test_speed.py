"""10,000 open alerts are planned in under a second of one core."""

from __future__ import annotations

from tests.bench.bench_alert_log import BUDGET_S, planning_cpu_s


def test_ten_thousand_open_alerts_are_planned_in_under_a_second() -> None:
    assert planning_cpu_s() < BUDGET_S
