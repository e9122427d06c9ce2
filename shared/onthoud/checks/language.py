"""The reply is in the customer's language, as far as that can be told."""

from __future__ import annotations

from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds, Reply
from onthoud.text.language import plausible

NAME = "language"


def check(reply: Reply, _grounds: Grounds) -> list[Failure]:
    """Fail only where the reply surely is in another language than it should be."""
    if not reply.language or plausible(reply.language, reply.text):
        return []
    return [Failure(NAME, "another-language")]
