"""Phone numbers, by `phonenumbers` (libphonenumber), without what only looks like one.

The library knows which numbers exist; it cannot know that "2014-2015" are years and "21-19 21-17" a score, both of them
possible Danish numbers. So dates, times, scores, amounts, spans of years and what is called an order or an id are
taken out first, and a bare run of digits counts only where its form or a word beside it makes it a phone number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from onthoud.privacy.finders import Finding, ascii_digits
from onthoud.text.patterns import LazyPattern

_LONG_ENOUGH = LazyPattern(r"\d(?:[\s().\-/–·]{0,3}\d){6}")
_NOT_PHONES = LazyPattern(
    r"\d{4}-\d\d?-\d\d?(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?"  # 2026-12-01T18:00:00+01:00
    r"|(?<!\d)\d{1,2}([./-])\s?\d{1,2}\1\s?(?:19|20)\d\d(?!\d)"  # 1.12.2026
    r"|(?<!\d)(?:19|20)\d\d[./]\d{1,2}[./]\d{1,2}(?!\d)"
    r"|(?<!\d)(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)"  # 20261201
    r"|(?<!\d)\d{1,2}[:.]\d\d\s?(?:-|–|—|to|tot|bis|til|到|至)\s?\d{1,2}[:.]\d\d(?!\d)"  # 18:00-19:30
    r"|(?<!\d)\d{1,2}:\d\d(?::\d\d)?(?!\d)"
    r"|(?<!\d)(?:19|20)\d\d\s?[-–/&,]?\s?(?:19|20)\d\d(?!\d)"  # 2014-2015
    r"|(?<!\d)\d{1,2}\s?[-–]\s?\d{1,2}(?:[,;/\s]+\d{1,2}\s?[-–]\s?\d{1,2})+(?!\d)"  # 21-19 21-17
    r"|(?<!\d)\d{1,3}(?:[.,]\d{3}){2,}(?:[.,]\d\d)?(?!\d)"  # 2.000.000.000
    r"|(?<![\d.])\d{5,}\.\d+(?![\d.])"  # 1796015677.509117
    r"|(?:[€$£¥￥]|EUR|USD|DKK|kr\.?)\s?\d[\d., ]{0,15}|(?<!\d)\d[\d.,]{0,15}\s?(?:€|euro?s?\b|EUR|USD|DKK|kr\b|元|块)"
    r"|(?:https?://|www\.)\S+|[\w-]+\.(?:com|nl|de|dk|be)/\S+",
    re.IGNORECASE,
)
_NAMED_OTHERWISE = LazyPattern(
    r"(?:order|bestelling|bestellung|bestell?|ordre|booking|boeking|buchung|reserver\w+|reservierung"
    r"|reservation|invoice"
    r"|factuur|rechnung|faktura|ticket|case|kvk|cvr|ust|btw|vat|serial|item|article|artikel|track(?:ing)?"
    r"|member(?:ship)?|lid|klant"
    r"|customer|kunden?|id|isbn|ean|订单|编号|单号|发票|会员)"
    r"(?:\s?-?\s?(?:number|num|nummer|nr|no|id|code|号码|号))?\.?\s?(?:is|:|：|#|=)?\s?[#№]?\s?[A-Z]{0,4}-?$|[#№]\s?$",
    re.IGNORECASE,
)
_CALLED_PHONE = LazyPattern(
    r"(?<!\w)(?:tel|tlf|telefoon\w*|telefon\w*|phone|mobile|mobil\w*|mobiel\w*|cell|handy\w*|whats ?app|wa|sms|call"
    r"|text me|ring|reach|bel|bellen|app me|appen|anrufen|erreich\w*|nummer|number|nr|gsm)(?!\w)"
    r"|电话|手机|微信|打给|联系|号码",
    re.IGNORECASE,
)
NEAR = 40
"""How many characters from a number a word may stand that makes it a phone number."""
_DIGITS = LazyPattern(r"\d+")
_CHINESE_MOBILE = LazyPattern(r"1[3-9]\d{9}")


def find_phones(text: str, regions: Sequence[str]) -> Iterator[Finding]:
    """Find phone numbers that exist in one of `regions` (ISO 3166 codes), or anywhere with a country code."""
    text = ascii_digits(text)
    if not _LONG_ENOUGH.search(text):
        return
    text = _NOT_PHONES.sub(lambda match: re.sub(r"\d", "x", match[0]), text)
    if not _LONG_ENOUGH.search(text):
        return
    from phonenumbers import Leniency, PhoneNumberMatcher  # 50 ms, and only where enough digits were seen

    # Who writes a country code means a phone number, even one that nobody has.
    spans = {(match.start, match.end) for match in PhoneNumberMatcher(text, None, leniency=Leniency.POSSIBLE)}
    for region in regions:
        for match in PhoneNumberMatcher(text, region):
            if _is_phone(text, match.start, match.end):
                spans.add((match.start, match.end))
    end = 0
    for start, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= end:
            yield Finding("phone", start, stop)
            end = stop


def _is_phone(text: str, start: int, end: int) -> bool:
    written = text[start:end]
    if written.startswith(("+", "00")):
        return True
    if _NAMED_OTHERWISE.search(text[max(0, start - NEAR) : start]):
        return False
    groups = _DIGITS.findall(written)
    if written.startswith(("0", "(")) or len(groups) >= 3 or _CHINESE_MOBILE.fullmatch("".join(groups)):
        return True
    # One or two runs of digits and nothing else: only a word beside them makes them a phone number.
    return _CALLED_PHONE.search(text, max(0, start - NEAR), end + NEAR) is not None
