"""Whether there are words at all: emoji-only, blank, or nothing but mentions."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any

from onthoud.text.graphemes import graphemes
from onthoud.text.patterns import LazyPattern

# Letters and symbols by category that show nothing: Hangul fillers, the blank Braille pattern.
_INVISIBLE = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_MENTION = LazyPattern(r"(?<![\w@])[@＠][\w.·-]+")
_NUISANCE = frozenset("!.,~…！。，～*+")
# These three are pictographs by property and words by use, unless a selector asks for the picture.
_WORDLIKE = frozenset("©®™")


@cache
def _pattern() -> Any:
    import regex  # only text beyond ASCII pays for it

    return regex.compile(
        r"\p{Regional_Indicator}{2}"
        r"|[0-9#*]\uFE0F?\u20E3"
        r"|(?:\p{Emoji_Presentation}|\p{Extended_Pictographic})"
        r"(?:\p{Emoji_Modifier}|[\uFE0E\uFE0F\u200D\u20E3\U000E0020-\U000E007F]|\p{Extended_Pictographic}|[♀♂⚕])*"
    )


def is_emoji(grapheme: str) -> bool:
    """Say whether one grapheme is an emoji; a digit or a letter is none."""
    if grapheme.isascii() or grapheme in _WORDLIKE:
        return False
    return _pattern().fullmatch(grapheme) is not None


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
