"""Documents to chunks, along the document's own structure."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

CHUNKER_VERSION = "1"
"""Raise it whenever the same document would be cut differently: everything is then indexed anew."""
MAX_CHARACTERS = 1200
"""The longest body of a chunk; about 300 tokens, so that one passage leaves room for others in a prompt."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading's own text: the headings above it, outermost first, and its blocks (paragraphs, lists, tables)."""

    path: tuple[str, ...]
    blocks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document."""

    title: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage. Its id comes from its content, so that a text that stays keeps its id wherever it moves."""

    id: str
    section: str
    text: str

    def embedded_text(self, title: str) -> str:
        """Return what is embedded: the passage under its headings, without which "it costs 20 euros" says little."""
        return f"{heading(title, self.section)}\n\n{self.text}"


def heading(title: str, section: str) -> str:
    """Return title and section as one line."""
    return " › ".join(part for part in (title, section) if part)


def cut(key: str, document: Document) -> list[Chunk]:
    """Cut a document into chunks.

    A chunk never spans two sections, so that it can be cited by one. A long section is cut between blocks, a long
    block between sentences, a long sentence between words, and only then anywhere.
    """
    chunks: list[Chunk] = []
    seen: Counter[tuple[str, str]] = Counter()
    for section in document.sections:
        path = " › ".join(part for part in section.path if part)
        for text in _packed(section.blocks):
            repetition = seen[path, text]
            seen[path, text] += 1
            chunks.append(Chunk(_id(key, document.title, path, text, str(repetition)), path, text))
    return chunks


def _packed(blocks: Sequence[str]) -> list[str]:
    packed: list[str] = []
    for piece in (piece for block in blocks for piece in _pieces(block.strip())):
        if packed and len(packed[-1]) + len(piece) + 2 <= MAX_CHARACTERS:
            packed[-1] += "\n\n" + piece
        else:
            packed.append(piece)
    return packed


def _pieces(block: str) -> list[str]:
    if len(block) <= MAX_CHARACTERS:
        return [block] if block else []
    for parts, glue in ((block.split("\n"), "\n"), (_SENTENCE.split(block), " "), (block.split(" "), " ")):
        if len(parts) > 1:
            return [piece for joined in _joined(parts, glue) for piece in _pieces(joined)]
    return [block[at : at + MAX_CHARACTERS] for at in range(0, len(block), MAX_CHARACTERS)]


def _joined(parts: Sequence[str], glue: str) -> list[str]:
    joined: list[str] = []
    for part in parts:
        if joined and len(joined[-1]) + len(part) + len(glue) <= MAX_CHARACTERS:
            joined[-1] += glue + part
        else:
            joined.append(part)
    return joined


def _id(*parts: str) -> str:
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()[:16]
    return base64.b32encode(digest).decode().rstrip("=").lower()
