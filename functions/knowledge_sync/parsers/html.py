"""HTML, by selectolax (Lexbor): what a reader sees of the page's main part."""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from knowledge_sync.parsers.outline import Outline
from knowledge_sync.parsers.text import decoded
from onthoud.memory.knowledge.chunks import Document

_UNSEEN = ["script", "style", "template", "noscript", "svg", "iframe", "object", "form", "button", "[hidden]"]
_AROUND = ["nav", "header", "footer", "aside", "[role=navigation]", "[role=banner]", "[role=contentinfo]"]
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_WHOLE = {"p", "ul", "ol", "dl", "table", "pre", "blockquote", "address", "figcaption", "dt", "dd"}
_BREAKS = {"br", "tr", "li", "p", "div", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6"}


def parse(body: bytes, title: str) -> Document:
    """Parse HTML; see the package."""
    tree = LexborHTMLParser(decoded(body))
    tree.strip_tags(_UNSEEN)
    main = tree.css_first("main") or tree.css_first("article") or tree.body
    outline = Outline(title)
    named = tree.css_first("title")
    if main is not None:
        for around in [node for selector in _AROUND for node in main.css(selector)]:
            around.decompose()
        _walk(main, outline)
    # Pages are titled "Prices - The Club": where there is a first heading, it says more.
    has_heading = main is not None and main.css_first("h1") is not None
    return outline.document("" if has_heading or named is None else named.text())


def visible_text(fragment: str) -> str:
    """Return what a reader sees of a piece of HTML."""
    tree = LexborHTMLParser(fragment)
    tree.strip_tags(_UNSEEN)
    return _text(tree.body) if tree.body is not None else ""


def _walk(node: LexborNode, outline: Outline) -> None:
    loose: list[str] = []
    for child in node.iter(include_text=True):
        tag = child.tag or ""
        if tag in _HEADINGS or tag in _WHOLE or _holds_blocks(child):
            outline.block("".join(loose))
            loose.clear()
            _place(child, tag, outline)
        else:
            loose.append(_text(child))
    outline.block("".join(loose))


def _place(child: LexborNode, tag: str, outline: Outline) -> None:
    if tag in _HEADINGS:
        outline.heading(_HEADINGS[tag], _text(child).replace("\n", " "))
    elif tag in _WHOLE:
        outline.block(_text(child))
    else:
        _walk(child, outline)


def _holds_blocks(node: LexborNode) -> bool:
    return any((inner.tag or "") in _HEADINGS or (inner.tag or "") in _WHOLE for inner in _inner(node))


def _inner(node: LexborNode) -> Iterator[LexborNode]:
    for child in node.iter():
        yield child
        yield from _inner(child)


def _text(node: LexborNode) -> str:
    """Return a node's text; a table's cells are set apart by bars, its rows and a list's entries by line ends."""
    tag = node.tag or ""
    if tag == "-text":
        return node.text_content or ""
    if tag == "img":
        return node.attributes.get("alt") or ""
    parts = [_text(child) for child in node.iter(include_text=True)]
    if tag == "tr":
        return " | ".join(part.strip() for part in parts if part.strip()) + "\n"
    words = "".join(parts)
    if tag != "pre":
        words = words.replace("\r", "")
    if tag == "li":
        return f"\n- {words.strip()}\n"
    return f"\n{words}\n" if tag in _BREAKS else words
