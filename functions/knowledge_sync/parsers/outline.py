"""Headings and blocks, in reading order, to sections."""

from __future__ import annotations

import re

from onthoud.memory.knowledge.chunks import Document, Section

_BLANKS = re.compile(r"[ \t\u00a0]+")


class Outline:
    """Collects a document. A heading opens a section below the last heading of a higher level."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._path: list[tuple[int, str]] = []
        self._blocks: list[str] = []
        self._sections: list[Section] = []

    def heading(self, level: int, words: str) -> None:
        """Open a section; level 1 is the highest."""
        self._close()
        self._path = [(depth, name) for depth, name in self._path if depth < level]
        if words := tidy(words):
            self._path.append((level, words))

    def block(self, words: str) -> None:
        """Add a paragraph, list or table to the section."""
        if words := tidy(words):
            self._blocks.append(words)

    def document(self, title: str = "") -> Document:
        """Return what was collected. A single highest heading that opens the document is its title."""
        self._close()
        sections = self._sections
        tops = {section.path[0] for section in sections if section.path}
        if not title and len(tops) == 1 and all(section.path for section in sections):
            title = tops.pop()
            sections = [Section(section.path[1:], section.blocks) for section in sections]
        return Document(tidy(title) or self._title, tuple(sections))

    def _close(self) -> None:
        if self._blocks:
            self._sections.append(Section(tuple(name for _, name in self._path), tuple(self._blocks)))
            self._blocks = []


def tidy(words: str) -> str:
    """Return text without surplus blanks; line ends stay."""
    lines = (_BLANKS.sub(" ", line).strip() for line in words.replace("\x00", "").splitlines())
    return "\n".join(line for line in lines if line)
