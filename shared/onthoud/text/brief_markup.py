"""The brief's Markdown, of which only three kinds of line exist, for channels that read something else.

`# heading`, `## heading`, and `- item` with at most one `**label**` at its beginning; every other line is a paragraph.
Whatever else looks like markup came from outside and is shown as the characters that it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Literal

_LABEL = re.compile(r"\*\*([^*]{1,40})\*\* ")
Kind = Literal["title", "heading", "item", "paragraph"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line, read."""

    kind: Kind
    text: str
    label: str = ""


def rows(text: str) -> Iterator[Row]:
    """Yield the lines that hold something."""
    for line in text.split("\n"):
        if line.startswith("# "):
            yield Row("title", line[2:])
        elif line.startswith("## "):
            yield Row("heading", line[3:])
        elif line.startswith("- "):
            label = _LABEL.match(line, 2)
            yield Row("item", line[label.end() :], label[1]) if label else Row("item", line[2:])
        elif line.strip():
            yield Row("paragraph", line)


def to_html(text: str) -> str:
    """Return a whole HTML page without scripts, images or remote parts."""
    pieces: list[str] = []
    in_list = False
    for row in rows(text):
        if in_list != (row.kind == "item"):
            pieces.append("<ul>" if row.kind == "item" else "</ul>")
            in_list = row.kind == "item"
        label = f"<strong>{escape(row.label)}</strong> " if row.label else ""
        tag = {"title": "h1", "heading": "h2", "item": "li", "paragraph": "p"}[row.kind]
        pieces.append(f"<{tag}>{label}{escape(row.text)}</{tag}>")
    body = "\n".join([*pieces, *(["</ul>"] if in_list else [])])
    return f'<!doctype html>\n<html><head><meta charset="utf-8"></head><body>\n{body}\n</body></html>\n'


def to_plain(text: str) -> str:
    """Return the text without marks."""
    lines = []
    for row in rows(text):
        lead = {"title": "", "heading": "\n", "item": "- ", "paragraph": "\n"}[row.kind]
        lines.append(f"{lead}{row.label + ' ' if row.label else ''}{row.text}")
    return "\n".join(lines).strip() + "\n"


def to_slack(text: str) -> list[str]:
    """Return a Slack mrkdwn line per row; the three characters that Slack reads as control are escaped."""
    lines = []
    for row in rows(text):
        words = row.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        # A star, underscore, tilde or backtick from outside would begin a style; a word joiner keeps it a character.
        words = re.sub(r"([*_~`])", "\u2060\\1\u2060", words)
        if row.kind in {"title", "heading"}:
            lines.append(f"*{words}*")
        elif row.kind == "item":
            lines.append(f"• *{row.label}* {words}" if row.label else f"• {words}")
        else:
            lines.append(words)
    return lines
