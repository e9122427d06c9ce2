"""Outside text as quoted data: what somebody wrote reaches the model between tags that it cannot close.

Every `<`, `>` and `&` of the text is written as an entity, so that no tag, ours or another, can begin or end inside it;
the same holds for attribute values. Characters that a reader does not see but a model reads (Unicode tags, variation
selectors as a byte channel, zero-width spaces, bidirectional controls) are dropped. The words themselves are kept:
"ignore all rules" is what the customer said, and the model is shown that they said it.
"""

from __future__ import annotations

from onthoud.text.markup import storable
from onthoud.text.patterns import LazyPattern

_NAME = LazyPattern(r"[a-z][a-z0-9_-]{0,63}")
# England, Scotland and Wales are a black flag spelled out in tag characters: the only visible use of them.
_HIDDEN = LazyPattern(
    "(\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{1,6}\U000e007f)"
    "|[\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_ATTRIBUTE_ENTITIES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": " ", "\t": " ", "`": "'"}
)


def quoted(tag: str, text: str, **attributes: object) -> str:
    """Return `text` as data between `<tag ...>` and `</tag>`, which the text cannot close or imitate.

    Attributes whose value is None are left out; an underscore in their name becomes a hyphen.

    Raises:
        ValueError: the tag's or an attribute's name is no plain lower-case name: names are ours, never outside text.
    """
    if not _NAME.fullmatch(tag):
        raise ValueError("a tag is named by lower-case letters, digits, - and _")
    written = "".join(_attribute(name, value) for name, value in attributes.items() if value is not None)
    return f"<{tag}{written}>\n{_seen(text).translate(_ENTITIES)}\n</{tag}>"


def _attribute(name: str, value: object) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError("an attribute is named by lower-case letters, digits, - and _")
    return f' {name.replace("_", "-")}="{_seen(str(value)).translate(_ATTRIBUTE_ENTITIES)}"'


def _seen(text: str) -> str:
    return _HIDDEN.sub(lambda hidden: hidden[1] or "", storable(text))
