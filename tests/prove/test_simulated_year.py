"""The simulated year at full size. Its figures are printed: `make prove` shows them."""

from __future__ import annotations

import pytest

from tests.fakes.year import Year

pytestmark = [pytest.mark.prove, pytest.mark.timeout(1200)]


@pytest.mark.parametrize("seed", [1, 2026])
def test_a_year_without_a_repeat_a_miss_or_a_false_resolve(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    figures = Year(seed, 365).play()
    with capsys.disabled():
        print(f"\nseed {seed}: {figures.line()}")
    assert figures.faults == 0, figures.examples
    assert figures.failed_readings == 40
    assert figures.fired_twice > 10
