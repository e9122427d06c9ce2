"""What script and language a text is in: a hint from letters and common words, silent when unsure.

It knows Dutch, Danish, German, English and Chinese well enough to choose an answer's language, and a few neighbours
(Norwegian, Swedish, French, Spanish, Italian, Portuguese) well enough not to mistake them for these.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import takewhile
from types import MappingProxyType

from onthoud.text.common_words import COMMON_WORDS
from onthoud.text.patterns import LazyPattern

_NOISE = LazyPattern(
    r"(?:https?://|www\.)\S+|(?<!\S)[^\s@]{1,64}@[^\s@]{3,200}|(?<!\w)[@#＠＃][\w.-]+|\b[\w-]{1,63}\.(?:com|org|net|nl|de|dk|eu|cn|io)\b\S*",
    re.IGNORECASE,
)
_QUOTED_LINE = LazyPattern(r"^\s*(?:>|＞|\|)")
# Where a mail's own words end: the signature's dashes, a farewell line, a device's advertisement, the quoted original.
_END_OF_WORDS = LazyPattern(
    r"^(?:--\s*|_{5,}|-{5,}.*)$"
    r"|^(?:sent from my|get outlook for|verstuurd vanaf|verzonden met|von meinem .{1,40} gesendet|gesendet von"
    r"|sendt fra min|发自我的|从我的.{1,20}发送)"
    r"|^(?:on\b.{4,120}\bwrote|op\b.{4,120}\bschreef.{0,80}|am\b.{4,120}\bschrieb.{0,80}|den\b.{4,120}\bskrev.{0,80}"
    r"|.{4,80}写道)\s*[:：]\s*$"
    r"|^(?:mit (?:freundlichen|besten|lieben|sportlichen) gr(?:ü|ue)(?:ß|ss)en"
    r"|(?:viele|liebe|beste|schöne) gr(?:ü|ue)(?:ß|ss)e"
    r"|met vriendelijke groet(?:en)?|vriendelijke groet(?:en)?|(?:med )?venlig(?:e)? hilsen(?:er)?"
    r"|(?:kind|best|warm) regards|yours sincerely|此致|祝好)\b",
    re.IGNORECASE,
)

_LETTERS = (("da", "æø"), ("no", "æø"), ("de", "ß"), ("sv", "ä"), ("es", "ñ¿¡"), ("pt", "ãõ"), ("fr", "çêœ"))
_NORDIC = frozenset({"da", "no"})
_TOKEN = LazyPattern(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SCRIPT_NAMES = (
    ("CJK", "Hani"),
    ("HIRAGANA", "Hira"),
    ("KATAKANA", "Kana"),
    ("HANGUL", "Hang"),
    ("LATIN", "Latn"),
    ("CYRILLIC", "Cyrl"),
    ("ARABIC", "Arab"),
    ("HEBREW", "Hebr"),
    ("GREEK", "Grek"),
    ("THAI", "Thai"),
    ("DEVANAGARI", "Deva"),
)
_SCRIPT_LANGUAGES = MappingProxyType(
    {"Hani": "zh", "Jpan": "ja", "Hang": "ko", "Grek": "el", "Hebr": "he", "Thai": "th"}
)
_CHECKED = MappingProxyType({**dict.fromkeys(("nl", "da", "de", "en", "es", "fr"), "Latn"), "zh": "Hani"})
"""The languages that `plausible` is sure of, and their scripts. In others a reply may fall back to the default one."""


def own_words(text: str) -> str:
    """Return what the writer said: without quoted lines, signature, mentions, hashtags and addresses."""
    kept: list[str] = []
    for line in takewhile(lambda line: not _END_OF_WORDS.search(line.strip()), text.splitlines()):
        if not _QUOTED_LINE.match(line):
            kept.append(line)
    return _NOISE.sub(" ", "\n".join(kept))


def script_of(text: str) -> str | None:
    """Return the script of most letters as ISO 15924 (`Latn`, `Hani`, `Jpan`, `Arab`, ...), or None without letters."""
    counts = _scripts(text)
    if not counts:
        return None
    return max(counts, key=lambda name: counts[name])


def language_hint(text: str) -> str | None:
    """Return the ISO 639-1 code of the language that `text` is surely in, else None."""
    words = own_words(text)
    script = script_of(words)
    if script != "Latn":
        return _SCRIPT_LANGUAGES.get(script) if script else None
    return _winner(_scores(words), len(_tokens(words)))


def plausible(reply_language: str, text: str) -> bool:
    """Say whether `text` may be in `reply_language` (a BCP 47 tag); False only when it surely is not.

    Dutch, Danish, German, English, Chinese, Spanish and French are told apart; any other language is taken on trust.
    """
    language = reply_language.replace("_", "-").split("-")[0].strip().casefold()
    words = _NOISE.sub(" ", text)
    script, expected = script_of(words), _CHECKED.get(language)
    if script is None or expected is None:
        return True
    if script != expected:
        # A name or two in another script says nothing about the sentence.
        return sum(_scripts(words).values()) < 12
    seen = language_hint(text) if script == "Latn" else None
    if seen is None or seen == language or {seen, language} == _NORDIC:
        return True
    scores = _scores(words)
    return scores[seen] < 4 or scores[language] * 2 > scores[seen]


def _scripts(text: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for char in text:
        if char.isascii():
            counts["Latn"] += char.isalpha()
        elif char.isalpha():
            name = unicodedata.name(char, "")
            counts[next((script for start, script in _SCRIPT_NAMES if name.startswith(start)), "Zyyy")] += 1
    kana = counts.pop("Hira", 0) + counts.pop("Kana", 0)
    if kana:
        counts["Jpan"] = kana + counts.pop("Hani", 0)
    # A Chinese character says about as much as two letters.
    if "Hani" in counts:
        counts["Hani"] *= 2
    return +counts


def _scores(words: str) -> Counter[str]:
    scores: Counter[str] = Counter(dict.fromkeys(COMMON_WORDS, 0))
    for token in _tokens(words):
        known = [language for language, common in COMMON_WORDS.items() if token in common]
        for language in known:
            # A longer word that only one language has says more than "is" or "de".
            scores[language] += 2 if len(known) == 1 and len(token) >= 4 else 1
    lowered = words.casefold()
    for language, letters in _LETTERS:
        scores[language] += min(2, sum(lowered.count(letter) for letter in letters))
    return scores


def _tokens(words: str) -> list[str]:
    return [token.casefold() for token in _TOKEN.findall(words.replace("’", "'"))]


def _winner(scores: Counter[str], tokens: int) -> str | None:
    (first, most), (second, less), (_, least) = scores.most_common(3)
    if {first, second} == _NORDIC and most - less <= 1:
        if most == less:
            return None
        less = least
    if most < 2 or most * 8 < tokens or (most == 2 and less):
        return None
    return first if most >= less + 2 or (most > less and most * 2 >= tokens) else None
