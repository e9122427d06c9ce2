"""Times of day stand in the material, or not in the reply."""

from __future__ import annotations

from onthoud.checks.appointments import is_appointment
from onthoud.checks.extract import TimeMention, times
from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds, Reply
from onthoud.checks.sentences import is_question, sentence_at
from onthoud.text.markup import visible

NAME = "times"


def check(reply: Reply, grounds: Grounds) -> list[Failure]:
    """Fail on a time that the material does not hold; of the customer's own appointment, on one that no record holds.

    A question may repeat a time that the customer named ("Did you mean 18:00?"): it claims nothing. Below a video, a
    place in the video may be named as the customer did ("2:19 is our favourite too").
    """
    stated = times(reply.text, _primary(reply.language))
    if not stated:
        return []
    known, recorded = _minutes(grounds.material), _minutes(visible(grounds.record_text))
    customer = visible(grounds.customer_text)
    named = frozenset[int]().union(*(mention.minutes for mention in times(customer)))
    for mention in stated:
        own = bool(recorded) and is_appointment(reply.text, mention.start)
        if mention.minutes & (recorded if own else known) or _asks(reply.text, mention, named):
            continue
        if reply.channel == "youtube" and reply.text[mention.start : mention.end].strip() in customer:
            continue
        return [Failure(NAME, "ungrounded")]
    return []


def _minutes(text: str) -> frozenset[int]:
    return frozenset[int]().union(*(mention.minutes for mention in times(text, loose=True)))


def _asks(text: str, mention: TimeMention, named: frozenset[int]) -> bool:
    start, end = sentence_at(text, mention.start)
    return bool(mention.minutes & named) and is_question(text[start:end])


def _primary(language: str) -> str | None:
    return language.replace("_", "-").split("-")[0].lower() or None
