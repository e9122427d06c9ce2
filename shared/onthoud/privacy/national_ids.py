"""National identity numbers, by their published check digits.

* Dutch BSN: nine digits, the "elfproef" with weights 9 to 2 and -1 (Logisch Ontwerp BSN);
* Danish CPR: DDMMYY-SSSS with a possible date; the modulus-11 digit is no longer given to all (CPR-kontoret);
* German tax number (IdNr): eleven digits, ISO 7064 MOD 11,10, one digit of the first ten repeated (section 139b AO);
* Chinese resident identity number: 18 places with a date of birth, ISO 7064 MOD 11-2 (GB 11643-1999).

Every eleventh number of nine digits passes for a BSN, so a bare one counts only beside a word such as "BSN".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date

from onthoud.privacy.finders import Finding, ascii_digits
from onthoud.text.patterns import LazyPattern

_BSN = LazyPattern(r"(?<![\w+.,/-])\d{9}(?![\w/-]|[.,]\d)|(?<![\w+.,/-])\d{4}[ .]\d{2}[ .]\d{3}(?![\w/-]|[.,]\d)")
_BSN_WORD = LazyPattern(r"\b(?:bsn|burgerservicenummer|sofi-?nummer)\b", re.IGNORECASE)
_CPR = LazyPattern(r"(?<![\w+.,/-])(?P<d>[0-3]\d)(?P<m>[01]\d)(?P<y>\d\d)[ -]\d{4}(?![\w/-]|[.,]\d)")
_IDNR = LazyPattern(r"(?<![\w+.,/-])[1-9]\d(?: ?\d{3}){3}(?![\w/-]|[.,]\d)")
_CHINESE = LazyPattern(r"(?<!\d)[1-9]\d{5}(?P<y>19|20)(?P<yy>\d\d)(?P<m>[01]\d)(?P<d>[0-3]\d)\d{3}[\dXx](?![\dA-Za-z])")
_CHINESE_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def find_national_ids(text: str) -> Iterator[Finding]:
    """Find Dutch, Danish, German and Chinese identity numbers."""
    text = ascii_digits(text)
    if _BSN_WORD.search(text):
        for match in _BSN.finditer(text):
            if is_bsn(re.sub(r"\D", "", match[0])):
                yield Finding("national_id", match.start(), match.end())
    for match in _CPR.finditer(text):
        if _is_date(2000 + int(match["y"]), int(match["m"]), int(match["d"])):
            yield Finding("national_id", match.start(), match.end())
    for match in _IDNR.finditer(text):
        if is_german_tax_id(match[0].replace(" ", "")):
            yield Finding("national_id", match.start(), match.end())
    for match in _CHINESE.finditer(text):
        if _is_date(int(match["y"] + match["yy"]), int(match["m"]), int(match["d"])) and is_chinese_id(match[0]):
            yield Finding("national_id", match.start(), match.end())


def is_bsn(digits: str) -> bool:
    """Say whether nine digits pass the eleven proof of the BSN."""
    weights = (9, 8, 7, 6, 5, 4, 3, 2, -1)
    return int(digits) > 0 and sum(weight * int(digit) for weight, digit in zip(weights, digits, strict=True)) % 11 == 0


def is_german_tax_id(digits: str) -> bool:
    """Say whether eleven digits are a German tax number by ISO 7064 MOD 11,10 and its rule of one repeated digit."""
    repeated = [count for count in Counter(digits[:10]).values() if count > 1]
    if len(repeated) != 1 or repeated[0] > 3:
        return False
    product = 10
    for digit in digits[:10]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def is_chinese_id(number: str) -> bool:
    """Say whether 18 places carry the check character of ISO 7064 MOD 11-2."""
    total = sum(weight * int(digit) for weight, digit in zip(_CHINESE_WEIGHTS, number[:17], strict=True))
    return "10X98765432"[total % 11] == number[17].upper()


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
