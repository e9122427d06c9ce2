"""A shared past is claimed only where a memory in this prompt holds one.

Three kinds of claim: to have agreed or promised something, to have talked before, and to know the customer again. These
claims all need `Grounds.shared_past`; the first also needs the words of an agreement in what was said or recorded.
"""

from __future__ import annotations

import re

from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds, Reply
from onthoud.checks.phrases import phrases
from onthoud.checks.sentences import is_denied, is_question, sentence_at
from onthoud.text.markup import visible
from onthoud.text.patterns import LazyPattern

NAME = "shared_past"

_BEFORE = (
    r"(?:last (?:week|month|year|time|night|summer|session|visit)|yesterday|the other day|before|earlier|previously)"
)
_AGREED = phrases(
    r"as (?:we |we had |we've |we have |I |you )?(?:already |previously )?(?:agreed|arranged|promised)",
    r"(?:like|what) (?:we|I) (?:agreed|arranged|promised)|our (?:agreement|arrangement|deal) (?:from|of|last)",
    r"we(?:'ve| have| had)? (?:already |previously )?(?:agreed|arranged)",
    r"(?:I|we|you)(?:'ve| have| had)? (?:already )?promised (?:you|us|me|to)",
    r"(?:zo)?als (?:we |vorige week |eerder )*(?:hebben |hadden |was )?(?:afgesproken|beloofd)|zoals ik (?:je "
    r"|u )?(?:had )?beloofd\w*",
    r"we(?:'ve)? (?:hadden|hebben) (?:\w+ ){0,4}(?:afgesproken)|onze afspraak van",
    r"som (?:vi )?(?:sidste uge |tidligere )?(?:aftalt|aftalte|lovet|lovede)|vi (?:har )?(?:\w+ ){0,3}aftal(?:t"
    r"|te)|vores aftale fra",
    r"som (?:vi |jeg )(?:har )?(?:aftalte?|lovede?t?)(?: i \w+)?",
    r"wie (?:letzte woche |bereits |schon |gestern )*(?:vereinbart|abgemacht|abgesprochen|ausgemacht|versprochen)",
    r"wie wir (?:\w+ ){0,4}(?:vereinbart|abgemacht|abgesprochen|ausgemacht)(?: haben| hatten)?",
    r"wir (?:haben|hatten) (?:\w+ ){0,4}(?:vereinbart|abgemacht|ausgemacht)|unsere vereinbarung von",
    chinese="(?:正如|如|按照?|根据)?(?:我们|咱们)(?:上周|上次|之前|昨天|此前|早前)?(?:所)?(?:约定|约好|说好|商定|商量好)|如约|说好的|答应过[你您]",
)
_TALKED = phrases(
    rf"as (?:we |I |you )?(?:already )?(?:discussed|talked about|spoke about|mentioned|said|told you) ?{_BEFORE}",
    r"as (?:we )?(?:already |previously )?(?:discussed|talked about|spoke about)|like we (?:discussed|said"
    r"|talked about)",
    r"as (?:I|we)(?:'ve| have)? (?:already )?(?:told you|said|mentioned|explained|wrote)|like I (?:said"
    r"|told you|mentioned)",
    r"as (?:previously|earlier) (?:mentioned|said|explained|discussed)|as you (?:told|wrote to) (?:me|us)",
    rf"(?:we|I|you)(?:'ve| have| had)? (?:\w+ )?(?:said|told|discussed|talked|spoke|mentioned|wrote|asked"
    rf"|chatted)\b(?:(?!\bnever\b|\bplayed\b)[^.!?\n]){{0,40}} {_BEFORE}",
    rf"{_BEFORE},? (?:we|I|you)(?:'ve| have| had)? (?:\w+ )?(?:said|told|discussed|talked|spoke|mentioned|wrote"
    rf"|asked|chatted|played with us)",
    r"(?:our|the) (?:last|previous|earlier) (?:chat|conversation|talk|call|exchange)|(?:remember"
    r"|recall) (?:when|that|how|what) (?:we|you)",
    r"(?:since|when) we last (?:spoke|talked|chatted)|following up on our",
    r"zoals (?:we |ik |je |jij |u )?(?:\w+ ){0,6}(?:besproken|bespraken|vertelde|vertelt|verteld|zei|gezegd"
    r"|genoemd|vermeld|schreef)",
    r"(?:vorige (?:keer|week|maand)|de vorige keer|laatst|gisteren|eerder) (?:hadden|hebben|zei|vertelde|heb"
    r"|had|spraken|schreef) (?:we|wij|ik|je|jij|u)",
    r"(?:ons|het) (?:vorige|laatste|eerdere) gesprek|toen we elkaar (?:laatst )?spraken",
    r"som (?:vi |jeg |du |I )?(?:\w+ ){0,2}(?:talte om|snakkede om|nævnte|nævnt|sagde|sagt|fortalte|skrev"
    r"|drøftede|drøftet)",
    r"(?:sidst|sidste (?:uge|gang|måned)|i går) (?:sagde|talte|snakkede|fortalte|skrev|nævnte|aftalte) (?:vi"
    r"|jeg|du|I)",
    r"(?:vores|den) (?:sidste|tidligere|forrige) (?:samtale|snak)",
    r"wie (?:\w+ ){0,3}(?:besprochen|erwähnt|gesagt|geschrieben|erklärt)(?: haben| hatten| habe)?",
    r"wie (?:ich|wir|du|sie) (?:\w+ ){0,4}(?:sagtest?|erzähltest?|erzählt|erwähntest?|gesagt|besprochen"
    r"|erwähnt)(?: hast| habe| haben)?",
    r"(?:letzte woche|letztes mal|beim letzten mal|gestern|neulich) (?:haben|hatten|hast|hattest|habe|sagtest"
    r"|erzähltest) (?:wir|du|sie|ich)",
    r"(?:unser(?:em|en)?|das) (?:letzte[sn]?|vorige[sn]?) (?:gespräch|chat)",
    chinese="(?:我们|咱们|[你您]|我)(?:上周|上次|之前|昨天|此前|早前)(?:曾|也)?(?:说|聊|谈|讨论|提|告诉|沟通|商量)|正如(?:我|[你您]|我们)?(?:之前|上次"
    "|上周)|上次(?:聊|说|谈|沟通)",
)
_KNOWN_AGAIN = phrases(
    r"welcome back",
    r"(?<!be\s)(?<!hope\s)(?:good|great|nice|lovely|so good) (?:to (?:see|hear from|have)|seeing|hearing from"
    r"|having) you (?:here )?(?:again|back)",
    r"(?:thanks|thank you) for (?:coming|playing|writing|visiting) again|long time no see"
    r"|as always,? (?:good|great|nice) to",
    r"welkom terug|(?:leuk|fijn|goed) (?:om )?(?:je|u|jou) weer te (?:zien|horen|spreken)|(?:leuk"
    r"|fijn) weer (?:van je|iets van je) te horen",
    r"velkommen tilbage|(?:dejligt|godt|rart) at (?:se|høre fra) (?:dig|jer) igen",
    r"willkommen zurück|(?:schön|toll),? (?:wieder )?(?:von (?:dir|ihnen|euch) zu hören|(?:dich|sie"
    r"|euch) wieder ?zu ?sehen)(?! zu)",
    chinese="欢迎(?:您|你)?回来|又见(?:面|到[你您])|很高兴再次(?:见到|收到)|好久不见",
)
_POINTS_AT_POST = LazyPattern(
    r"^\s*(?:(?:above|below|here)\b|(?:in|on|under) (?:the|our|this|that|your) (?:post|video|caption"
    r"|description|bio|profile|site|website|page|comment"
    r"|story|pinned)|(?:in|op|onder) (?:de|het|onze|je|deze|dit) (?:post|bericht|bijschrift|video|site|website"
    r"|bio|reactie)"
    r"|(?:im|in der|in unserem|auf der|auf unserer) (?:post|beitrag|video|beschreibung|bio|website|webseite"
    r"|kommentar)"
    r"|(?:i|på) (?:opslaget|videoen|vores|beskrivelsen|hjemmesiden|kommentaren))",
    re.IGNORECASE,
)
# "Did we agree on a time?" asks; "Remember what we agreed on?" claims.
_ASKS_WHETHER = phrases(
    r"did|do|have|has|had|was|were",
    r"heb(?:ben)?|had(?:den)?|heeft|was",
    r"haben|hatten|hast|hat|war",
    r"har|havde|var",
    chinese="(?:我们|您|你)?(?:是否|有没有)",
)
_AGREEMENT = LazyPattern(
    r"agree|arrang|promis|confirm|\bdeal\b|book|reserv|afgesprok|afspraak|belo[of]|bevestig|aftal|\blov|bekræft"
    r"|vereinbar"
    r"|abgemacht|abgesprochen|ausgemacht|versproch|versprech|bestätig|约定|约好|说好|答应|商量|确认|预订|预约",
    re.IGNORECASE,
)


def check(reply: Reply, grounds: Grounds) -> list[Failure]:
    """Fail on a claimed past that no injected memory holds."""
    failures: set[Failure] = set()
    if _claims(_AGREED, reply.text) and not (grounds.shared_past and _holds_agreement(grounds)):
        failures.add(Failure(NAME, "claimed-agreement"))
    if not grounds.shared_past:
        if _claims(_TALKED, reply.text):
            failures.add(Failure(NAME, "claimed-conversation"))
        if _claims(_KNOWN_AGAIN, reply.text):
            failures.add(Failure(NAME, "claimed-acquaintance"))
    return sorted(failures)


def _holds_agreement(grounds: Grounds) -> bool:
    return any(_AGREEMENT.search(visible(text)) for text in (*grounds.earlier_replies, grounds.record_text))


def _claims(pattern: LazyPattern, text: str) -> bool:
    for claim in pattern.finditer(text):
        start, end = sentence_at(text, claim.start())
        sentence = text[start:end]
        denied = is_denied(sentence, claim.start() - start, claim.end() - start)
        asked = is_question(sentence) and _ASKS_WHETHER.match(sentence.strip()) is not None
        if not (asked or denied or _POINTS_AT_POST.match(text[claim.end() :])):
            return True
    return False
