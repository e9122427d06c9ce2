"""Discounts and gifts are promised only where the operator's material does."""

from __future__ import annotations

import re

from onthoud.checks.extract import percents
from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds, Reply
from onthoud.checks.phrases import phrases
from onthoud.checks.sentences import is_denied, is_question, sentence_at, sentences
from onthoud.text.patterns import LazyPattern

NAME = "discounts"

_THINGS = {
    "parking": phrases(r"park\w*", chinese="停车"),
    "lesson": phrases(
        r"lessons?|class(?:es)?|clinics?|train\w*|workshops?",
        r"les(?:sen|jes?)?",
        r"stunden?|kurse?",
        r"lektion\w*|undervisning",
        chinese="课|培训|训练营",
    ),
    "trial": phrases(
        r"trials?|intro\w*|tasters?", r"proef\w*", r"probe\w*|schnupper\w*", r"prøve\w*", chinese="体验|试"
    ),
    "rental": phrases(
        r"rent\w*|paddles?|rackets?", r"huur\w*", r"schläger|\w*verleih|leih\w*", r"leje|ketsjer\w*", chinese="租|球拍"
    ),
    "balls": phrases(r"balls?", r"ballen", r"bälle", r"bolde", chinese="球(?!拍|场|馆)"),
    "drink": phrases(
        r"drinks?|coffees?|tea|water|beers?",
        r"drankjes?|koffie|bier",
        r"kaffee|getränk\w*|wasser",
        r"kaffe|øl|vand",
        chinese="饮料|咖啡|水|饮品",
    ),
    "court": phrases(
        r"courts?|games?|match(?:es)?|hours?|sessions?",
        r"baan|banen|uur|uurtje",
        r"platz|plätze|spiel\w*",
        r"bane[rn]?|timer?|kamp",
        chinese="场|小时",
    ),
    "entry": phrases(r"entry|entrance|admission|tickets?", "toegang|entree", "eintritt", "adgang", chinese="入场|门票"),
    "membership": phrases(
        r"member\w*|month",
        r"lidmaatschap|abonnement|maand",
        r"mitglied\w*|monat",
        r"medlem\w*|måned",
        chinese="会员|会籍|月",
    ),
    "facility": phrases(
        r"wi-?fi|showers?|lockers?", r"douche\w*|kluis\w*", r"dusche\w*|spind\w*", r"skab\w*", chinese="淋浴|柜"
    ),
}

# "free" alone is a court that nobody has booked.
_GIFT = (
    r"gift|lessons?|class(?:es)?|clinics?|trials?|intro\w*|training|workshops?|sessions?|drinks?|coffees?"
    r"|beers?|entry"
    r"|admission|tickets?|rentals?|paddles?|rackets?|balls|parking|month|week|membership|upgrade|shirt|wi-?fi"
    r"|shipping"
    r"|delivery|games?|match(?:es)?"
)
_FREE_WORDS = (
    r"for free|free of charge|at no (?:extra )?(?:cost|charge)|no charge|on the house|complimentary",
    r"(?:it's|that's|this is|that is|is|are) on us",
    # Not "feel free to join games", "alcohol-free beer", "free from six".
    rf"(?<!feel\s)(?<!gluten\s)(?<!sugar\s)(?<!-)free (?!courts? |spots? |to |for |on |at |from |in |this "
    rf"|until )(?:[\w-]+ ){{0,2}}?(?:{_GIFT})",
    r"(?:parking|entry|admission|trial|rental|membership|wi-?fi|lesson|class|clinic|coffee|session) (?:is|are)"
    r" (?:all )?(?:completely |totally )?free(?! (?:at|on|from|between|tonight|tomorrow|this|now|again))",
    r"gratis|kosteloos",
    r"kostenlos\w*|kostenfrei\w*|umsonst",
    r"uden beregning|helt frit",
)
_FREE_CHINESE = "免费|赠送|白送"
_FREE = phrases(*_FREE_WORDS, chinese=_FREE_CHINESE)
_KNOWN_FREE = phrases(*_FREE_WORDS, r"(?<!feel\s)free", chinese=_FREE_CHINESE)
_DISCOUNT = phrases(
    r"discount\w*|special offer|two for one|2 for 1|cashback",
    r"korting\w*|\w+korting|aanbieding|2 voor 1",
    r"rabatte?s?|nachlass",
    r"rabat\w*",
    chinese="折扣|优惠|打折|减免|买一送一",
)
_GIVEN = phrases(
    r"you(?:'ll| will| can)? (?:get|have|receive|enjoy)|you(?:'re| are) (?:getting|entitled)",
    r"(?:we|i)(?:'ll| will| can)? (?:give|offer|have|apply)|here(?:'s| is)|enjoy|use|claim|with",
    r"(?:je|u|jij) (?:krijgt|krijg|ontvangt|hebt)|krijg je|krijgt u|(?:we|wij) geven|ik geef|hier is|met",
    r"(?:du|ihr|sie) (?:bekommst|bekommt|bekommen|erhältst|erhaltet|erhalten)|(?:bekommst|erhältst) du|bekommen sie",
    r"wir geben|ich gebe|hier ist|gibt es|mit",
    r"(?:du|i|de) (?:får|kan få)|får du|(?:vi|jeg) giver|her er|med",
    chinese="享|给[你您]|获得|送|提供|有",
)
_DEFERRED = phrases(
    r"ask|check|colleagues?|forward(?:ed)?|whether|if",
    r"vraag|vragen|collega\w*|nakijken|of er",
    r"frag|frage|fragen|kolleg\w*|prüfen|ob",
    r"spørg\w*|kollega\w*|undersøg\w*|om der",
    chinese="咨询|询问|同事|确认|是否",
)


