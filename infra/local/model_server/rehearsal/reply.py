"""The rehearsal of `reply`: a short answer in the customer's language that shows whether it knows the customer."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from typing import Any

from ..schema_filler import Filler
from .language import DEFAULT, detect
from .passages import found as found_in_documents
from .prompt import Block, Prompt
from .spam import is_plainly_spam

ASKED = ("comment_to_answer", "message_to_answer")
"""The tags in which the text to answer stands; without one, the whole last message is answered."""

_FIRST = {
    "en": "Hello, this is the club's assistant. Thank you for writing to us!",
    "nl": "Hallo, dit is de assistent van de club. Bedankt voor je bericht!",
    "da": "Hej, det er klubbens assistent. Tak for din besked!",
    "de": "Hallo, hier ist der Assistent des Clubs. Danke für deine Nachricht!",
    "es": "Hola, soy el asistente del club. ¡Gracias por tu mensaje!",
    "fr": "Bonjour, ici l'assistant du club. Merci pour votre message !",
    "zh": "您好，我是俱乐部的助手。感谢您的留言！",
}
_THANKS = {
    "en": "Thank you for your message!",
    "nl": "Bedankt voor je bericht!",
    "da": "Tak for din besked!",
    "de": "Danke für deine Nachricht!",
    "es": "¡Gracias por tu mensaje!",
    "fr": "Merci pour votre message !",
    "zh": "感谢您的留言！",
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
    "en": "Earlier you wrote “{words}”.",
    "nl": "Eerder schreef je “{words}”.",
    "da": "Tidligere skrev du “{words}”.",
    "de": "Vorher hast du „{words}“ geschrieben.",
    "es": "Antes nos escribiste “{words}”.",
    "fr": "Vous nous aviez écrit « {words} ».",
    "zh": "您之前写过“{words}”。",
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
_FIGURE = re.compile(r"[\d€$£@/\\]|\.\w")
_WORDS_QUOTED = 6
_LETTERS_QUOTED = 48


def reply(request: Mapping[str, Any], schema: Mapping[str, Any] | None) -> Any:
    """Answer a comment: an object of the schema, or plain text where there is none."""
    prompt = Prompt.of(request)
    customer = prompt.block("customer")
    default = customer.attributes.get("default-language", DEFAULT) if customer else DEFAULT
    asked = prompt.block(*ASKED)
    comment = asked.text if asked else prompt.last
    found = detect(comment, default)
    language = found if found in _FIRST else DEFAULT
    if is_plainly_spam(comment):
        return _skip(schema, language)
    known = found_in_documents(prompt, comment, language)
    if known is not None and not known.is_known and schema is not None:
        chosen = {"language": language, "action": "escalate", "why": "unknown_answer", "memory_ids": []}
        return Filler(main=known.text, values=chosen).fill(schema)
    earlier = earlier_comment(prompt)
    words = quotable(earlier.text) if earlier else ""
    text = words_of_reply(
        comment, language, words, answered_before=was_answered(prompt), shows_past=len(prompt.turns) > 1
    )
    if known is not None:
        text = f"{text} {known.text}"
    if schema is None:
        return text
    cited = [known.passage] if known is not None and known.is_known else []
    cited += [earlier.attributes["id"]] if earlier and words and words in text and "id" in earlier.attributes else []
    return Filler(main=text, values={"language": language, "memory_ids": cited}).fill(schema)


def _skip(schema: Mapping[str, Any] | None, language: str) -> Any:
    if schema is None:
        return "-"
    return Filler(acts=False, values={"language": language, "why": "spam", "reason": "spam"}).fill(schema)


def was_answered(prompt: Prompt) -> bool:
    """Tell whether the prompt says, or its messages show, that this customer was answered before."""
    customer = prompt.block("customer")
    if customer is not None and "answered-before" in customer.attributes:
        return customer.attributes["answered-before"] == "yes"
    return any(role == "assistant" for role, _ in prompt.turns[:-1])


def earlier_comment(prompt: Prompt) -> Block | None:
    """Return the customer's newest earlier comment of which a few words are fit to be quoted."""
    fit = (block for block in prompt.blocks("comment") if quotable(block.text) and not is_plainly_spam(block.text))
    return next(fit, None)


def quotable(text: str) -> str:
    """Return the first few plain words of a text, with a mark where there are more; empty where it has figures."""
    words = _WORD.findall(text)
    if len(words) < 2 or _FIGURE.search(text):
        return ""
    start = " ".join(words[:_WORDS_QUOTED])[:_LETTERS_QUOTED].strip()
    return start if start == " ".join(words) else f"{start} …"


def words_of_reply(comment: str, language: str, earlier: str, *, answered_before: bool, shows_past: bool) -> str:
    """Return the reply's words.

    They never introduce the club to somebody who was answered before, and claim to know a person again only where the
    prompt shows what was said.
    """
    choices = _CLOSING[language]
    closing = choices[zlib.crc32(comment.encode("utf-8", "replace")) % len(choices)]
    if not answered_before:
        return f"{_FIRST[language]} {closing}"
    if not shows_past:
        return f"{_THANKS[language]} {closing}"
    before = f" {_BEFORE[language].format(words=earlier)}" if earlier else ""
    return f"{_AGAIN[language]}{before} {closing}"
