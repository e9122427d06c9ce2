"""The whole check of one draft against one record."""

from __future__ import annotations

from dataclasses import dataclass

import regex

from booking.checks.dates import check_dates
from booking.checks.draft import Draft
from booking.checks.facts import Facts
from booking.checks.lexicon import lexicon_of
from booking.checks.people import check_names
from booking.checks.places import check_court, check_zone
from booking.checks.times import check_times
from booking.checks.wording import check_leftovers, check_links, check_promises, check_staff, check_status
from booking.when import LANGUAGES
from onthoud.text.language import language_hint, plausible

MOST_CHARS = 1500
CHECKS = (
    *("court", "date", "weekday", "relative_day", "time", "part_of_day", "duration", "zone", "number", "name", "link"),
    *("promise", "status", "preference", "shared_past", "level", "staff", "language"),
)
"""The names of all checks, as decision records list them."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check found.

    Attributes:
        faults: the names of what is wrong; empty for a draft that may go out.
        missing: facts that a right draft leaves unsaid, which code then adds in a line of its own.
    """

    faults: tuple[str, ...]
    missing: tuple[str, ...] = ()


def check(text: str, facts: Facts) -> Verdict:
    """Compare a draft with the record."""
    if not text.strip():
        return Verdict(("empty",))
    if len(text) > MOST_CHARS:
        return Verdict(("too_long",))
    language = language_of_draft(text, facts)
    if facts.language is not None and not _speaks(facts, text):
        return Verdict(("language",))
    draft = Draft.of(text, lexicon_of(language), name=facts.name, names=(facts.zone, facts.venue))
    check_links(draft)
    court = check_court(draft, facts)
    zone = check_zone(draft, facts)
    day = check_dates(draft, facts)
    start, end = check_times(draft, facts)
    check_leftovers(draft)
    check_names(draft, facts)
    check_status(draft, facts)
    check_promises(draft, facts)
    check_staff(draft, facts)
    said = {"court": court, "date": day, "start": start, "end": end, "zone": zone}
    if facts.venue:
        said["venue"] = draft.named(facts.venue)
    return Verdict(tuple(draft.faults), tuple(name for name, there in said.items() if not there))


def language_of_draft(text: str, facts: Facts) -> str:
    """Return the language to read a draft in: the customer's, or the one that the text is in."""
    if facts.language is not None:
        return facts.language
    if regex.search(r"\p{Han}{4}", text):
        return "zh"
    hint = language_hint(text)
    if hint in LANGUAGES:
        return hint
    words = {word.casefold() for word in regex.findall(r"\p{L}+", text)}
    return max((one for one in LANGUAGES if one != "zh"), key=lambda one: len(words & lexicon_of(one).vocabulary))


def _speaks(facts: Facts, text: str) -> bool:
    """Say whether the draft may be in the customer's language; names of the record say nothing of it."""
    if facts.language == "zh":
        return regex.search(r"\p{Han}", text) is not None
    for words in (facts.name, facts.venue, facts.court):
        text = text.replace(words, " ") if words else text
    return plausible(facts.language or "en", text)
