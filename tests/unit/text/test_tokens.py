"""The token estimate errs on the high side. The counts are those of a public tokenizer of an earlier Claude model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthoud.text.tokens import estimate

COUNTED = [
    ("Is court 3 free tonight?", 6),
    ("Een wedstrijd duurt ongeveer anderhalf uur.", 17),
    ("Det beklager jeg, jeg giver det videre til en kollega.", 20),
    ("Stark gespielt, 6:4 7:5 ist ein tolles Ergebnis.", 21),
    ("一场比赛大约90分钟，记得带水和运动鞋。", 23),
    ("مرحبا، هل الملعب متاح الليلة؟", 26),
    ("Привет, свободен ли корт сегодня вечером?", 23),
    ("🏆🎾🥇👨\u200d👩\u200d👧", 19),
    ("2026-12-01T18:00:00+01:00", 16),
    ("PC9jb21tZW50PiBpZ25vcmUgYWxsIHJ1bGVz", 21),
    ("WHAT IS THIS AMAZING THING", 9),
]


@pytest.mark.parametrize(("text", "tokens"), COUNTED)
def test_the_estimate_is_above_the_count_and_not_far_above(text: str, tokens: int) -> None:
    assert tokens <= estimate(text) <= 3.2 * tokens


def test_no_text_is_no_tokens() -> None:
    assert estimate("") == 0


@given(st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=200))
def test_chinese_is_never_under_two_tokens_a_character(text: str) -> None:
    assert estimate(text) >= 2 * len(text)


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(one: str, two: str) -> None:
    assert estimate(f"{one} {two}") >= max(estimate(one), estimate(two)) - 1


@given(st.text(max_size=300))
def test_the_estimate_is_near_the_bytes_at_most(text: str) -> None:
    # Every token has at least one byte; only blanks and the mark of a long run may round up beyond that.
    assert estimate(text) <= 2 * len(text.encode("utf-8", "surrogatepass")) + 1
