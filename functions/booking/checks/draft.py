"""A draft being read: its text in one form, number words as digits, and what has been recognised taken out of it.

The principle is a closed world: every number, name and link must be explained by the record. So each recogniser takes
what it understands out of the text, and what is left at the end is what nobody has explained.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

import regex

from booking.checks.lexicon import Lexicon, alternation, every_lexicon, lexicon_of

GAP = "\ue000"
"""Stands for what has been taken out; matches no letter, digit or space."""
_INVISIBLE = regex.compile(r"[\p{Cf}\p{Co}\p{Cc}--[\n\t]]", regex.V1)
_DASHES = regex.compile(r"\s?[‐‑‒–—―−~〜～]\s?")
_QUOTES = regex.compile(r"[‘’ʼ`´]")
_HAN_NUMBER = regex.compile(
    r"(?<!星期|周|礼拜|週)[零〇一二三四五六七八九十百两]+(?=\s*(?:点|时|月|日|号|分|个?小时|个半|个钟|折|元|块|年|成|倍|%|场))"
)
_HAN_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> regex.Pattern[str]:
    """Return a pattern without regard to case; those of one customer's words come and go, the others stay."""
    return regex.compile(pattern, regex.IGNORECASE)


def normalised(text: str) -> str:
    """Return a text in the form in which it is compared: no hidden characters, one kind of dash, quote and digit."""
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    plain = _QUOTES.sub("'", _DASHES.sub("-", plain))
    return regex.sub(r"[^\S\n]+", " ", plain)


def literal(words: str) -> str:
    """Return a pattern for words of the record, not as a part of longer ones."""
    body = r"\s+".join(regex.escape(word) for word in normalised(words).split())
    before = "" if regex.match(r"\p{Han}", words) else r"(?<![\p{L}--\p{Han}]|\p{N})"
    return f"(?V1){before}{body}" + r"(?![\p{N}]|[\p{L}--\p{Han}])"


@dataclass(slots=True)
class Draft:
    """The text that is left to be explained, and what was found wrong.

    Attributes:
        text: all of it, in the form in which it is compared.
        whole: the same with number words as digits, and without the record's own names.
        left: what nobody has explained yet; as long as `whole`.
    """

    lexicon: Lexicon
    text: str
    whole: str
    left: str = ""
    faults: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, text: str, lexicon: Lexicon, *, name: str = "", names: Iterable[str] = ()) -> Draft:
        """Begin to read a draft.

        `name` is the customer's, `names` are others of the record. Where they stand exactly as there, they are taken
        out first: somebody may be called April, and a club "Court 23". A longer name than the customer's stays.
        """
        plain = normalised(text)
        rest = plain
        for words in names:
            if words.strip():
                rest = compiled(literal(words)).sub(_gap, rest)
        if name.strip():
            # Beside a number it is the month; before another capital it is a longer name.
            own = rf"(?V1)(?<!\d\.?\s+)(?i:{literal(name).removeprefix('(?V1)')})(?!\.?\s+(?:\d|\p{{Lu}}))"
            rest = regex.sub(own, _gap, rest)
        whole = with_digits(rest, lexicon)
        return cls(lexicon, plain, whole, whole)

    def named(self, words: str) -> bool:
        """Say whether words of the record stand in the draft."""
        return bool(words) and compiled(literal(words)).search(self.text) is not None

    def take(self, pattern: str) -> Iterator[regex.Match[str]]:
        """Take all matches out of what is left, and return them in order. Case does not count."""
        found = list(compiled(pattern).finditer(self.left))
        for match in found:
            self.remove(*match.span())
        return iter(found)

    def remove(self, start: int, end: int) -> None:
        """Take a stretch out."""
        self.left = self.left[:start] + GAP * (end - start) + self.left[end:]

    def fault(self, name: str) -> None:
        """Note what is wrong; each fault once."""
        if name not in self.faults:
            self.faults.append(name)


def _gap(match: regex.Match[str]) -> str:
    return GAP * len(match[0])


def with_digits(text: str, lexicon: Lexicon) -> str:
    """Return a text with its number words as digits, where they count something of ours."""
    if not lexicon.spaced:
        return _HAN_NUMBER.sub(lambda match: _han_value(match[0]), text)
    patterns = _numbers(lexicon.language)
    text = patterns.ordinal.sub(lambda match: f"{patterns.ordinal_value(match[0])}.", text)
    text = patterns.cardinal.sub(lambda match: str(patterns.values[match[0].casefold()]), text)
    return patterns.one.sub("1", text)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """How one language writes numbers in words."""

    ordinal: regex.Pattern[str]
    ordinals: tuple[str, ...]
    cardinal: regex.Pattern[str]
    values: Mapping[str, int]
    one: regex.Pattern[str]

    def ordinal_value(self, word: str) -> int:
        """Return the number of an ordinal, whatever its ending."""
        said = word.casefold()
        fitting = [stem for stem in self.ordinals if said.startswith(stem.removesuffix("*"))]
        return self.ordinals.index(max(fitting, key=len)) + 1


@cache
def _numbers(language: str) -> _Numbers:
    lexicon = lexicon_of(language)
    names = [word for one in every_lexicon() for words in one.words("months") for word in words]
    months, courts = "|".join(regex.escape(word) for word in names), lexicon.choice("courts")
    values = {word: number for number, word in enumerate(lexicon.words("cardinals")) if word}
    values |= lexicon.data["more_cardinals"]
    # An ordinal counts only beside a month or a court: "first of all" and "eine zweite Person" are no numbers of ours.
    ordinal = alternation(lexicon.words("ordinals"))
    ones = "|".join(regex.escape(word) for word in lexicon.words("one"))
    return _Numbers(
        ordinal=compiled(
            rf"{ordinal}(?=\s+(?:of\s+|van\s+)?(?:{months})(?!\p{{L}})|\s+(?:{courts}))"
            rf"|(?<=(?:{months})\s+(?:the\s+)?){ordinal}"
        ),
        ordinals=lexicon.words("ordinals"),
        cardinal=compiled(alternation(values)),
        values=values,
        one=compiled(
            rf"(?<=(?:{courts})\s+)(?:{ones})(?!\p{{L}})"
            rf"|(?<!\p{{L}})(?:{ones})(?=\s+(?:{lexicon.choice('clock_after')}|[ap]\.?m\b))"
        ),
    )


def _han_value(word: str) -> str:
    if not set(word) & {"十", "百"}:
        return "".join(str(_HAN_DIGITS[char]) for char in word)
    total, digit = 0, 0
    for char in word:
        if char in {"十", "百"}:
            total += (digit or 1) * (10 if char == "十" else 100)
            digit = 0
        else:
            digit = _HAN_DIGITS[char]
    return str(total + digit)
