"""Reads a prompt as the rehearsal model sees it: what was quoted to it, and what was said before."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_ATTRIBUTE = re.compile(r'([a-z][a-z0-9_-]*)="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Block:
    """Quoted data of a prompt: what stands between `<tag ...>` and `</tag>`, entities decoded."""

    attributes: Mapping[str, str]
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """The texts of a request.

    Attributes:
        system: the operator's instructions.
        turns: (role, text) of each message, the one that asks last.
    """

    system: str
    turns: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Prompt:
        """Read a Messages API request."""
        turns = tuple((message["role"], _text(message["content"])) for message in request["messages"])
        return cls(_text(request.get("system") or ""), turns)

    @property
    def last(self) -> str:
        """The message that asks."""
        return self.turns[-1][1]

    def blocks(self, tag: str) -> Iterator[Block]:
        """Yield the quoted blocks of this name in the user's messages, the newest first."""
        for role, text in reversed(self.turns):
            if role == "user":
                yield from reversed(list(_blocks(tag, text)))

    def block(self, *tags: str) -> Block | None:
        """Return the newest block of the first of these names that is there at all."""
        return next((block for tag in tags for block in self.blocks(tag)), None)

    def json_block(self, *tags: str) -> Any:
        """Return the newest block of the first of these names that holds JSON; None where there is none."""
        for tag in tags:
            for block in self.blocks(tag):
                try:
                    return json.loads(block.text)
                except ValueError:
                    continue
        return None


def _blocks(tag: str, text: str) -> Iterator[Block]:
    for found in re.finditer(rf"<{tag}((?:\s[^>]*)?)>(.*?)</{tag}>", text, re.DOTALL):
        attributes = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(found[1])}
        yield Block(attributes, html.unescape(found[2]).strip())


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block.get("type") == "text")
