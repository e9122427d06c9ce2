"""Names: whoever is addressed is the customer, and nobody else is named."""

from __future__ import annotations

import unicodedata

import regex

from booking.checks.draft import GAP, Draft
from booking.checks.facts import Facts
from booking.checks.lexicon import Lexicon, alternation, every_lexicon

_WORD = regex.compile(r"\p{L}[\p{L}\p{M}'-]*")
_LATIN = regex.compile(r"\p{Latin}[\p{Latin}'-]*")
_ALWAYS = frozenset({"i", "i'm", "i'll", "ok", "am", "pm", "ics", "de", "dem", "deres", "u", "uw"})
_GREETED = frozenset(
    [
        "there",
        "all",
        "everyone",
        "everybody",
        "customer",
        "guest",
        "player",
        "team",
        "back",
        "again",
        "thanks",
        "welcome",
        "grüße",
        "gruß",
        "kunde",
        "kundin",
        "gast",
        "spieler",
        "spielerin",
        "zusammen",
        "allerseits",
        "dank",
        "groet",
        "groeten",
        "wensen",
        "klant",
        "speler",
        "allemaal",
        "bedankt",
        "hilsen",
        "hilsner",
        "spiller",
        "tak",
    ]
)
"""Whom or what a greeting may have behind it where it names nobody."""
_NEW_SENTENCE = regex.compile(r"(?:^|[.!?:;\n•*(\"“„»-]|\d\.)\s*$")


def known_words(facts: Facts) -> frozenset[str]:
    """Return the words that the record itself holds, and those of remarks that the customer may see."""
    texts = (facts.name, facts.court, facts.venue, facts.zone, *facts.public)
    words = {word.casefold() for text in texts for word in _WORD.findall(unicodedata.normalize("NFKC", text))}
    return frozenset(words | {part for word in words for part in regex.split(r"['-]", word) if part})


def check_names(draft: Draft, facts: Facts) -> None:
    """Note every name that is not the customer's or the record's."""
    known = known_words(facts)
    if draft.lexicon.spaced:
        _greetings(draft, facts)
        _addressed(draft, known)
        if draft.lexicon.language != "de":
            _capitals(draft, known)
        else:
            _after_prepositions(draft, known)
    else:
        _han(draft, facts, known)


def _familiar(word: str, lexicon: Lexicon, known: frozenset[str]) -> bool:
    plain = word.casefold().removesuffix("'s").strip("'-")
    parts = [plain, *regex.split(r"['-]", plain)]
    return any(part in known or part in lexicon.vocabulary or part in _ALWAYS for part in parts if part)


def _customer(facts: Facts) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(unicodedata.normalize("NFKC", facts.name)))


def _greetings(draft: Draft, facts: Facts) -> None:
    """Hi Ana, / Dear Mrs Jansen, / Beste Ana,: what follows a greeting is the customer's name or a plain word."""
    lexicon = draft.lexicon
    hello = alternation([word for one in every_lexicon() if one.spaced for word in one.words("greetings")])
    titles = alternation([word for one in every_lexicon() if one.spaced for word in one.words("titles")])
    word = r"[\p{L}\p{M}'-]*"
    pattern = rf"(?i:{hello})[ ,]+(?:(?i:{titles})\.? +)*(\p{{L}}{word})((?: +\p{{Lu}}{word})*)"
    mine = _customer(facts)
    for match in regex.finditer(pattern, draft.left):
        words = [match[1], *match[2].split()]
        if not all(one.casefold() in mine or _familiar(one, lexicon, frozenset()) for one in words):
            draft.fault("name")
        # "Hi Will," names somebody, though the word alone would be plain.
        alone = draft.left[match.end() : match.end() + 1] in {",", "!"} and match[1][0].isupper() and not match[2]
        if alone and match[1].casefold() not in mine | _GREETED:
            draft.fault("name")
    titled = rf"(?i:{titles})\.? +(\p{{Lu}}[\p{{L}}\p{{M}}'-]*)"
    for match in regex.finditer(titled, draft.left):
        if match[1].casefold() not in mine and not _familiar(match[1], lexicon, frozenset()):
            draft.fault("name")


