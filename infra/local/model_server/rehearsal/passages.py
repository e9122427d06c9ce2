"""What the rehearsal makes of documents: it quotes the sentence that shares most words with the comment.

A sentence in another language than the comment is not quoted, since the rehearsal cannot translate. Where the prompt
says that the documents hold nothing, or those that it shows share no word with the comment, it does not know.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from onthoud.memory.recall.terms import terms

from .language import detect
from .prompt import Prompt

_QUOTING = {
    "en": "Our documents say: “{words}”",
    "nl": "In onze documenten staat: “{words}”",
    "da": "I vores dokumenter står der: “{words}”",
    "de": "In unseren Unterlagen steht: „{words}“",
    "es": "En nuestros documentos pone: “{words}”",
    "fr": "Nos documents disent : « {words} »",
    "zh": "我们的资料中写道：“{words}”",
}
_UNKNOWN = {
    "en": "I do not know that. A colleague will look at it.",
    "nl": "Dat weet ik niet. Een collega kijkt ernaar.",
    "da": "Det ved jeg ikke. En kollega ser på det.",
    "de": "Das weiß ich nicht. Ein Kollege schaut es sich an.",
    "es": "No lo sé. Un compañero lo mirará.",
    "fr": "Je ne le sais pas. Un collègue va regarder.",
    "zh": "这个我不知道，同事会来看。",
}
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")


@dataclass(frozen=True, slots=True)
class Found:
    """What is said of the documents: a quotation with the passage's id, or that nothing is known."""

    text: str
    passage: str = ""

    @property
    def is_known(self) -> bool:
        """Whether a passage answers."""
        return bool(self.passage)


def found(prompt: Prompt, comment: str, language: str) -> Found | None:
    """Return what the documents give for a comment; None where they have no part in the prompt."""
    knowledge = prompt.block("knowledge")
    if knowledge is not None and knowledge.attributes.get("found") == "nothing":
        return Found(_UNKNOWN[language])
    passages = [block for block in prompt.blocks("passage") if "id" in block.attributes]
    readable = [block for block in passages if detect(block.text, language) == language]
    if not readable:
        return None
    asked = set(terms(comment, language))
    best, words, shared = "", "", 0
    for block in sorted(readable, key=lambda one: one.attributes["id"]):
        heading = set(terms(block.attributes.get("section", ""), language))
        for sentence in filter(None, map(str.strip, _SENTENCE.split(block.text))):
            count = len(asked & (heading | set(terms(sentence, language))))
            if count > shared:
                best, words, shared = block.attributes["id"], sentence, count
    if not best:
        surely_read = any(detect(block.text, "") == language for block in readable)
        return Found(_UNKNOWN[language]) if surely_read else None
    return Found(_QUOTING[language].format(words=words), best)
