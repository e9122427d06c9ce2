"""The multilingual check: is the right section among the first three, across languages?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.local.vector_server.embedder import Embedder
from infra.local.vector_server.index import Index
from onthoud.adapters.upstash import UpstashVectors
from onthoud.memory.knowledge.chunks import Chunk, Document, Section, cut
from onthoud.memory.knowledge.floor import measure
from onthoud.memory.recall import ranking
from onthoud.ports.vectors import Mode, Query, Record, namespace
from tests.fakes.vector_server import TOKEN, serving

FILE = Path(__file__).with_name("multilingual.json")
LANGUAGES = ("nl", "da", "de", "zh")
FIRST = 3


@dataclass(frozen=True, slots=True)
class Case:
    """A question in one language on sections in another; `right` is the heading that is to be found."""

    documents: str
    language: str
    question: str
    right: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """A case, whether it was found among the first three, and the best dense score."""

    case: Case
    found: bool
    best: float


def cases(material: dict[str, Any]) -> Iterator[Case]:
    """Yield the questions in other languages on English sections, and English questions on sections in others.

    52 and 48 make the hundred: the last topic is asked in English of none but the English handbook.
    """
    topics = list(material["questions"])
    for language in LANGUAGES:
        for topic in topics:
            asked, sections = material["questions"][topic], material["sections"][topic]
            yield Case("en", language, asked[language], sections["en"][0])
            if topic != topics[-1]:
                yield Case(language, "en", asked["en"], sections[language][0])


def sections(material: dict[str, Any], language: str) -> list[Chunk]:
    """Return the handbook in a language as chunks; the English one has sections more that answer nothing."""
    held = [one[language] for one in material["sections"].values()]
    held += material["distractors"] if language == "en" else []
    document = Document("Handbook", tuple(Section((name,), (text,)) for name, text in held))
    return cut("handbook", document)


def check(embedder: Embedder) -> tuple[list[Verdict], dict[str, float], list[tuple[str, float]]]:
    """Ask everything; return the verdicts, the noise floor per language, and the off-topic questions' best scores."""
    material = json.loads(FILE.read_text(encoding="utf-8"))
    with serving(Index(embedder)) as url:
        vectors = UpstashVectors(url, lambda fresh: TOKEN, timeout_s=600)
        named, floors = {}, {}
        for language in ("en", *LANGUAGES):
            place = namespace("multilingual", language)
            chunks = sections(material, language)
            vectors.upsert(place, [Record(one.id, one.embedded_text("Handbook"), {}) for one in chunks])
            named[language] = {one.id: one.section for one in chunks}
            floors[language] = measure(vectors, place) or 0.0
        verdicts = [_verdict(vectors, case, named[case.documents]) for case in cases(material)]
        off_topic = [(text, _ask(vectors, "en", text)[1]) for text in material["off_topic"]]
        vectors.close()
    return verdicts, floors, off_topic


def same_language(embedder: Embedder) -> tuple[int, int]:
    """Ask every question in the language of its documents: what is missed here is not missed for the language."""
    material = json.loads(FILE.read_text(encoding="utf-8"))
    asked = [
        Case(language, language, words[language], material["sections"][topic][language][0])
        for topic, words in material["questions"].items()
        for language in ("en", *LANGUAGES)
    ]
    with serving(Index(embedder)) as url:
        vectors = UpstashVectors(url, lambda fresh: TOKEN, timeout_s=600)
        named = {}
        for language in ("en", *LANGUAGES):
            chunks = sections(material, language)
            place = namespace("multilingual", language)
            vectors.upsert(place, [Record(one.id, one.embedded_text("Handbook"), {}) for one in chunks])
            named[language] = {one.id: one.section for one in chunks}
        found = sum(_verdict(vectors, case, named[case.documents]).found for case in asked)
        vectors.close()
    return found, len(asked)


def _verdict(vectors: UpstashVectors, case: Case, named: dict[str, str]) -> Verdict:
    best, likeness = _ask(vectors, case.documents, case.question)
    return Verdict(case, case.right in [named[name] for name in best[:FIRST]], likeness)


def _ask(vectors: UpstashVectors, documents: str, question: str) -> tuple[list[str], float]:
    """Ask as `Knowledge.search` does; return the ids in order and the best dense score."""
    queries = [Query(question, Mode.DENSE, 30), Query(question, Mode.SPARSE, 30)]
    lists = vectors.search(namespace("multilingual", documents), queries)
    fused = ranking.fuse([{hit.id: hit.score for hit in hits} for hits in lists])
    return sorted(fused, key=lambda name: (-fused[name], name)), lists[0][0].score
