"""Comments without words."""

from __future__ import annotations

import pytest

from onthoud.text.emoji import is_blank, is_emoji, is_emoji_only, is_mentions_only


@pytest.mark.parametrize(
    "text",
    [
        "🔥🔥🔥",
        "❤️",
        "❤",
        "👨\u200d👩\u200d👧",
        "🇳🇱 🇩🇰",
        "👍🏽!!!",
        "1️⃣2️⃣",
        "😂\n😂",
        "@ana 🔥",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "❤\u200d🔥",
        "👏👏~",
    ],
)
def test_emoji_and_marks_alone_are_emoji_only(text: str) -> None:
    assert is_emoji_only(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "wow 🔥",
        "😂?",
        "123",
        "#1",
        "❤ja",
        "好🔥",
        "<3",
        ":)",
        "!!",
        "™",
        "@ana",
        "à",
        "ä",
        "！！",
        "\u3000",
        "\u200b",
    ],
)
def test_words_digits_and_questions_are_not(text: str) -> None:
    assert not is_emoji_only(text)


@pytest.mark.parametrize(
    "text", ["", "  \n\t", "\u200b\u200d\ufeff", "\u2800", "\u3164", "\u00a0", "\u202e\u202c", "\x00"]
)
def test_what_nobody_can_see_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", ".", "🔥", "？", "@ana", "\u200ba"])
def test_what_can_be_seen_is_not_blank(text: str) -> None:
    assert not is_blank(text)


def test_naming_friends_is_mentions_only() -> None:
    assert is_mentions_only("@ana @ben.j ＠王")
    assert not is_mentions_only("@ana look")
    assert not is_mentions_only("ana@example.com")
    assert not is_mentions_only("")


def test_a_letter_or_a_trademark_is_no_emoji() -> None:
    assert not is_emoji("a")
    assert not is_emoji("©")
    assert is_emoji("©\ufe0f")
