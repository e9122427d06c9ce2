"""The token estimate errs on the high side. The counts are a tokenizer's, taken once and written down here."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from onthoud.text.tokens import estimate


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
