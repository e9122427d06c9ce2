"""The language of a text: the library's hint where it is sure, else the one whose commonest words are heard most."""

from __future__ import annotations

import re

from onthoud.text.language import language_hint

DEFAULT = "en"
_COMMON = {
    "en": "the is are you do have what when how can my we it this that your please thanks hello love nice great",
    "nl": "de het een en ik je jij is zijn hebben kan wat wanneer hoe voor niet met bedankt hallo leuk mooi geweldig",
    "da": "og jeg du det er en et den har kan hvad hvornår hvordan ikke med til tak hej dejligt flot godt",
    "de": "der die das und ich du ist sind haben kann was wann wie nicht mit für danke hallo schön toll super",
    "es": "el la los las yo que es son puedo cuando como no con para gracias hola bonito genial",
    "fr": "le la les je vous est sont quand comment pas avec pour merci bonjour beau super génial",
}
_SETS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_WORD = re.compile(r"[^\W\d_]+")


def detect(text: str, default: str = DEFAULT) -> str:
    """Return an ISO 639-1 code; the default where nothing speaks for any language."""
    hint = language_hint(text)
    if hint is not None:
        return hint
    words = _WORD.findall(text.lower())
    scores = {language: sum(word in common for word in words) for language, common in _SETS.items()}
    best = max(scores, key=lambda language: (scores[language], language == default))
    return best if scores[best] else default
