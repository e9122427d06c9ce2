"""Whether there are words at all: emoji-only, blank, or nothing but mentions."""

from __future__ import annotations

import unicodedata

from onthoud.text.graphemes import graphemes, is_emoji
from onthoud.text.patterns import LazyPattern

# Letters and symbols by category that show nothing: Hangul fillers, the blank Braille pattern.
_INVISIBLE = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_MENTION = LazyPattern(r"(?<![\w@])[@＠][\w.·-]+")
_NUISANCE = frozenset("!.,~…！。，～*+")


def is_emoji_only(text: str) -> bool:
    """Say whether `text` holds emoji and nothing else but blanks, mentions and marks such as `!`."""
    if text.isascii():
        return False
    seen = 0
    for grapheme in graphemes(_MENTION.sub(" ", text)):
        if is_emoji(grapheme):
            seen += 1
        elif grapheme not in _NUISANCE and not _shows_nothing(grapheme):
            return False
    return seen > 0


def is_blank(text: str) -> bool:
    """Say whether nothing of `text` can be seen: blanks, zero-width characters, controls."""
    return not text or text.isspace() or _shows_nothing(text)


def is_mentions_only(text: str) -> bool:
    """Say whether `text` only names other people (`@ana @ben`), which calls them and asks nothing of us."""
    return _MENTION.search(text) is not None and _shows_nothing(_MENTION.sub(" ", text))


def _shows_nothing(text: str) -> bool:
    return all(
        char.isspace() or char in _INVISIBLE or unicodedata.category(char) in {"Cf", "Cc", "Cs", "Co", "Cn", "Mn", "Me"}
        for char in text
    )
