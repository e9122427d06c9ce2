"""Coupon and access codes stand in the material, or not in the reply; a code that the customer named proves nothing."""

from __future__ import annotations

import re

from onthoud.checks.extract import codes
from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds, Reply
from onthoud.text.patterns import LazyPattern

NAME = "codes"
_TOKEN = LazyPattern(r"(?<![\w@#])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{5,24}(?!\w)", re.ASCII)


def check(reply: Reply, grounds: Grounds) -> list[Failure]:
    """Fail on a code that the material does not hold, also in the customer's own spelling of one ("free100")."""
    stated = {mention.code for mention in codes(reply.text)}
    named = {mention.code for mention in codes(grounds.customer_text)}
    stated |= {token.upper() for token in _TOKEN.findall(reply.text)} & named
    if not stated:
        return []
    material = grounds.material.upper()
    if all(re.search(rf"(?<!\w){re.escape(code)}(?!\w)", material) for code in stated):
        return []
    return [Failure(NAME, "ungrounded")]
