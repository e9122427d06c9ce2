"""All checks of a reply, in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from onthoud.checks import (
    codes,
    days,
    discounts,
    form,
    introduction,
    language,
    leakage,
    links,
    phones,
    prices,
    shared_past,
    times,
)
from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds, Reply

Check = Callable[[Reply, Grounds], list[Failure]]

CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        module.NAME: module.check
        for module in (
            form,
            leakage,
            links,
            phones,
            codes,
            prices,
            discounts,
            times,
            days,
            shared_past,
            introduction,
            language,
        )
    }
)
"""Every check by its name, in the order in which they run."""
CHECK_NAMES: tuple[str, ...] = tuple(CHECKS)
"""What the decision record lists as run."""


def check_reply(text: str, grounds: Grounds, channel: str, language: str) -> list[Failure]:
    """Run every check on a reply; no failures means that it may be sent.

    Args:
        text: the reply, as the model wrote it.
        grounds: what it may rest on.
        channel: the platform that it is for.
        language: the language that it should be in (BCP 47); empty where nobody knows.
    """
    reply = Reply.of(text, channel, language)
    return [failure for check in CHECKS.values() for failure in check(reply, grounds)]