_FORBIDDEN = phrases(
    r"no|not|never|cannot|don't|do not|without",
    r"geen|niet|nooit|zonder",
    r"kein\w*|nicht|nie(?:mals)?|ohne",
    r"ingen|ikke|aldrig|uden",
    chinese="没有|不|勿|禁止",
)


def check(reply: Reply, grounds: Grounds) -> list[Failure]:
    """Fail on a percentage, a gift or a discount that the material does not promise.

    "100 %" is emphasis unless it is off a price; a denial ("no discount"), a question and the promise to ask somebody
    promise nothing.
    """
    failures: set[Failure] = set()
    material = grounds.material
    if _percentages(reply.text, material):
        failures.add(Failure(NAME, "ungrounded-percentage"))
    for gift in _FREE.finditer(reply.text):
        if not _is_open(reply.text, gift.start(), gift.end()) and not _given_free(reply.text, gift, material):
            failures.add(Failure(NAME, "promised-for-free"))
    if _promises(reply.text) and not _offers(_DISCOUNT, material):
        failures.add(Failure(NAME, "promised-discount"))
    return sorted(failures)


def _percentages(text: str, material: str) -> bool:
    known = {mention.value for mention in percents(material)}
    for percent in percents(text):
        start, end = sentence_at(text, percent.start)
        off_a_price = _DISCOUNT.search(text, start, end) or " off" in text[start:end]
        if (
            percent.value not in known
            and (percent.value < 100 or off_a_price)
            and not _is_open(text, percent.start, percent.end)
        ):
            return True
    return False


def _promises(text: str) -> bool:
    return any(
        _GIVEN.search(text, start, end) and not _is_open(text, discount.start(), discount.end())
        for start, end in sentences(text)
        for discount in _DISCOUNT.finditer(text, start, end)
    )


def _is_open(text: str, start: int, end: int) -> bool:
    """Say whether text[start:end] is denied, asked or left to somebody else."""
    first, last = sentence_at(text, start)
    sentence = text[first:last]
    return is_question(sentence) or is_denied(sentence, start - first, end - first) or bool(_DEFERRED.search(sentence))


def _given_free(text: str, gift: re.Match[str], material: str) -> bool:
    """Say whether the material gives for free what the reply does: the same thing, or the reply names none."""
    things = _things(gift[0]) or _things(_clause(text, gift))
    return any(not things or things & _things(offer) for offer in _offers(_KNOWN_FREE, material))


def _offers(pattern: LazyPattern, material: str) -> list[str]:
    """Return the sentences of the material that offer it; "never promise a discount" offers none."""
    return [
        material[start:end]
        for start, end in sentences(material)
        if (offer := pattern.search(material, start, end)) and not _FORBIDDEN.search(material, start, offer.start())
    ]


def _clause(text: str, gift: re.Match[str]) -> str:
    """Return the part between commas that names the gift."""
    start, end = sentence_at(text, gift.start())
    before = max(text.rfind(comma, start, gift.start()) for comma in ",，;；:")
    after = min((place for comma in ",，;；" if (place := text.find(comma, gift.end(), end)) >= 0), default=end)
    return text[max(start, before + 1) : after]


def _things(sentence: str) -> set[str]:
    return {name for name, pattern in _THINGS.items() if pattern.search(sentence)}
