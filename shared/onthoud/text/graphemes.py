"""Text cut and split between graphemes: an emoji family, a flag or an accented letter is never torn apart.

Every platform counts in its own way; `limit_of` says how much one message on a channel may hold, and in what unit.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from onthoud.text.patterns import LazyPattern

Count = Callable[[str], int]

_URL = LazyPattern(r"https?://[^\s<>\"]+|(?<![\w@.])(?:[a-z0-9-]+\.)+[a-z]{2,12}\b(?:/[^\s<>\"]*)?", re.IGNORECASE)
_X_URL = 23
# The ranges of twitter-text's configuration v3 that weigh one; everything else weighs two.
_X_LIGHT = ((0, 4351), (8192, 8205), (8208, 8223), (8242, 8247))


# These three are pictographs by property and words by use, unless a selector asks for the picture.
_WORDLIKE = frozenset("©®™")


def code_points(text: str) -> int:
    """Count Unicode code points."""
    return len(text)


def utf16_units(text: str) -> int:
    """Count UTF-16 code units: what JavaScript and Java call a length."""
    return len(text) + sum(char > "\uffff" for char in text)


def utf8_bytes(text: str) -> int:
    """Count bytes in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def x_weight(text: str) -> int:
    """Count as X does (twitter-text, configuration v3).

    Latin weighs one, most other scripts two, an emoji two however many code points it has, an address 23. A bare
    domain weighs its own length if that is more, since X may not take it for an address.
    """
    weight, position = 0, 0
    text = unicodedata.normalize("NFC", text)
    for url in _URL.finditer(text):
        weight += _x_words(text[position : url.start()])
        weight += _X_URL if "://" in url[0] else max(_X_URL, _x_words(url[0]))
        position = url.end()
    return weight + _x_words(text[position:])


@dataclass(frozen=True, slots=True)
class Limit:
    """How much one message may hold, in the unit that `count` counts."""

    size: int
    count: Count


LIMITS = {
    # Instagram Help, comments and captions: 2,200 characters.
    "instagram": Limit(2200, utf16_units),
    # Facebook Help, comments: 8,000 characters.
    "facebook": Limit(8000, utf16_units),
    # Messenger Platform, Send API reference: message.text, UTF-8, 2,000 characters.
    "messenger": Limit(2000, utf16_units),
    # YouTube Data API, comments.insert: commentTextTooLong above 10,000 characters.
    "youtube": Limit(10_000, utf16_units),
    # X developer documentation, "Counting characters": 280 weighted characters.
    "x": Limit(280, x_weight),
    # Business Profile API, ReviewReply.comment: at most 4,096 bytes.
    "google_business": Limit(4096, utf8_bytes),
    # WhatsApp Cloud API, text messages: text.body, 4,096 characters.
    "whatsapp": Limit(4096, utf16_units),
    # A mail has no limit that matters; one message stays one.
    "email": Limit(100_000, code_points),
}
DEFAULT_LIMIT = Limit(2000, utf16_units)
"""For channels without an entry: the smallest limit common among platforms."""

_ALIASES = {"twitter": "x", "google": "google_business", "instagram_dm": "messenger"}


def limit_of(channel: str) -> Limit:
    """Return the limit of one message on `channel`."""
    name = channel.casefold()
    return LIMITS.get(_ALIASES.get(name, name), DEFAULT_LIMIT)


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


def graphemes(text: str) -> list[str]:
    """Return the grapheme clusters of `text` (UAX #29)."""
    if text.isascii() and "\r" not in text:
        return list(text)
    import regex  # only text beyond ASCII pays for it

    return regex.findall(r"\X", text)


def cut(text: str, max_bytes: int, mark: str = "…") -> str:
    """Return `text` whole if it fits `max_bytes` of UTF-8, else its beginning up to a grapheme, and `mark`.

    The result, mark included, never exceeds `max_bytes`.

    Raises:
        ValueError: not even the mark fits.
    """
    if utf8_bytes(mark) > max_bytes:
        raise ValueError("the mark alone is longer than the limit")
    if len(text) <= max_bytes and utf8_bytes(text) <= max_bytes:
        return text
    room = max_bytes - utf8_bytes(mark)
    kept: list[str] = []
    # A code point has at least one byte, so nothing behind this slice fits; one more keeps the last grapheme whole.
    for grapheme in graphemes(text[: max_bytes + 1]):
        room -= utf8_bytes(grapheme)
        if room < 0:
            break
        kept.append(grapheme)
    return "".join(kept) + mark


def split(text: str, limit: int, count: Count = code_points) -> list[str]:
    """Return parts of at most `limit` that, joined, are `text` again; no parts for no text.

    A part ends at a paragraph, a line, a sentence or a word where one ends in its second half, else at any word, else
    between two graphemes. An address is kept whole if it fits.

    Raises:
        ValueError: one grapheme alone exceeds the limit, or the limit is below 1.
    """
    if limit < 1:
        raise ValueError("the limit must be at least 1")
    parts: list[str] = []
    atoms: list[str] = []
    weight = 0
    for atom in _atoms(text, limit, count):
        size = count(atom)
        if size > limit:
            raise ValueError(f"one grapheme alone counts {size}, over the limit of {limit}")
        while weight + size > limit:
            here = _boundary(atoms, atom)
            parts.append("".join(atoms[:here]))
            atoms = atoms[here:]
            weight = sum(map(count, atoms))
        atoms.append(atom)
        weight += size
    return [*parts, "".join(atoms)] if atoms else parts


def split_for(text: str, channel: str) -> list[str]:
    """Return the messages that carry `text` on `channel`: within its limit, trimmed, none blank.

    Raises:
        ValueError: as `split`.
    """
    limit = limit_of(channel)
    return [part.strip() for part in split(text.strip(), limit.size, limit.count) if part.strip()]


def _x_words(text: str) -> int:
    if text.isascii():
        return len(text)
    weight = 0
    for grapheme in graphemes(text):
        each = sum(1 if any(low <= ord(char) <= high for low, high in _X_LIGHT) else 2 for char in grapheme)
        weight += 2 if is_emoji(grapheme) else each
    return weight


def _atoms(text: str, limit: int, count: Count) -> Iterator[str]:
    position = 0
    for url in _URL.finditer(text):
        if count(url[0]) > limit:
            continue
        # A combining mark or joiner right behind the address belongs to its last letter.
        if text[url.end() : url.end() + 1] and graphemes(text[url.end() - 1 : url.end() + 1])[0] != text[url.end() - 1]:
            continue
        yield from graphemes(text[position : url.start()])
        yield url[0]
        position = url.end()
    yield from graphemes(text[position:])


def _boundary(atoms: list[str], following: str) -> int:
    """Return how many of `atoms` make the next part; `following` is the one that did not fit any more."""
    half = len(atoms) // 2
    best = {"paragraph": 0, "line": 0, "sentence": 0, "word": 0}
    for index, (before, after) in enumerate(pairwise([*atoms, following]), 1):
        if after.isspace() or not (before.isspace() or before in "。！？"):
            continue
        tail = "".join(atoms[max(0, index - 4) : index])
        if tail.endswith("\n"):
            best["paragraph" if tail.rstrip(" \t").endswith("\n\n") else "line"] = index
        if tail.rstrip().endswith((".", "!", "?", "…", "。", "！", "？")):
            best["sentence"] = index
        best["word"] = index
    chosen = next((index for index in best.values() if index > half), best["word"])
    return chosen or len(atoms)
