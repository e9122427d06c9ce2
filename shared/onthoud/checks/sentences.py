"""Sentences, as far as a check needs them: is this a question, a farewell, a denial?"""

from __future__ import annotations

import re

from onthoud.checks.extract.names import MONTHS
from onthoud.text.patterns import LazyPattern

_NEXT_WORD = LazyPattern(r"\s+([^\W\d_]+)")
_END = LazyPattern(r"[!?。！？\n]+|\.(?=\s+[^\W\d_]|\s*$)")
_ABBREVIATION = LazyPattern(
    r"(?:^|\W)(?:kl|d|nr|no|st|ca|bzw|z\.\s?B|bijv|e\.g|i\.e|[ap]\.m|mr|mrs|dr)$", re.IGNORECASE
)

_FAREWELL = LazyPattern(
    r"(?<!\w)(?:see (?:you|ya|u)|till|until then|bye|have (?:a )?(?:fun|great|good|nice|lovely)|enjoy|good luck|happy"
    r"|tot|veel (?:plezier|succes)|fijne|prettige|geniet"
    r"|bis|viel (?:spaß|spass|erfolg|glück)|schönen?|schönes|frohe[ns]?"
    r"|vi ses|ses|hav en|god (?:fornøjelse|weekend|kamp)|held og lykke|rigtig god)(?!\w)"
    r"|再见|见[!！。~]?$|玩得开心|祝|快乐|加油",
    re.IGNORECASE,
)
_DENIED_BEFORE = LazyPattern(
    r"(?:(?<!\w)(?:no|not|never|cannot|without|geen|niet|nooit|zonder|kein\w*|nicht|nie|ohne|ingen|ikke|aldrig"
    r"|uden)|n['’]t)"
    r"(?:\s+[\w'’-]+){0,4}\s+$|(?:没有|没|不|无法|暂无|暂时没)[^，。！？,.!?]{0,6}$",
    re.IGNORECASE,
)
_DENIED_AFTER = LazyPattern(
    r"^(?:\s+[\w'’-]+){0,6}\s+(?:not|niet|nicht|ikke|never|nooit|nie|aldrig)(?!\w)"
    r"|^(?:\s+[\w'’-]+){0,4}\s+\w+n['’]t(?!\w)"
    r"|^[^，。！？]{0,6}(?:没有|不)",
    re.IGNORECASE,
)


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of `text`, each with its end mark."""
    spans: list[tuple[int, int]] = []
    start = 0
    for mark in _END.finditer(text):
        if mark[0] == "." and (_ABBREVIATION.search(text[start : mark.start()]) or _is_ordinal(text, mark.start())):
            continue
        spans.append((start, mark.end()))
        start = mark.end()
    if text[start:].strip():
        spans.append((start, len(text)))
    return spans


def _is_ordinal(text: str, dot: int) -> bool:
    """Say whether a dot behind a number goes on with a month or in lower case: "am 1. Dezember"."""
    following = _NEXT_WORD.match(text, dot + 1)
    if not text[dot - 1 : dot].isdigit() or following is None:
        return False
    return following[1].islower() or following[1].lower() in MONTHS


def sentence_at(text: str, position: int) -> tuple[int, int]:
    """Return the span of the sentence that holds `position`."""
    return next((span for span in sentences(text) if span[0] <= position < span[1]), (0, len(text)))


def is_question(sentence: str) -> bool:
    """Say whether a sentence asks."""
    return sentence.rstrip().endswith(("?", "？")) or sentence.rstrip("。.！! ").endswith(("吗", "呢"))


def is_farewell(sentence: str) -> bool:
    """Say whether a sentence only wishes well or says goodbye."""
    return _FAREWELL.search(sentence) is not None


def is_denied(sentence: str, start: int, end: int) -> bool:
    """Say whether sentence[start:end] is negated where it stands: "no discount", "Rabatt geben wir nicht"."""
    return bool(_DENIED_BEFORE.search(sentence[:start]) or _DENIED_AFTER.search(sentence[end:]))
