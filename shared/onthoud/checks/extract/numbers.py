"""Numbers as people write them: digits with either separator, and words in five languages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from types import MappingProxyType

NUMBER = r"\d{1,3}(?:[., ']\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d{1,2})?(?!\d)"
"""A number in digits; `1.250,00`, `1,250.00`, `1 250`, `12,50`, `12.50`."""
CHINESE_NUMBER = r"[零〇一二两三四五六七八九十百千]{1,7}"

_CHINESE_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CHINESE_UNITS = {"十": 10, "百": 100, "千": 1000}

_EN = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen \
eighteen nineteen"
_NL = "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien \
achttien negentien"
_DE = "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn \
achtzehn neunzehn"
_DA = "nul en to tre fire fem seks syv otte ni ti elleve tolv tretten fjorten femten seksten sytten atten nitten"
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "da": "tyve tredive fyrre halvtreds tres halvfjerds firs halvfems",
}
_HUNDRED = {"en": "hundred", "nl": "honderd", "de": "hundert", "da": "hundrede"}


def parse_number(written: str) -> Decimal:
    """Read a number in digits. A single separator before three digits groups thousands; before one or two, decimals."""
    digits = re.sub(r"[ ']", "", written)
    decimals = re.search(r"[.,](\d{1,2})$", digits)
    whole = re.sub(r"[.,]", "", digits[: decimals.start()] if decimals else digits)
    return Decimal(f"{whole}.{decimals[1]}" if decimals else whole)


def parse_chinese(written: str) -> int:
    """Read a Chinese numeral below 10,000, such as 二十五 or 一百."""
    total, digit = 0, None
    for char in written:
        if char in _CHINESE_UNITS:
            total += (1 if digit is None else digit) * _CHINESE_UNITS[char]
            digit = None
        else:
            digit = (digit or 0) * 10 + _CHINESE_DIGITS[char]
    return total + (digit or 0)


@cache
def number_words() -> Mapping[str, int]:
    """Return the words for 1 to 100 in English, Dutch, German and Danish, in lower case."""
    words: dict[str, int] = {"one hundred": 100, "een": 1, "één": 1, "eins": 1, "et": 1, "én": 1}
    for language, small in (("en", _EN), ("nl", _NL), ("de", _DE), ("da", _DA)):
        ones = small.split()
        words.update((word, value) for value, word in enumerate(ones) if value)
        words[_HUNDRED[language]] = 100
        for index, tens in enumerate(_TENS[language].split()):
            value = 20 + 10 * index
            words[tens] = value
            for one in range(1, 10):
                words.update((word, value + one) for word in _compounds(language, ones[one], tens))
    words.update({word.replace("ß", "ss"): value for word, value in words.items() if "ß" in word})
    return MappingProxyType(words)


@cache
def number_word_pattern() -> str:
    """Return an alternation of all number words, longest first, to be matched in lower case."""
    return "|".join(sorted(map(re.escape, number_words()), key=len, reverse=True))


def _compounds(language: str, one: str, tens: str) -> tuple[str, ...]:
    if language == "en":
        return f"{tens}-{one}", f"{tens} {one}"
    if language == "nl":
        return f"{one}{'ën' if one.endswith('e') else 'en'}{tens}", f"{one}en{tens}"
    return (f"{one}{'und' if language == 'de' else 'og'}{tens}",)
