"""Platform text made plain, and text made fit to store or to compare.

YouTube's `textDisplay` is HTML; X writes `&`, `<` and `>` as entities; the other platforms send what the person typed.
So only these are decoded, only the tags that YouTube writes are taken for markup, and everything is decoded exactly
once: `&amp;lt;` is `&lt;`.
"""

from __future__ import annotations

import re
import unicodedata
from html import unescape

from onthoud.text.patterns import LazyPattern

HTML_CHANNELS = frozenset({"youtube"})
"""Channels whose text is HTML."""
ESCAPING_CHANNELS = frozenset({"x", "twitter"})
"""Channels whose text has three characters escaped, and is plain otherwise."""

_TAG = LazyPattern(r"<(/?)(a|b|br|del|em|i|s|span|strike|strong|u)((?:\s[^<>]{0,4000})?)>", re.IGNORECASE)
_ATTRIBUTES = LazyPattern(r"""(?:\s+[a-z-]{1,40}\s*=\s*(?:"[^"]*"|'[^']*'))*\s*/?""", re.IGNORECASE)
_HREF = LazyPattern(r"""\shref\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
# With its semicolon only: `?a=1&copy=2` is an address, not a copyright sign.
_ENTITY = LazyPattern(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ESCAPED = LazyPattern(r"&(?:amp|lt|gt);")
_OWN_HOST = LazyPattern(r"https?://(?:[a-z]+\.)?(?:youtube\.com|youtu\.be|google\.com)(?:/|$)", re.IGNORECASE)
_URL = LazyPattern(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_CUT = ("...", "…")

_LINE_ENDS = LazyPattern("\r\n?|[\u0085\u2028\u2029]")
# C0 without tab and newline, DEL, C1, and the two code points that XML, and with it SQS, refuses.
_UNSTORABLE = LazyPattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
_SURROGATE = LazyPattern("[\ud800-\udfff]")
_SELECTORS = LazyPattern("[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def plain(text: str, channel: str) -> str:
    """Return the words that a person sees on `channel`, fit to store.

    A link's address is kept beside its label where the label is not the address and leads off the platform, so that
    a hidden link stays visible; a label that the platform cut short is replaced by the whole address.
    """
    if channel.casefold() in HTML_CHANNELS:
        text = _decode(text)
    elif channel.casefold() in ESCAPING_CHANNELS:
        text = _ESCAPED.sub(lambda entity: unescape(entity[0]), text)
    return storable(text)


def storable(text: str) -> str:
    """Return `text` as every store and queue can hold it.

    Removed are NUL and the other control characters; a lone surrogate becomes U+FFFD; line ends become newlines.
    Bidirectional controls, joiners and variation selectors stay: right-to-left text and emoji need them.
    """
    if text.isascii() and text.isprintable():
        return text
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _UNSTORABLE.sub("", _LINE_ENDS.sub("\n", text))


def visible(text: str) -> str:
    """Return what is seen of `text`, in compatibility form (NFKC), without zero-width and bidirectional controls."""
    if text.isascii():
        return text
    seen = "".join(char for char in storable(text) if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", _SELECTORS.sub("", seen))


def comparable(text: str) -> str:
    """Return a form in which two texts that look alike are equal: `visible`, case folded, blanks squeezed."""
    return " ".join(visible(text).casefold().split())


def _decode(text: str) -> str:
    out: list[str] = []
    anchor: tuple[int, str] | None = None
    position = 0
    for tag in _TAG.finditer(text):
        if not _ATTRIBUTES.fullmatch(tag[3]):
            continue
        out.append(_unescape(text[position : tag.start()]))
        position = tag.end()
        name = tag[2].lower()
        if name == "br":
            out.append("\n")
        elif name == "a" and not tag[1]:
            href = _HREF.search(tag[3])
            anchor = (len(out), _unescape(href[1] or href[2] or "") if href else "")
        elif name == "a" and anchor is not None:
            label = "".join(out[anchor[0] :])
            out[anchor[0] :] = [_link(label, anchor[1])]
            anchor = None
    out.append(_unescape(text[position:]))
    return "".join(out)


def _unescape(text: str) -> str:
    return _ENTITY.sub(lambda entity: unescape(entity[0]), text) if "&" in text else text


def _link(label: str, href: str) -> str:
    shown = label.strip()
    if not href or shown == href:
        return label
    for mark in _CUT:
        if shown.endswith(mark) and href.removeprefix("https://").removeprefix("http://").startswith(
            shown.removesuffix(mark).removeprefix("https://").removeprefix("http://")
        ):
            return href
    if _OWN_HOST.match(href) and not _URL.match(shown):
        return label  # a time in the video, a hashtag, somebody's profile
    return f"{label} ({href})" if shown else href
