"""When the rehearsal model stays silent: a plain rule for advertising, meant to be read rather than to be clever.

A text is plainly spam if it asks people to look at, subscribe to or vote for the writer's own things, offers easy
money, or drops a link without asking anything. Everything else gets an answer.
"""

from __future__ import annotations

import re

_LINK = re.compile(
    r"https?://\S+|www\.\S+|watch\?v=\S*|\b[\w-]+\.(?:com|net|org|info|biz|tk|ly|gl|ru|co|be|eu|us|me)\b\S*",
    re.IGNORECASE,
)
_THINGS = (
    r"(?:\w+ ){0,3}(?:channel|videos?|vids?|page|music|songs?|cover|remix|vlog|blog|album|tracks?|profile|website)"
)
_ADVERTISING = re.compile(
    r"\b(?:check|chek|look)(?:ing)? (?:(?:it|this|these|them|me|us|him|her|em) )?out\b"
    rf"|\b(?:check|see|visit|watch|like|support|share|follow|view)(?: out)? (?:my|our) {_THINGS}\b"
    r"|\bsu(?:b|cs|s)s?cri(?:be|bing)\b(?! to your)"
    r"|\bsub (?:me|4|for)\b|\bfollow (?:me|us|4)\b"
    r"|\b(?:my|our) (?:new |own |youtube |first |gaming )*(?:channel|youtube|vlog)\b"
    r"|\bmake money\b|\bfree (?:money|gift ?cards?|robux|followers)\b|\bgive ?away\b|\bearn \S+ (?:a day|per|from home)"
    r"|\bvote (?:for|katy)\b|\bhelp me (?:get|reach)\b|\bbitcoins?\b|\b\d+ subscribers\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[^\d\s]\s*\?(?=\s|$)")


def is_plainly_spam(text: str) -> bool:
    """Tell whether the rehearsal model leaves a text unanswered."""
    words = _LINK.sub(" ", text)
    has_link = words != text
    return bool(_ADVERTISING.search(words)) or (has_link and not _QUESTION.search(words))
