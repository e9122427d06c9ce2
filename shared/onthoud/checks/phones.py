"""Phone numbers stand in the material, or not in the reply."""

from __future__ import annotations

from onthoud.checks.extract import phones
from onthoud.checks.extract.addresses import same_phone
from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds, Reply

NAME = "phones"


def check(reply: Reply, grounds: Grounds) -> list[Failure]:
    """Fail on a number that could be dialled and that the material does not hold."""
    stated = phones(reply.text, reply.language)
    if not stated:
        return []
    known = phones(grounds.material)
    if all(any(same_phone(one.digits, other.digits) for other in known) for one in stated):
        return []
    return [Failure(NAME, "ungrounded")]
