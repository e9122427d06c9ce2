"""The script: the next answers of the model, set over the control interface."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

KINDS = ("text", "json", "tool", "status", "raw")


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer of a script, checked.

    Attributes:
        answer: the entry as it was set.
        purpose: the only purpose that it fits; None for any.
        contains: words that the request must hold; None for any request.
        delay_s: real seconds to wait before answering.
    """

    answer: Mapping[str, Any]
    purpose: str | None
    contains: str | None
    delay_s: float

    @classmethod
    def read(cls, entry: object, number: int) -> Entry:
        """Check one entry; unknown fields are ignored.

        Raises:
            ValueError: what is wrong with it.
        """
        at = f"responses[{number}]"
        if not isinstance(entry, Mapping):
            raise ValueError(f"{at} is not an object")
        kinds = [kind for kind in KINDS if kind in entry]
        if len(kinds) != 1 and not (not kinds and "stop_reason" in entry):
            raise ValueError(f"{at} needs exactly one of {', '.join(KINDS)}, or stop_reason with or without text")
        _check_answer(entry, at)
        match = entry.get("match", {})
        if not isinstance(match, Mapping):
            raise ValueError(f"{at}.match is not an object")
        delay = entry.get("delay_s", 0)
        if isinstance(delay, bool) or not isinstance(delay, int | float) or delay < 0:
            raise ValueError(f"{at}.delay_s is not a number of seconds")
        return cls(entry, _text(match, "purpose", at), _text(match, "contains", at), float(delay))

    def fits(self, purpose: str, words: str) -> bool:
        """Tell whether the entry is meant for a call of this purpose with these words in it."""
        if self.purpose is not None and self.purpose != purpose:
            return False
        return self.contains is None or any(form in words for form in _forms(self.contains))


def _check_answer(entry: Mapping[str, Any], at: str) -> None:
    for name in ("text", "raw", "stop_reason"):
        if name in entry and not isinstance(entry[name], str):
            raise ValueError(f"{at}.{name} is not text")
    if "json" in entry and not isinstance(entry["json"], Mapping):
        raise ValueError(f"{at}.json is not an object")
    if "status" in entry and (not isinstance(entry["status"], int) or not 400 <= entry["status"] <= 599):
        raise ValueError(f"{at}.status is not an error status (400 to 599)")
    tool = entry.get("tool")
    if tool is not None and not (isinstance(tool, Mapping) and {"name", "input"} <= tool.keys()):
        raise ValueError(f"{at}.tool needs name and input")


def _text(match: Mapping[str, Any], name: str, at: str) -> str | None:
    value = match.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{at}.match.{name} is not text")
    return value


def _forms(words: str) -> tuple[str, ...]:
    """Return the ways in which a prompt may have quoted the words."""
    return words, html.escape(words, quote=False), json.dumps(words)[1:-1], json.dumps(words, ensure_ascii=False)[1:-1]


class Script:
    """The answers still to be given, in order; of those, each call takes the first that fits it."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._is_set = False

    @property
    def is_set(self) -> bool:
        """Whether a script was set and is not used up: invocations then run one at a time, in order of arrival."""
        return self._is_set and bool(self._entries)

    @property
    def remaining(self) -> int:
        """How many answers are left."""
        return len(self._entries)

    def replace(self, responses: object, then: object = "rehearse") -> None:
        """Set a new script in the place of the old one.

        Raises:
            ValueError: what is wrong; the old script stays.
        """
        if then not in (None, "rehearse"):
            raise ValueError("then must be 'rehearse'")
        if isinstance(responses, str | bytes) or not isinstance(responses, Sequence):
            raise ValueError("responses is not a list")
        self._entries = [Entry.read(entry, number) for number, entry in enumerate(responses)]
        self._is_set = bool(self._entries)

    def take(self, purpose: str, words: str) -> Entry | None:
        """Take the first entry that fits a call; None leaves the call to the rehearsal model."""
        for number, entry in enumerate(self._entries):
            if entry.fits(purpose, words):
                return self._entries.pop(number)
        return None
