"""Markdown, by markdown-it: headings, paragraphs, lists, tables, code, with front matter set aside."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from knowledge_sync.parsers import html
from knowledge_sync.parsers.outline import Outline
from knowledge_sync.parsers.text import decoded
from onthoud.memory.knowledge.chunks import Document

_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title:[ \t]*[\"']?(.+?)[\"']?[ \t]*$", re.MULTILINE)


def parse(body: bytes, title: str) -> Document:
    """Parse Markdown; see the package."""
    source = decoded(body)
    named = ""
    if front := _FRONT_MATTER.match(source):
        found = _TITLE.search(front.group(1))
        named = found.group(1) if found else ""
        source = source[front.end() :]
    outline = Outline(title)
    tree = SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(source))
    for node in tree.children:
        if node.type == "heading":
            outline.heading(int(node.tag[1:]), _words(node))
        else:
            outline.block(_words(node))
    return outline.document(named)


def _words(node: SyntaxTreeNode) -> str:
    """Return a block's text as it is read: links by their text, images by their description, rows by line."""
    match node.type:
        case "text" | "code_inline" | "code_block" | "fence":
            return node.content
        case "html_block" | "html_inline":
            return html.visible_text(node.content)
        case "softbreak":
            return " "
        case "hardbreak":
            return "\n"
        case "image":
            return node.content
        case "tr":
            return " | ".join(_words(cell) for cell in node.children)
        case "list_item":
            return "- " + _joined(node)
        case "paragraph" | "inline" | "heading" | "td" | "th" | "strong" | "em" | "link" | "s":
            return "".join(_words(child) for child in node.children)
        case _:
            return _joined(node)


def _joined(node: SyntaxTreeNode) -> str:
    return "\n".join(_words(child) for child in node.children)
