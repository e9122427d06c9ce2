"""Prices stand in the material, or not in the reply."""

from __future__ import annotations

from onthoud.checks.extract import prices
from onthoud.checks.extract.money import same_money
from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds, Reply

NAME = "prices"


def check(reply: Reply, grounds: Grounds) -> list[Failure]:
    """Fail on an amount of money that the material does not hold."""
    stated = prices(reply.text)
    if not stated:
        return []
    known = prices(grounds.material, loose=True)
    if all(any(same_money(one, other) for other in known) for one in stated):
        return []
    return [Failure(NAME, "ungrounded")]
