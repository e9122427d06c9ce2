"""Fingerprints and phases: what is the same, what is not, and what has no spelling."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthoud.errors import PermanentError
from onthoud.memory.alerts.fingerprint import fingerprint, subject_of
from onthoud.memory.alerts.phases import Due, Ladder, due_phase

SCALARS = st.none() | st.booleans() | st.integers() | st.text()
TODAY = date(2026, 11, 30)


def test_the_order_of_fields_and_the_form_of_unicode_do_not_count() -> None:
    assert fingerprint({"a": 1, "b": "é"}, 1) == fingerprint({"b": "e\u0301", "a": 1}, 1)


@given(st.dictionaries(st.text(min_size=1), SCALARS, min_size=1), st.text(min_size=1), SCALARS)
def test_any_other_field_is_another_fingerprint(material: dict[str, Any], name: str, value: Any) -> None:
    other = {**material, name: value}
    same = name in material and material[name] == value and type(material[name]) is type(value)
    if not same and {str(k): repr(v) for k, v in material.items()} != {str(k): repr(v) for k, v in other.items()}:
        assert fingerprint(material, 1) != fingerprint(other, 1) or _alike(material, other)


def _alike(first: dict[str, Any], second: dict[str, Any]) -> bool:
    import unicodedata

    def form(value: Any) -> Any:
        return unicodedata.normalize("NFC", value) if isinstance(value, str) else (type(value).__name__, value)

    return {k: form(v) for k, v in first.items()} == {k: form(v) for k, v in second.items()}


def test_a_word_a_number_and_a_truth_are_different_things() -> None:
    values: list[Any] = ["1", 1, True, None, ""]
    assert len({fingerprint({"a": value}, 1) for value in values}) == len(values)


def test_the_version_of_the_declaration_is_part_of_it() -> None:
    assert fingerprint({"a": 1}, 1) != fingerprint({"a": 1}, 2)


@pytest.mark.parametrize("material", [{}, {"a": 1.5}, {"a": float("nan")}, {"a": ["x"]}])
def test_what_has_no_one_spelling_is_refused(material: dict[str, Any]) -> None:
    with pytest.raises(PermanentError):
        fingerprint(material, 1)


@given(st.text())
def test_a_subject_can_be_typed_and_stored(raw: str) -> None:
    if not raw:
        with pytest.raises(PermanentError):
            subject_of(raw)
        return
    subject = subject_of(raw)
    assert 0 < len(subject) <= 120
    assert subject.isprintable()
    assert subject == raw or subject.startswith("sha256-")


@pytest.mark.parametrize(
    ("days", "phase"),
    [
        (-400, Due.OVERDUE),
        (-1, Due.OVERDUE),
        (0, Due.TODAY),
        (1, Due.TOMORROW),
        (2, Due.WEEK),
        (7, Due.WEEK),
        (8, Due.LATER),
    ],
)
def test_the_phases_of_a_date(days: int, phase: Due) -> None:
    assert due_phase(TODAY + timedelta(days=days), TODAY) is phase


def test_no_date_is_no_phase() -> None:
    assert due_phase(None, TODAY) is Due.NONE


@given(st.integers(0, 2000), st.integers(0, 4))
def test_a_ladder_climbs_at_once_and_falls_only_clearly(value: int, before: int) -> None:
    ladder = Ladder((1, 10, 100, 1000))
    plain = ladder.step(value)
    kept = ladder.step(value, before)
    assert kept in {plain, before}
    assert kept >= plain
    if kept > plain:
        assert value * 100 > ladder.steps[before - 1] * 80
