"""The lexica: per language, the words by which claims are recognised. Data lies in `booking/lexicon/*.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import regex

from booking.when import LANGUAGES

FOLDER = Path(__file__).parents[1] / "lexicon"
NOTHING = regex.compile(r"(?!)")


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """One language's words."""

    language: str
    data: Mapping[str, Any]

    @property
    def spaced(self) -> bool:
        """Whether the language parts its words."""
        return self.language != "zh"

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list of words."""
        return tuple(self.data[name])

    def any_of(self, *names: str) -> regex.Pattern[str]:
        """Return a pattern that finds any word of these lists."""
        return _any_of(self.language, names)

    def choice(self, *names: str) -> str:
        """Return the words of these lists as an alternation, longest first."""
        return _choice(self.language, names)

    @property
    def vocabulary(self) -> frozenset[str]:
        """All words that a plain confirmation may be made of."""
        return _vocabulary(self.language)


def alternation(words: Iterable[str], *, spaced: bool = True) -> str:
    """Return words as a regular expression; `*` at the end takes any ending; one that matches nothing for none."""
    return _alternation(tuple(words), spaced)


@lru_cache(maxsize=1024)
def _alternation(words: tuple[str, ...], spaced: bool) -> str:
    ordered = sorted(set(words), key=len, reverse=True)
    if not ordered:
        return "(?!)"
    parts = [
        regex.escape(word.removesuffix("*")).replace(r"\ ", r"\s+") + (r"\p{L}*" if word.endswith("*") else "")
        for word in ordered
    ]
    inner = "|".join(parts)
    return rf"(?<![\p{{L}}\p{{N}}])(?:{inner})(?![\p{{L}}\p{{N}}])" if spaced else f"(?:{inner})"


@cache
def _choice(language: str, names: tuple[str, ...]) -> str:
    lexicon = lexicon_of(language)
    return alternation([word for name in names for word in lexicon.words(name)], spaced=lexicon.spaced)


@cache
def _any_of(language: str, names: tuple[str, ...]) -> regex.Pattern[str]:
    lexicon = lexicon_of(language)
    return regex.compile(lexicon.choice(*names), regex.IGNORECASE)


@cache
def lexicon_of(language: str) -> Lexicon:
    """Return a language's lexicon."""
    return Lexicon(language, tomllib.loads((FOLDER / f"{language}.toml").read_text("utf-8")))


@cache
def every_lexicon() -> tuple[Lexicon, ...]:
    """Return all lexica: names of days and months are recognised in each of them, whatever the draft's language."""
    return tuple(lexicon_of(language) for language in LANGUAGES)


_PLAIN_LISTS = (
    *("courts", "clock_after", "clock_before", "range", "hours", "minutes", "greetings", "titles", "confirmed"),
    *("moved", "moved_weakly", "openers", "morning", "afternoon", "evening", "wishes", "half_before", "half_past"),
    *("quarter_past", "quarter_to", "noon", "midnight", "an_hour", "half_hour", "one_and_a_half", "until", "one"),
)


@cache
def _vocabulary(language: str) -> frozenset[str]:
    lexicon = lexicon_of(language)
    phrases = [*lexicon.data["vocabulary"].split()]
    for name in _PLAIN_LISTS:
        phrases += lexicon.words(name)
    for name in ("months", "weekdays", "weekdays_before_a_date"):
        phrases += [word for words in lexicon.words(name) for word in words]
    phrases += [word for word in lexicon.words("cardinals") if word]
    phrases += [word.removesuffix("*") for word in lexicon.words("ordinals")]
    if not lexicon.spaced:
        return frozenset(phrases)
    return frozenset(word.casefold() for phrase in phrases for word in regex.findall(r"[\p{L}']+", phrase))
