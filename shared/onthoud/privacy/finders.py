"""Finders of mail addresses, cards and IBANs: a pattern proposes, a library's validator decides."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from onthoud.text.patterns import LazyPattern


@dataclass(frozen=True, slots=True)
class Finding:
    """Personal data of one kind at text[start:end]."""

    kind: str
    start: int
    end: int


_AT = r"(?:@|＠|\s?[(\[]\s?at\s?[)\]]\s?)"
_EMAIL = LazyPattern(
    rf"[A-Za-z0-9.!#$%&'*+/=?^_`{{|}}~-]{{1,64}}{_AT}(?:[A-Za-z0-9-]{{1,63}}\.)+[A-Za-z]{{2,24}}",
    re.IGNORECASE | re.ASCII,
)
# Looked for after the others: where no blanks are written, the words before such an address cannot be told from it.
_EMAIL_BEYOND_ASCII = LazyPattern(
    rf"[\w.!#$%&'*+/=?^`{{|}}~-]{{1,64}}{_AT}(?:[\w-]{{1,63}}\.)+[^\W\d_]{{2,24}}", re.IGNORECASE
)
_CARD = LazyPattern(r"(?<![\w.,-])\d(?:[ \u00a0.-]?\d){11,18}(?![\w-]|[.,]\d)")
_IBAN = LazyPattern(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ \u00a0-]?[A-Za-z0-9]){11,30}")
_BLANKS = LazyPattern(r"[ \u00a0.-]")


def find_emails(text: str) -> Iterator[Finding]:
    """Find mail addresses, `name (at) host` included; `email-validator` decides, without asking the network."""
    if "@" not in text and "＠" not in text and "at" not in text.lower():
        return
    for pattern in (_EMAIL, _EMAIL_BEYOND_ASCII):
        for match in pattern.finditer(text):
            start = match.end() - len(match[0].lstrip(".!#$%&'*+/=?^`{|}~-"))
            if _is_email(re.sub(_AT, "@", text[start : match.end()], flags=re.IGNORECASE)):
                yield Finding("email", start, match.end())
                text = text[:start] + " " * (match.end() - start) + text[match.end() :]


def find_cards(text: str) -> Iterator[Finding]:
    """Find payment card numbers of known brands, by brand, length and Luhn digit."""
    for match in _CARD.finditer(text):
        if _is_card(ascii_digits(_BLANKS.sub("", match[0]))):
            yield Finding("card", match.start(), match.end())


def find_ibans(text: str) -> Iterator[Finding]:
    """Find IBANs, with or without blanks: length by country and check digits (ISO 13616)."""
    for match in _IBAN.finditer(text):
        end = _iban_end(match[0])
        if end:
            yield Finding("iban", match.start(), match.start() + end)


def ascii_digits(text: str) -> str:
    """Write every decimal digit of any script as 0 to 9; the length stays."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)


def _is_email(address: str) -> bool:
    from email_validator import EmailNotValidError, validate_email  # imported where an @ was seen: it costs 30 ms

    try:
        validate_email(address, check_deliverability=False, test_environment=True)
    except EmailNotValidError:
        return False
    return True


def _is_card(digits: str) -> bool:
    from pydantic_core import PydanticCustomError
    from pydantic_extra_types.payment import PaymentCardBrand, PaymentCardNumber

    try:
        # Any number may pass Luhn's digit by chance, one in ten does; only a known brand makes it a card.
        return PaymentCardNumber(digits).brand != PaymentCardBrand.other
    except PydanticCustomError:
        return False


def _iban_end(written: str) -> int:
    """Return where the IBAN at the beginning of `written` ends, or 0."""
    from pydantic_extra_types.iban import IBAN_COUNTRY_CODE_LENGTH

    length = IBAN_COUNTRY_CODE_LENGTH.get(written[:2].upper())
    if length is None:
        return 0
    places = [place for place, char in enumerate(written) if char.isalnum()]
    if len(places) < length or (len(places) > length and places[length] == places[length - 1] + 1):
        return 0
    iban = "".join(written[place] for place in places[:length])
    return places[length - 1] + 1 if _is_iban(iban) else 0


def _is_iban(iban: str) -> bool:
    from pydantic import ValidationError

    try:
        _iban_adapter().validate_python(iban)
    except ValidationError:
        return False
    return True


@cache
def _iban_adapter() -> Any:
    from pydantic import TypeAdapter
    from pydantic_extra_types.iban import IBAN

    return TypeAdapter(IBAN)
