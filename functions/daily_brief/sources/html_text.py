"""The text of an HTML mail as a person sees it: what is hidden from the reader is hidden from the model too."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_SKIPPED = frozenset({"script", "style", "head", "title", "template", "noscript", "svg", "object"})
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_BLOCKS = frozenset({"br", "p", "div", "tr", "li", "h1", "h2", "h3", "h4", "table", "ul", "ol", "blockquote", "hr"})
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all"
    r"|(?:^|[;\s])(?:font-size|max-height|max-width|line-height|opacity)\s*:\s*0(?:\.0+)?(?:px|pt|em|rem|%)?\s*(?:;|!|$)"
    r"|(?:^|[;\s])color\s*:\s*(?:transparent|white|#fff(?:fff)?\b|rgba?\([^)]*,\s*0(?:\.0+)?\s*\))"
    r"|text-indent\s*:\s*-\d{3,}|(?:left|top)\s*:\s*-\d{3,}",
    re.IGNORECASE,
)


class _Visible(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.pieces.append("\n")
        if tag not in _VOID:
            self._open.append((tag, self._hidden or tag in _SKIPPED or _hides(dict(attrs))))

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.pieces.append("\n")
        names = [name for name, _ in self._open]
        if tag in names:
            del self._open[len(names) - 1 - names[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(data)

    @property
    def _hidden(self) -> bool:
        return bool(self._open) and self._open[-1][1]


def _hides(attributes: dict[str, str | None]) -> bool:
    return "hidden" in attributes or bool(_HIDING.search(attributes.get("style") or ""))


def visible_text(html: str) -> str:
    """Return the visible text, a line per block, blanks squeezed."""
    parser = _Visible()
    parser.feed(html)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.pieces).split("\n"))
    return "\n".join(line for line in lines if line)
