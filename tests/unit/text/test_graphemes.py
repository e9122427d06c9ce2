"""Cutting and splitting: nothing is torn, nothing is lost, nothing is too long."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from onthoud.text.graphemes import (
    Count,
    code_points,
    cut,
    graphemes,
    limit_of,
    split,
    split_for,
    utf8_bytes,
    utf16_units,
    x_weight,
)

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
CLUSTERS = [
    FAMILY,
    "🇳🇱",
    "🇩🇰",
    "e\u0301",
    "👍🏽",
    "1\ufe0f\u20e3",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
]
mixed = st.lists(
    st.sampled_from([*CLUSTERS, "a", " ", ". ", "\n\n", "ø", "中", "文。", "https://club.example/a?b=c"])
).map("".join)


@given(mixed, st.integers(3, 60))
def test_cut_text_fits_and_ends_between_graphemes(text: str, max_bytes: int) -> None:
    result = cut(text, max_bytes)
    assert len(result.encode()) <= max_bytes
    if result != text:
        kept = result.removesuffix("…")
        assert text.startswith(kept)
        assert "".join(graphemes(text)[: len(graphemes(kept))]) == kept


@given(mixed)
def test_text_that_fits_is_left_whole(text: str) -> None:
    assert cut(text, max(3, len(text.encode()))) == text


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_cluster_is_never_cut_at_odd_offsets(cluster: str) -> None:
    text = "a" + cluster * 3
    for max_bytes in range(4, len(text.encode())):
        kept = cut(text, max_bytes).removesuffix("…")
        assert kept in {"a" + cluster * times for times in range(4)} | {""}


def test_a_mark_longer_than_the_limit_is_an_error() -> None:
    with pytest.raises(ValueError, match="mark"):
        cut("a long text", 2)


COUNTS: list[Count] = [code_points, utf16_units, utf8_bytes, x_weight]


@given(mixed, st.integers(40, 90), st.sampled_from(COUNTS))
def test_parts_joined_are_the_original_and_each_fits(text: str, limit: int, count: Count) -> None:
    parts = split(text, limit, count)
    assert "".join(parts) == text
    assert all(count(part) <= limit for part in parts)
    assert sum(len(regex.findall(r"\X", part)) for part in parts) == len(regex.findall(r"\X", text))


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_no_part_ends_inside_a_cluster(cluster: str) -> None:
    text = "a" + cluster * 20
    for limit in range(utf16_units(cluster), 3 * utf16_units(cluster)):
        assert all(part.removeprefix("a").replace(cluster, "") == "" for part in split(text, limit, utf16_units))


def test_a_part_ends_at_a_paragraph_then_a_sentence_then_a_word() -> None:
    assert split("One two three.\n\nFour five six.", 20) == ["One two three.\n\n", "Four five six."]
    assert split("One two. Three four. Five", 22) == ["One two. Three four. ", "Five"]
    assert split("alpha beta gamma", 12) == ["alpha beta ", "gamma"]
    assert split("第一句话。第二句话。第三", 10) == ["第一句话。第二句话。", "第三"]


def test_an_address_is_kept_whole() -> None:
    assert split("see https://club.example/path now", 30) == ["see https://club.example/path ", "now"]


def test_a_grapheme_over_the_limit_is_an_error() -> None:
    with pytest.raises(ValueError, match="grapheme"):
        split(f"ok {FAMILY}", 5, utf16_units)


def test_no_text_has_no_parts() -> None:
    assert split("", 10) == []


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("hello", 5),
        ("中文", 4),
        ("ø", 1),
        (FAMILY, 2),
        ("🇳🇱", 2),
        ("see https://club.example/a/very/long/path/that/goes/on/and/on", 4 + 23),
        ("e\u0301", 1),
        ("“quoted”", 8),
    ],
)
def test_x_counts_by_weight(text: str, weight: int) -> None:
    assert x_weight(text) == weight


def test_limits_count_as_the_channel_counts() -> None:
    assert limit_of("X").size == 280
    assert limit_of("twitter") == limit_of("x")
    assert limit_of("instagram").size == 2200
    assert limit_of("google_business").count("中") == 3
    assert limit_of("a channel of tomorrow").size == 2000


def test_messages_for_a_channel_are_trimmed_and_never_blank() -> None:
    messages = split_for("word " * 100 + "\n" * 300 + "end", "x")
    assert all(message == message.strip() and message for message in messages)
    assert all(x_weight(message) <= 280 for message in messages)
    assert messages[-1] == "end"


def test_ten_thousand_characters_split_quickly() -> None:
    assert "".join(split("Ein Satz mit Wörtern. 👍🏽 " * 4000, 280, x_weight)).count("👍🏽") == 4000
