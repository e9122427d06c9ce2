"""Coupon and access codes stand in the material, or not in the reply; a code that the customer named proves nothing."""

from __future__ import annotations

import re

from onthoud.checks.extract import CodeMention, codes
from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds, Reply
from onthoud.checks.phrases import phrases
from onthoud.checks.sentences import sentence_at
from onthoud.text.markup import visible
from onthoud.text.patterns import LazyPattern

NAME = "codes"
_COUPON = LazyPattern(
    r"FREE|SAVE|OFF|DEAL|PROMO|GIFT|WIN|VIP|WELCOME|SALE|BONUS|DISCOUNT|GRATIS|KORTING|RABAT|GUTSCHEIN|SUMMER|SOMMER|ZOMER"
    r"|WINTER|SPRING|XMAS|MEMBER|CLUB|CODE"
)
_TO_BE_USED = phrases(
    r"use|using|codes?|coupons?|vouchers?|apply|enter|redeem|checkout|desk|till|discount|off|deals?|free|save|grab|quote"
    r"|here's|here is|pin|passwords?",
    r"gebruik|voer|code|kortings?\w*|kassa|balie|gratis|wachtwoord|pincode",
    r"nutze|verwende|gib|gutschein\w*|rabatt\w*|kasse|theke|einlösen|kostenlos|passwort",
    r"brug|indtast|koden?|rabat\w*|kassen|skranken|gratis|adgangskode\w*",
    r"\d+ ?%",
    chinese="码|用|凭|输入|兑换|折|优惠|免费",
)
_TOKEN = LazyPattern(r"(?<![\w@#])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{5,24}(?!\w)", re.ASCII)


def check(reply: Reply, grounds: Grounds) -> list[Failure]:
    """Fail on a code that the material does not hold, also in the customer's own spelling of one ("free100")."""
    named = {mention.code for mention in codes(visible(grounds.customer_text))}
    stated = {
        reply.text[mention.start : mention.end]
        for mention in codes(reply.text)
        if mention.code in named or _is_offered(reply.text, mention)
    }
    stated |= {token for token in _TOKEN.findall(reply.text) if token.upper() in named}
    if not stated:
        return []
    material = grounds.material
    return [] if all(_holds(material, code) for code in stated) else [Failure(NAME, "ungrounded")]


def _is_offered(text: str, mention: CodeMention) -> bool:
    """Say whether a code is given to be used: "ANSWER42" alone is a name as well."""
    start, end = sentence_at(text, mention.start)
    return bool(_COUPON.match(mention.code) or _TO_BE_USED.search(text, start, end)) or not mention.code[:1].isalpha()


def _holds(material: str, code: str) -> bool:
    # A code without a digit is a word too: "WELCOME" does not stand in "dogs are welcome".
    flags = re.IGNORECASE if any(map(str.isdigit, code)) else re.NOFLAG
    return re.search(rf"(?<![A-Za-z0-9_]){re.escape(code)}(?![A-Za-z0-9_])", material, flags) is not None
