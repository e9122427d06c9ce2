"""The question: what is asked, cleared of what misleads an index."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

_ASKS_WHEN = re.compile(
    r"\b(when|how long|how often|what (?:date|day|month|year|time)|which (?:date|day|month|year)"
    r"|wanneer|hoe lang|hoe laat|hvornår|hvor længe|wann|wie lange|um wie viel uhr)\b|什么时候|几点|多久|哪天",
    re.IGNORECASE,
)
_SPEAKS_OF_TIME = re.compile(
    r"\b(yesterday|today|tomorrow|tonight|ago|last|next|week(?:end)?s?|months?|years?|days?|morning|evening"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|gisteren|vandaag|morgen|vorige|volgende|geleden|maand(?:en)?|jaar|dagen|i går|i dag|i morgen"
    r"|sidste|næste|siden|måned(?:er)?|år|dage|gestern|heute|letzte[nrs]?|nächste[nrs]?|vor|monat(?:e|en)?|jahre?n?"
    r"|tage?n?|(?:19|20)\d\d)\b|昨天|今天|明天|上周|下周|去年|今年|明年|月|年",
    re.IGNORECASE,
)
_MAX_CHARACTERS = 1000
"""An embedding of more than this says nothing in particular."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is wanted.

    Attributes:
        text: the words of the question.
        names: names of the people who take part. A name draws every text of or to its bearer, whatever it is about:
            it is taken out of the words and counts for who said something instead.
        since: nothing that happened before.
        until: nothing that happened later.
        topics: only memories of one of these topics; empty for any.
        budget: how many tokens the answer may take.
    """

    text: str
    names: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    topics: frozenset[str] = frozenset()
    budget: int = 1024

    @property
    def words(self) -> str:
        """The question without the names; the whole question where nothing else is left."""
        bare = without_names(self.text, self.names)
        return (bare or self.text)[:_MAX_CHARACTERS]

    @property
    def named(self) -> frozenset[str]:
        """Those of the names that the question mentions."""
        return frozenset(name for name in self.names if _name(name).search(self.text))

    @property
    def asks_when(self) -> bool:
        """Whether a time is asked for."""
        return _ASKS_WHEN.search(self.text) is not None


def speaks_of_time(text: str) -> bool:
    """Say whether a text mentions a time."""
    return _SPEAKS_OF_TIME.search(text) is not None


def without_names(text: str, names: Collection[str]) -> str:
    """Return a text without names and their possessives."""
    for name in sorted(names, key=len, reverse=True):
        text = _name(name).sub(" ", text)
    return " ".join(text.split())


def _name(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?:['’]s?)?(?!\w)", re.IGNORECASE)
