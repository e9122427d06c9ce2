"""Plain text: paragraphs between blank lines."""

from __future__ import annotations

import re

from knowledge_sync.parsers.outline import Outline
from onthoud.errors import PermanentError
from onthoud.memory.knowledge.chunks import Document

_PARAGRAPHS = re.compile(r"\n[ \t]*\n")


def parse(body: bytes, title: str) -> Document:
    """Parse plain text; see the package.

    Raises:
        PermanentError: the bytes are not text in UTF-8 (or UTF-16 with its mark).
    """
    outline = Outline(title)
    for paragraph in _PARAGRAPHS.split(decoded(body)):
        outline.block(paragraph)
    return outline.document(title)


def decoded(body: bytes) -> str:
    """Return the bytes as text.

    Raises:
        PermanentError: they are not.
    """
    encoding = "utf-16" if body.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return body.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise PermanentError("the document is not text in UTF-8") from error
