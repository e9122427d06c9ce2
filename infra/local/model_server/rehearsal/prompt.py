"""Reads a prompt as the rehearsal model sees it: the customer's words, and what was said before."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Prompt:
    """The texts of a request.

    Attributes:
        system: the operator's instructions.
        turns: (role, text) of each message, the one to answer last.
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

    def blocks(self, tag: str) -> list[str]:
        """Return the quoted blocks of this name in the message that asks, their entities decoded, in order."""
        found = re.findall(rf"<{tag}(?:\s[^>]*)?>(.*?)</{tag}>", self.last, re.DOTALL)
        return [html.unescape(text).strip() for text in found]

    def block(self, *tags: str) -> str | None:
        """Return the last block of the first of these names that is there at all."""
        for tag in tags:
            if found := self.blocks(tag):
                return found[-1]
        return None

    def json_block(self, *tags: str) -> Any:
        """Return the last block of the first of these names, read as JSON; None where there is none."""
        for tag in tags:
            for text in reversed(re.findall(rf"<{tag}(?:\s[^>]*)?>(.*?)</{tag}>", self.last, re.DOTALL)):
                for form in (text, html.unescape(text)):
                    try:
                        return json.loads(form)
                    except ValueError:
                        continue
        return None


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block.get("type") == "text")
