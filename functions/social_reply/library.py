"""The knowledge base in a reply: when it is asked, what of it the model sees, and how it is cited."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onthoud.errors import OnthoudError
from onthoud.memory.knowledge.records import Passage, State
from onthoud.observability import count, logger
from onthoud.ports.table import Item, Key
from onthoud.text.quoting import quoted

if TYPE_CHECKING:
    from onthoud.memory.knowledge.search import Knowledge

_ASKS = re.compile(
    r"[?？]|\b(?:how|what|when|where|which|who|why|can|could|do|does|is|are|may|hoe|wat|wanneer|waar|welke|wie|waarom|kan"
    r"|mag|hvordan|hvad|hvornår|hvor|hvilke[nt]?|hvem|hvorfor|må|wie|was|wann|wo|welche[rns]?|wer|warum|kann|darf)\b"
    r"|[吗呢几]|什么|怎么|哪|多少|谁|可以",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[^\W_]+")
_LEAST_WORDS = 4
_LEAST_CHARACTERS = 12
"""Shorter words of praise ("Great club!") ask for no document."""

NOTHING = '<knowledge found="nothing"></knowledge>'
"""Stands in the prompt where the comment asks something and the documents hold nothing on it."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What a look into the documents gave. `nothing` says that a question found nothing relevant."""

    passages: tuple[Passage, ...] = ()
    nothing: bool = False

    @property
    def labels(self) -> dict[str, str]:
        """The short ids that the model sees, to memory ids: document and section."""
        return {f"k{number}": passage.memory_id for number, passage in enumerate(self.passages, start=1)}

    @property
    def blocks(self) -> list[str]:
        """The passages as quoted data, for the prompt."""
        if self.nothing:
            return [NOTHING]
        return [
            quoted("passage", one.text, id=label, document=one.document, section=one.section or one.title)
            for label, one in zip(self.labels, self.passages, strict=True)
        ]

    @property
    def material(self) -> str:
        """The passages as text that a reply may rest on."""
        return "\n".join(f"{one.title}\n{one.section}\n{one.text}" for one in self.passages)


class Library:
    """Looks things up for a reply; without a knowledge base it finds nothing and costs nothing."""

    def __init__(self, knowledge: Knowledge | None) -> None:
        self._knowledge = knowledge

    @property
    def keys(self) -> list[Key]:
        """What is read together with the event, so that the look itself begins without a read."""
        return [self._knowledge.manifests.state_key] if self._knowledge else []

    def look(self, text: str, items: Mapping[Key, Item], *, name: str | None, budget: int) -> Looked:
        """Return the passages on a comment.

        A knowledge base that cannot be asked delays no reply: the model goes without, knows nothing of prices and
        rules, and escalates what it does not know.

        Args:
            text: the comment, as it is remembered.
            items: what was read with the event.
            name: the customer's name.
            budget: how many tokens the passages may take.
        """
        if self._knowledge is None or not _is_worth_it(text):
            return Looked()
        state = State.read(items.get(self._knowledge.manifests.state_key))
        if state.generation is None:
            return Looked()
        try:
            answer = self._knowledge.answer(text, names=[name] if name else (), budget=budget, state=state)
        except OnthoudError as error:
            logger.warning("the knowledge base cannot be asked", reason=str(error))
            count("KnowledgeUnavailable")
            return Looked()
        return Looked(answer.passages, nothing=not answer.passages and _ASKS.search(text) is not None)


def _is_worth_it(text: str) -> bool:
    if _ASKS.search(text):
        return True
    return len(_WORDS.findall(text)) >= _LEAST_WORDS and len(text) >= _LEAST_CHARACTERS
