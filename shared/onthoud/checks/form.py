"""The reply is words for a person: not empty, no JSON, no markup, no placeholder left to fill in."""

from __future__ import annotations

import re

from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds, Reply
from onthoud.text.emoji import is_blank
from onthoud.text.patterns import LazyPattern

NAME = "form"

_NOTHING = frozenset({"null", "none", "undefined", "nil", "nan", "n/a", "{}", "[]", '""', "''", "true", "false"})
_JSON = LazyPattern(
    r"""^\s*[\[{]\s*(?:["'\]}]|$)|["'](?:reply|text|action|language|message|answer|memory_ids)["']\s*:"""
)
# Platforms show Markdown as it is typed; a single * or _ is a person's own emphasis.
_MARKUP = LazyPattern(
    r"```|\*\*[^*\n]+\*\*|^#{1,6}\s|\[[^\]\n]+\]\([^)\n]+\)|</?[A-Za-z][\w-]*(?:\s[^<>\n]*)?/?>|&(?:amp|lt|gt"
    r"|quot|nbsp|#\d+);",
    re.MULTILINE,
)
_PLACEHOLDER = LazyPattern(
    r"\[(?:email|phone|card|iban|national-id)\]|\{\{?\s*[\w. -]{1,40}\s*\}?\}"
    r"|[\[<](?:(?:your|the|customer'?s?|insert|add|jouw|uw|klant\w*|dein|ihr|kunden?\w*|dit|din)[ _])?(?:first[ _])?"
    r"(?:name|naam|navn|club|date|datum|dato|time|tijd|tid|uhrzeit|link|url|price|prijs|preis|pris|phone|email"
    r"|address|adres|adresse|姓名|名字|日期|时间|链接|价格)"
    r"(?:[ _](?:here|hier|her))?[\]>]",
    re.IGNORECASE,
)


def check(reply: Reply, _grounds: Grounds) -> list[Failure]:
    """Fail on text that is no message to a person."""
    if is_blank(reply.raw) or not any(char.isalnum() or ord(char) > 0x2000 for char in reply.text):
        return [Failure(NAME, "empty")]
    if reply.text.strip().casefold().strip(".") in _NOTHING:
        return [Failure(NAME, "null")]
    rules = (("json", _JSON), ("markup", _MARKUP), ("placeholder", _PLACEHOLDER))
    return [Failure(NAME, rule) for rule, pattern in rules if pattern.search(reply.text)]
