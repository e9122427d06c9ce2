"""The rehearsal of `reply`: a short answer in the customer's language that shows whether it knows the customer."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from typing import Any

from ..schema_filler import Filler
from .language import detect
from .prompt import Prompt
from .spam import is_plainly_spam

COMMENT_TAGS = ("comment", "customer_comment", "message", "text")

_FIRST = {
    "en": "Hello, this is the club's assistant. Thank you for writing to us!",
    "nl": "Hallo, dit is de assistent van de club. Bedankt voor je bericht!",
    "da": "Hej, det er klubbens assistent. Tak for din besked!",
    "de": "Hallo, hier ist der Assistent des Clubs. Danke für deine Nachricht!",
    "es": "Hola, soy el asistente del club. ¡Gracias por tu mensaje!",
    "fr": "Bonjour, ici l'assistant du club. Merci pour votre message !",
    "zh": "您好，我是俱乐部的助手。感谢您的留言！",
}
_AGAIN = {
    "en": "Good to hear from you again!",
    "nl": "Leuk om weer van je te horen!",
    "da": "Dejligt at høre fra dig igen!",
    "de": "Schön, wieder von dir zu hören!",
    "es": "¡Qué bien saber de ti otra vez!",
    "fr": "Ravis de vous lire à nouveau !",
    "zh": "很高兴再次收到您的消息！",
}
_BEFORE = {
    "en": "You wrote to us about “{words}” before.",
    "nl": "Je schreef ons eerder over “{words}”.",
    "da": "Du skrev til os om “{words}” før.",
    "de": "Du hast uns schon über „{words}“ geschrieben.",
    "es": "Ya nos escribiste sobre “{words}”.",
    "fr": "Vous nous avez déjà écrit au sujet de « {words} ».",
    "zh": "您之前提到过“{words}”。",
}
_CLOSING = {
    "en": ("We are happy to help.", "We have read your comment with pleasure.", "Nice that you let us know."),
    "nl": ("We helpen je graag.", "We hebben je reactie met plezier gelezen.", "Fijn dat je het laat weten."),
    "da": ("Vi hjælper gerne.", "Vi har læst din kommentar med glæde.", "Godt, at du skriver til os."),
    "de": ("Wir helfen gern.", "Wir haben deinen Kommentar gern gelesen.", "Schön, dass du uns schreibst."),
    "es": ("Te ayudamos con gusto.", "Hemos leído tu comentario con alegría.", "Gracias por contarlo."),
    "fr": ("Nous vous aidons volontiers.", "Nous avons lu votre commentaire avec plaisir.", "Merci de nous l'écrire."),
    "zh": ("我们很乐意帮忙。", "我们很高兴读到您的评论。", "谢谢您告诉我们。"),
}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_WORDS_QUOTED = 5


def reply(request: Mapping[str, Any], schema: Mapping[str, Any] | None) -> Any:
    """Answer a comment: an object of the schema, or plain text where there is none."""
    prompt = Prompt.of(request)
    comment = prompt.block(*COMMENT_TAGS) or prompt.last
    language = detect(comment)
    if is_plainly_spam(comment):
        return _skip(schema, language)
    text = words_of_reply(comment, language, earlier_words(prompt), answered_before=was_answered(prompt))
    if schema is None:
        return text
    return Filler(main=text, values={"language": language, "lang": language}).fill(schema)


def _skip(schema: Mapping[str, Any] | None, language: str) -> Any:
    if schema is None:
        return "-"
    return Filler(acts=False, values={"language": language, "lang": language, "reason": "advertising"}).fill(schema)


def was_answered(prompt: Prompt) -> bool:
    """Tell whether the prompt shows that this customer was answered before."""
    return any(role == "assistant" for role, _ in prompt.turns[:-1])


def earlier_words(prompt: Prompt) -> str:
    """Return a few of the customer's own earlier words, letters only; empty where none are fit to be quoted."""
    for role, text in reversed(prompt.turns[:-1]):
        if role != "user" or is_plainly_spam(text):
            continue
        words = _WORD.findall(_inner(text))[:_WORDS_QUOTED]
        if len(words) > 1:
            return " ".join(words)
    return ""


def _inner(text: str) -> str:
    return re.sub(r"<[^>]*>", " ", text)


def words_of_reply(comment: str, language: str, earlier: str, *, answered_before: bool) -> str:
    """Return the reply's words; they never introduce the club to somebody who was answered before."""
    language = language if language in _FIRST else "en"
    choices = _CLOSING[language]
    closing = choices[zlib.crc32(comment.encode()) % len(choices)]
    if not answered_before:
        return f"{_FIRST[language]} {closing}"
    before = f" {_BEFORE[language].format(words=earlier)}" if earlier else ""
    return f"{_AGAIN[language]}{before} {closing}"
