"""Amounts of money and percentages in five languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache

from onthoud.checks.extract.mentions import PercentMention, PriceMention, first_come
from onthoud.checks.extract.numbers import (
    CHINESE_NUMBER,
    NUMBER,
    number_word_pattern,
    number_words,
    parse_chinese,
    parse_number,
)
from onthoud.text.patterns import LazyPattern

_CURRENCIES = {
    "EUR": r"€|EUR\b|euro['’]?s?(?!\w)|欧元",
    "USD": r"(?:US)?\$|USD\b|(?:US[ -])?dollars?(?!\w)|bucks(?!\w)|美元|美金",
    "GBP": r"£|GBP\b|pounds?(?: sterling)?(?!\w)|quid(?!\w)|英镑",
    "DKK": r"DKK\b",
    "SEK": r"SEK\b",
    "NOK": r"NOK\b",
    "KR": r"kr\b\.?|kroner(?!\w)|kronen(?!\w)|kronor(?!\w)|克朗",
    "CHF": r"CHF\b|franken(?!\w)",
    "CNY": r"[¥￥]|CNY\b|RMB\b|yuan(?!\w)|人民币|元|块钱",
}
_ANY = "|".join(f"(?:{pattern})" for pattern in _CURRENCIES.values())
_BEFORE_AMOUNT = r"[€$£¥￥]|US\$|EUR\b|USD\b|GBP\b|DKK\b|SEK\b|NOK\b|CHF\b|CNY\b|RMB\b|kr\b\.?|人民币"
_KRONER = frozenset({"DKK", "SEK", "NOK"})

# Chinese is written without blanks: a character before a number does not go on in it.
_FRESH = r"(?<![A-Za-z0-9_.,])"
_AFTER = LazyPattern(rf"{_FRESH}(?P<n>{NUMBER})(?:,-|\.-)?\s?(?:-\s?)?(?P<c>{_ANY})", re.IGNORECASE)
_BEFORE = LazyPattern(rf"(?<!\w)(?P<c>{_BEFORE_AMOUNT})\s?(?P<n>{NUMBER})", re.IGNORECASE)
# "€ 20-25", "20 to 25 euros": the currency stands at one end only.
_RANGE_AFTER = LazyPattern(
    rf"{_FRESH}(?P<n>{NUMBER})\s?(?:-|–|to|tot|bis|til|à|到|至)\s?(?:{NUMBER})\s?(?P<c>{_ANY})",
    re.IGNORECASE,
)
_RANGE_BEFORE = LazyPattern(
    rf"(?<!\w)(?P<c>{_BEFORE_AMOUNT})\s?(?:{NUMBER})\s?(?:-|–|to|tot|bis|til|à)\s?(?P<n>{NUMBER})", re.IGNORECASE
)
_DASH = LazyPattern(rf"(?<![A-Za-z0-9_.,:])(?P<n>{NUMBER})\s?[,.](?:-|–|—)(?!\d)")
_CHINESE = LazyPattern(rf"(?P<n>{CHINESE_NUMBER})(?P<c>元|块钱|欧元|美元|克朗|英镑)")
_LABELLED = LazyPattern(
    rf"(?:price|fee|costs?|rate|amount|prijs|tarief|kosten|kost|preis|gebühr|kostet|pris|koster|价格|费用|收费|租金)\W{{0,6}}(?:is\s|:|=)?\s?"
    rf"(?P<n>{NUMBER})",
    re.IGNORECASE,
)

_PERCENT = LazyPattern(
    rf"{_FRESH}(?P<n>\d{{1,3}}(?:[.,]\d{{1,2}})?)\s?(?:%|percent\b|per cent\b|pct\b|procent\w*|prozent\w*)",
    re.IGNORECASE,
)
_FOLD = LazyPattern(r"(?P<n>\d(?:\.\d)?|\d\d|[一二三四五六七八九]{1,2})折(?!叠)")
_HALF_PRICE = LazyPattern(
    r"(?<!\w)(?:half[ -]price|half off|halve prijs|halber preis|halben preis|halv pris)(?!\w)|半价", re.IGNORECASE
)


def prices(text: str, *, loose: bool = False) -> list[PriceMention]:
    """Return the amounts of money that `text` states; loosely also "price: 24", without a currency."""
    return first_come(_prices(text, loose))


def percents(text: str) -> list[PercentMention]:
    """Return the percentages that `text` states, half price and Chinese 折 included."""
    return first_come(_percents(text))


def same_money(one: PriceMention, other: PriceMention) -> bool:
    """Say whether two amounts are equal, as far as their currencies are known."""
    if one.amount != other.amount:
        return False
    pair = {one.currency, other.currency}
    return len(pair) == 1 or None in pair or (("KR" in pair) and bool(pair & _KRONER))


def _prices(text: str, loose: bool) -> Iterator[PriceMention]:
    for pattern in (_BEFORE, _AFTER, _RANGE_BEFORE, _RANGE_AFTER):
        for match in pattern.finditer(text):
            start, end = (match.start(), match.end()) if pattern in (_BEFORE, _AFTER) else match.span("n")
            yield PriceMention(start, end, parse_number(match["n"]), _currency(match["c"]))
    for match in _CHINESE.finditer(text):
        yield PriceMention(match.start(), match.end(), Decimal(parse_chinese(match["n"])), _currency(match["c"]))
    for match in _word_pattern().finditer(text):
        amount = number_words()[match["n"].lower()]
        yield PriceMention(match.start(), match.end(), Decimal(amount), _currency(match["c"]))
    for pattern in (_DASH, *((_LABELLED,) if loose else ())):
        for match in pattern.finditer(text):
            yield PriceMention(match.start("n"), match.end("n"), parse_number(match["n"]), None)


@cache
def _word_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?P<n>{number_word_pattern()})[\s-](?P<c>{_ANY})", re.IGNORECASE)


def _currency(written: str) -> str | None:
    return next((code for code, pattern in _CURRENCIES.items() if re.fullmatch(pattern, written, re.IGNORECASE)), None)


def _percents(text: str) -> Iterator[PercentMention]:
    for match in _PERCENT.finditer(text):
        yield PercentMention(match.start(), match.end(), parse_number(match["n"]))
    for match in _FOLD.finditer(text):
        digits = (
            match["n"]
            if match["n"][0].isdigit()
            else "".join(str("零一二三四五六七八九".index(char)) for char in match["n"])
        )
        kept = Decimal(digits) * (10 if len(digits.split(".")[0]) == 1 else 1)
        yield PercentMention(match.start(), match.end(), 100 - kept)
    for match in _HALF_PRICE.finditer(text):
        yield PercentMention(match.start(), match.end(), Decimal(50))
