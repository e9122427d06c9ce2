"""PDF, by pypdf: text page by page; the outline's entries, where there are some, as headings."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator, Sequence
from typing import Any

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from knowledge_sync.parsers.outline import Outline
from onthoud.errors import PermanentError
from onthoud.memory.knowledge.chunks import Document

MAX_PAGES = 2000
_HYPHENATED = re.compile(r"(?<=[^\W\d_])-\n(?=[a-zà-ÿ])")

# It reports every flaw of a file that it could read all the same.
logging.getLogger("pypdf").setLevel(logging.ERROR)


def parse(body: bytes, title: str) -> Document:
    """Parse a PDF; see the package.

    Raises:
        PermanentError: it is encrypted, damaged or too long.
    """
    try:
        reader = PdfReader(io.BytesIO(body))
        if reader.is_encrypted and not reader.decrypt(""):
            raise PermanentError("the PDF is encrypted")
        if len(reader.pages) > MAX_PAGES:
            raise PermanentError(f"the PDF has more than {MAX_PAGES} pages: split it")
        return _read(reader, title)
    except PermanentError:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise PermanentError(f"the PDF is damaged: {type(error).__name__}") from error


def _read(reader: PdfReader, title: str) -> Document:
    headings: dict[int, list[tuple[int, str]]] = {}
    for level, name, number in _entries(reader, reader.outline, 1):
        headings.setdefault(number, []).append((level, name))
    outline = Outline(title)
    for number, page in enumerate(reader.pages):
        here = headings.get(number, [])
        if not headings:
            outline.heading(1, f"Page {number + 1}")
        for piece, heading in _split(_unwrapped(page.extract_text()), here):
            if heading is not None:
                outline.heading(*heading)
            for paragraph in re.split(r"\n\s*\n", piece):
                outline.block(paragraph)
    named = reader.metadata.title if reader.metadata else None
    return outline.document(named or title)


def _entries(reader: PdfReader, outline: Sequence[Any], level: int) -> Iterator[tuple[int, str, int]]:
    for entry in outline:
        if isinstance(entry, list):
            yield from _entries(reader, entry, level + 1)
            continue
        page = reader.get_destination_page_number(entry)
        if page is not None and page >= 0 and entry.title:
            yield level, str(entry.title).strip(), page


def _split(text: str, headings: list[tuple[int, str]]) -> Iterator[tuple[str, tuple[int, str] | None]]:
    """Cut a page where its outline's titles stand in it; a title that is not found opens the rest of the page."""
    opening: tuple[int, str] | None = None
    for heading in headings:
        at = text.find(heading[1])
        if at >= 0:
            yield text[:at], opening
            text = text[at + len(heading[1]) :]
        elif opening is not None:
            yield "", opening
        opening = heading
    yield text, opening


def _unwrapped(text: str) -> str:
    return _HYPHENATED.sub("", text)
