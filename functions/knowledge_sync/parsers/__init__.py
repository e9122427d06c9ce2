"""Documents of four kinds to sections. The parser is chosen by the content type, else by the name's ending."""

from __future__ import annotations

import importlib
from pathlib import PurePosixPath

from onthoud.errors import PermanentError
from onthoud.memory.knowledge.chunks import Document
from onthoud.ports.objects import ObjectBody

_TYPES = {
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
}
_ENDINGS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".txt": "text",
    ".text": "text",
}


def parse(body: ObjectBody) -> Document:
    """Parse an object.

    Raises:
        PermanentError: it is of no known kind, or cannot be read as what it is.
    """
    # Each kind is a module of its own name, imported when the first such document comes: a cold start pays for none.
    parser = importlib.import_module(f"knowledge_sync.parsers.{kind_of(body)}")
    try:
        document: Document = parser.parse(body.body, title_of(body.key))
    except RecursionError as error:
        raise PermanentError("the document is nested too deeply") from error
    if not any(section.blocks for section in document.sections):
        raise PermanentError("the document holds no text (a scan needs text recognition first)")
    return document


def kind_of(body: ObjectBody) -> str:
    """Return the kind of an object: what its first bytes, its name or its content type say, in this order.

    Uploads often carry a default content type (`binary/octet-stream`, `text/plain`), so a known ending counts more.
    """
    if body.body.startswith(b"%PDF-"):
        return "pdf"
    if kind := _ENDINGS.get(PurePosixPath(body.key).suffix.lower()):
        return kind
    media = body.content_type.partition(";")[0].strip().lower()
    if kind := _TYPES.get(media):
        return kind
    if media.startswith("text/"):
        return "text"
    raise PermanentError(f"documents of type {media or 'unknown'} are not read: use Markdown, HTML, PDF or text")


def title_of(key: str) -> str:
    """Return a title from an object's name, for documents that have none of their own."""
    stem = PurePosixPath(key).stem
    return " ".join(stem.replace("_", " ").replace("-", " ").split()) or key