def _addressed(draft: Draft, known: frozenset[str]) -> None:
    """Bob, your ... / Thanks, Bob! / Place: Bob's / Bob plays ...: a capital where a name stands."""
    name = r"(\p{Lu}[\p{L}\p{M}'-]+)((?: \p{Lu}[\p{L}\p{M}'-]+)?)"
    patterns = (
        rf"(?:^|[.!?\n]\s*){name}(?=\s*[,!])",
        rf",\s*{name}(?=\s*(?:[.!?,:\n]|$))",
        rf":[ \t]*{name}",
        rf"(?:^|[.!?\n]\s*){name}(?=\s+(?:{draft.lexicon.choice('does')}))",
        r"(\p{Lu}[\p{L}\p{M}]+)'s()(?![\p{L}])",
    )
    for pattern in patterns:
        for match in regex.finditer(pattern, draft.left):
            words = [match[1], *match[2].split()]
            if not all(_familiar(word, draft.lexicon, known) for word in words):
                draft.fault("name")


def _capitals(draft: Draft, known: frozenset[str]) -> None:
    """In languages that write names only with a capital, one inside a sentence is a name."""
    for match in regex.finditer(r"(?<![\p{L}'-])\p{Lu}[\p{L}\p{M}'-]*", draft.left):
        before = draft.left[: match.start()]
        if _NEW_SENTENCE.search(before) or _familiar(match[0], draft.lexicon, known):
            continue
        draft.fault("name")


def _after_prepositions(draft: Draft, known: frozenset[str]) -> None:
    """In German every noun has a capital: names and venues are looked for where they stand."""
    lexicon = draft.lexicon
    places = r"(?<!\p{L})(?i:bei|im|in der|in den|in die|ins|von|für|mit|an|am|zu|zum|zur|nach|und)\s+"
    for match in regex.finditer(rf"{places}(\p{{Lu}}[\p{{L}}'-]+)((?:\s\p{{Lu}}[\p{{L}}'-]+)*)", draft.left):
        if not all(_familiar(word, lexicon, known) for word in (match[1], *match[2].split())):
            draft.fault("name")


def covered(text: str, lexicon: Lexicon, known: frozenset[str]) -> bool:
    """Say whether Chinese text consists of known words only."""
    longest = 8
    position = 0
    han = regex.sub(r"[^\p{Han}]", " ", text)
    while position < len(han):
        if han[position] == " ":
            position += 1
            continue
        for size in range(longest, 0, -1):
            word = han[position : position + size]
            if len(word) == size and (word in lexicon.vocabulary or word in known):
                position += size
                break
        else:
            return False
    return True


def _han(draft: Draft, facts: Facts, known: frozenset[str]) -> None:
    for match in _LATIN.finditer(draft.left):
        if not _familiar(match[0], draft.lexicon, known):
            draft.fault("name")
    titles = "|".join(draft.lexicon.words("titles"))
    stop = r"^,!?:;。、\s" + GAP
    patterns = (
        rf"(?:尊敬的|亲爱的)([{stop}]{{1,12}})",
        rf"(?:^|[\n。!?])\s*([{stop}]{{1,12}}?)(?:{titles})?[,\s]*(?:您好|你好)",
        rf"(?:您好|你好|嗨|哈喽)[,!\s]*([{stop}]{{1,6}})(?=[,!:\n])",
        rf"(?:^|[\n。!?])\s*([{stop}]{{2,4}})(?=[,!])",
        r"(?:与|和|跟|同)([\p{Han}]{1,4}?)(?=一起|一同|共同|对战|打球|比赛)",
        rf"([\p{{Han}}]{{1,4}}?)(?:{titles})",
        r"(?<![\p{Han}])([\p{Han}]{2,8})(?=俱乐部|球馆|体育馆|会所|中心)",
    )
    name = frozenset({facts.name}) if facts.name else frozenset[str]()
    for pattern in patterns:
        for match in regex.finditer(pattern, draft.left):
            rest = regex.sub(rf"(?:{titles})", "", match[1])
            for word in sorted((*name, facts.venue), key=len, reverse=True):
                rest = rest.replace(word, "") if word else rest
            if not covered(rest, draft.lexicon, known):
                draft.fault("name")
