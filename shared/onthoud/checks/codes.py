"""Coupon and access codes stand in the material, or not in the reply; a code that the customer named proves nothing."""

from __future__ import annotations

import re

from onthoud.checks.extract import codes
from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds, Reply
from onthoud.text.markup import visible
from onthoud.text.patterns import LazyPattern

NAME = "codes"
_TOKEN = LazyPattern(r"(?<![\w@#])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{5,24}(?!\w)", re.ASCII)


def check(reply: Reply, grounds: Grounds) -> list[Failure]:
    """Fail on a code that the material does not hold, also in the customer's own spelling of one ("free100")."""
    stated = {reply.text[mention.start : mention.end] for mention in codes(reply.text)}
    named = {mention.code for mention in codes(visible(grounds.customer_text))}
    stated |= {token for token in _TOKEN.findall(reply.text) if token.upper() in named}
    if not stated:
        return []
    material = grounds.material
    return [] if all(_holds(material, code) for code in stated) else [Failure(NAME, "ungrounded")]


def _holds(material: str, code: str) -> bool:
    # A code without a digit is a word too: "WELCOME" does not stand in "dogs are welcome".
    flags = re.IGNORECASE if any(map(str.isdigit, code)) else re.NOFLAG
    return re.search(rf"(?<![A-Za-z0-9_]){re.escape(code)}(?![A-Za-z0-9_])", material, flags) is not None
