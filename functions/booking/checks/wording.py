"""What is said beside the facts: status, promises, links, tastes, a shared past, and what only the staff may know."""

from __future__ import annotations

import regex

from booking.checks.draft import Draft
from booking.checks.facts import Facts
from booking.checks.lexicon import alternation
from booking.checks.people import covered, known_words
from onthoud.checks.extract import codes, emails, links, percents, prices

_LINK = (
    r"[a-z][a-z0-9+.-]*://\S*|www\.\S+|\S+@\S+\.\S+"
    r"|(?<![\w.])(?:[\w-]+\.)+(?:com|net|org|nl|de|dk|eu|be|uk|cn|io|co|app|club|me|info|biz|shop|online|site|link|ly|gg|tv)"
    r"(?![\p{L}\d])(?:/\S*)?"
)
_WELCOME_BACK = frozenset({"welcome back", "welkom terug", "willkommen zurück", "velkommen tilbage", "欢迎回来"})
_BARE_DOMAIN = r"(?<![\p{L}.])[a-z\d-]{3,}\.[a-z]{3,}(?!\p{L})"
"""`padel.amsterdam`: two words of small letters that only a dot parts."""
_MONEY = r"[€$£¥₤₩₽%‰¢]|\b(?:EUR|USD|GBP|DKK|CNY|RMB)\b"


def check_links(draft: Draft) -> None:
    """Note links, addresses and amounts: the record holds none that the customer is to be sent."""
    text = draft.left
    if list(draft.take(_LINK)) or links(text) or emails(text) or regex.search(_BARE_DOMAIN, text):
        draft.fault("link")
    if list(draft.take(_MONEY)) or prices(text) or percents(text) or codes(text):
        draft.fault("promise")


def check_status(draft: Draft, facts: Facts) -> None:
    """Note a draft that reads as something else than what the record says."""
    lexicon = draft.lexicon
    sentences = [
        sentence
        for sentence in regex.split(r"[.!?。\n]+", draft.whole)
        if not regex.search(rf"^[\s,]*(?:{lexicon.choice('conditions')})", sentence, regex.IGNORECASE)
    ]
    told = "\n".join(sentences)
    if lexicon.any_of("called_off", "undecided").search(told):
        draft.fault("status")
    moved = lexicon.any_of("moved").search(told) is not None
    if facts.kind == "moved" and not moved and not lexicon.any_of("moved_weakly").search(told):
        draft.fault("status")
    if facts.kind == "confirmed" and moved:
        draft.fault("status")


def check_promises(draft: Draft, facts: Facts) -> None:
    """Note what the record does not hold: prices, presents, services, conduct, a shared past, tastes, levels."""
    lexicon = draft.lexicon
    known = known_words(facts)
    for phrase in lexicon.words("free_phrases"):
        list(draft.take(regex.escape(phrase)))
    for name, fault in (("promises", "promise"), ("always_wrong", "staff")):
        for match in lexicon.any_of(name).finditer(draft.left):
            if match[0].casefold() not in known:
                draft.fault(fault)
    if not facts.preferred and lexicon.any_of("preference").search(draft.left):
        draft.fault("preference")
    past = {match[0].casefold() for match in lexicon.any_of("shared_past").finditer(draft.left)}
    if past - (_WELCOME_BACK if facts.returning else frozenset()):
        draft.fault("shared_past")
    for level in lexicon.data["levels"]:
        words = _level(draft, level)
        if words and level != facts.level:
            draft.fault("level")


def _level(draft: Draft, level: str) -> bool:
    pattern = alternation(draft.lexicon.data["levels"][level], spaced=draft.lexicon.spaced)
    return bool(list(draft.take(pattern)))


def check_staff(draft: Draft, facts: Facts) -> None:
    """Where there is something to leak, the draft keeps to the words that a confirmation needs.

    The model never sees a staff note; this is the second lock. A paraphrase in any of the languages needs words that
    neither the record nor a plain confirmation has.
    """
    if not facts.staff:
        return
    lexicon, known = draft.lexicon, known_words(facts)
    for name in ("preference", "free_phrases"):  # judged above; where they are true, they give nothing away
        list(draft.take(lexicon.choice(name)))
    if lexicon.any_of("wrong_beside_a_staff_note").search(draft.left):
        draft.fault("staff")
    if not lexicon.spaced:
        if not covered(draft.left, lexicon, known):
            draft.fault("staff")
        return
    words = {word.casefold().strip("'-") for word in regex.findall(r"\p{L}[\p{L}\p{M}'-]*", draft.left)}
    everywhere = known | lexicon.vocabulary
    if any(word and word not in everywhere and not _parts_known(word, everywhere) for word in words):
        draft.fault("staff")


def _parts_known(word: str, known: frozenset[str]) -> bool:
    parts = [part for part in regex.split(r"['-]", word) if part]
    return all(part in known or len(part) == 1 for part in parts)


def check_leftovers(draft: Draft) -> None:
    """Note numbers that nobody has explained."""
    if regex.search(r"\p{N}", draft.left):
        draft.fault("number")
