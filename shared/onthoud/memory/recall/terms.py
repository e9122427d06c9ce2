"""Text to search terms: the words of a text as a word index sees them."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

_WORD = re.compile(r"[^\W_]+")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]+")
_POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)

_STEMMERS = {"da": "danish", "de": "german", "en": "english", "nl": "dutch"}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Function words: they carry no topic, and a rare question word must not outweigh the subject of the question.
STOP_WORDS: dict[str, frozenset[str]] = {
    "en": _words(
        "a about am an and are as at be been but by can could did do does for from had has have he her him his how "
        "i if in into is it its me my no not of on or our she should so than that the their them then there these "
        "they this to too us was we were what when where which who whom whose why will with would you your"
    ),
    "nl": _words(
        "aan al als bij dan dat de der deze die dit door een en er geen had heb hebben heeft het hij hoe hun ik in "
        "is je kan me met mijn na naar niet nog of om onze ons ook op over te tot uit van voor waar wanneer waarom "
        "wat we welke wie wij wordt zal ze zich zij zijn zo zou"
    ),
    "da": _words(
        "af alle at da de dem den der deres det dig din du eller en er et for fra har havde han hende her hun hvad "
        "hvem hvilken hvor hvordan hvorfor hvornår i ikke jeg kan man med men mig min mit ned nu når og også om op "
        "os over på sig sin skal som så til ud under var vi vil"
    ),
    "de": _words(
        "aber als am an auch auf aus bei bin bis das dass dem den der des die du ein eine einem einen einer eines "
        "er es für habe haben hat ich ihr im in ist kann mein mit nach nicht noch nur oder sich sie sind so über "
        "um und uns von vor wann warum was welche wenn wer werden wie wir wird wo zu zum zur"
    ),
}


def terms(text: str, language: str = "en") -> list[str]:
    """Return the terms of a text, in order, with repetitions.

    Words are lower-cased and stemmed (Snowball) by the rules of `language` where there are any; function words are
    left out. Runs of Chinese and Japanese characters, written without spaces, become overlapping pairs.
    """
    found: list[str] = []
    stop = STOP_WORDS.get(language, frozenset())
    for word in _WORD.findall(_POSSESSIVE.sub("", text.casefold())):
        if word in stop:
            continue
        for part, ideographic in _runs(word):
            found.extend(_pairs(part) if ideographic else [_stem(part, language)])
    return found


def _runs(word: str) -> list[tuple[str, bool]]:
    runs, at = [], 0
    for match in _IDEOGRAPHS.finditer(word):
        if match.start() > at:
            runs.append((word[at : match.start()], False))
        runs.append((match.group(), True))
        at = match.end()
    if at < len(word):
        runs.append((word[at:], False))
    return runs


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


@lru_cache(maxsize=65_536)
def _stem(word: str, language: str) -> str:
    stemmer = _stemmer(language)
    return str(stemmer.stemWord(word)) if stemmer else word


@cache
def _stemmer(language: str) -> Any:
    if language not in _STEMMERS:
        return None
    import snowballstemmer  # it brings all its languages: not before a search needs one

    return snowballstemmer.stemmer(_STEMMERS[language])
