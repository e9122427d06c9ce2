"""Guesses the language of a short text from its script and its commonest words. Enough for a rehearsal, no more."""

from __future__ import annotations

import re

DEFAULT = "en"
_COMMON = {
    "en": "the is are you do have what when how can i my we it this that your please thanks hello and of for love",
    "nl": "de het een en ik je jij jullie is zijn hebben heb kan wat wanneer hoe op voor niet met van bedankt graag "
    "hallo ook nog mijn wij we er morgen vandaag baan leuk geweldig mooi lekker mooie leuke jouw",
    "da": "og jeg du det er en et den har kan hvad hvornår hvordan ikke med på til tak hej vi i af også min for bane "
    "morgen dag gerne hvor mit",
    "de": "der die das und ich du sie ist sind habt haben kann was wann wie nicht mit für danke hallo ein eine wir "
    "auch mein noch auf morgen heute platz bitte es gibt super",
    "es": "el la los las y yo que es son tienen puedo cuando como no con para gracias hola un una por favor mi "
    "tienes hay pista mañana hoy muy me",
    "fr": "le la les et je vous tu est sont avez puis quand comment pas avec pour merci bonjour un une nous aussi "
    "mon ma demain court il y a très que",
}
_SETS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = {"nl": "ĳ", "da": "æøå", "de": "äöüß", "es": "ñ¿¡", "fr": "çèêœ"}


def detect(text: str) -> str:
    """Return a language tag (`en`, `nl`, `da`, `de`, `es`, `fr`, `zh`, `ja`, `ko`); `en` when nothing speaks."""
    if by_script := _by_script(text):
        return by_script
    lowered = text.lower()
    words = _WORD.findall(lowered)
    scores = {language: sum(word in common for word in words) for language, common in _SETS.items()}
    for language, letters in _LETTERS.items():
        scores[language] += any(letter in lowered for letter in letters)
    best = max(scores, key=lambda language: (scores[language], language == DEFAULT))
    return best if scores[best] else DEFAULT


def _by_script(text: str) -> str | None:
    kana = sum("\u3040" <= letter <= "\u30ff" for letter in text)
    han = sum("\u4e00" <= letter <= "\u9fff" for letter in text)
    hangul = sum("\uac00" <= letter <= "\ud7af" for letter in text)
    letters = max(1, sum(letter.isalpha() for letter in text))
    if kana:
        return "ja"
    if hangul * 2 > letters:
        return "ko"
    return "zh" if han * 3 > letters else None
