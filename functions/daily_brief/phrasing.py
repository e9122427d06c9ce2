"""What the model may do for the brief: put its lines in order and add a few words. Code asks, and checks every word."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from daily_brief.words import Words
from onthoud.errors import OnthoudError
from onthoud.observability import count, logger
from onthoud.ports.model import Message, Model, ModelRequest, Usage
from onthoud.text.markup import comparable
from onthoud.text.quoting import quoted

MAX_ITEMS = 40
"""How many lines the model is shown; those behind keep code's order."""
MAX_REPORTED = 40
PURPOSE = "brief"
_INSTRUCTIONS = (Path(__file__).parent / "instructions.md").read_text("utf-8")

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["items"],
    "properties": {
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["id", "text"],
                "properties": {"id": {"type": "string"}, "text": {"type": "string"}},
            },
        }
    },
}


class _Item(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    id: str
    text: str


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    items: list[_Item]


@dataclass(frozen=True, slots=True)
class Draft:
    """A line as code wrote it, and what the model is told beside it. `excerpt` is the source's own text, redacted."""

    ref: str
    kind: str
    source: str
    line: str
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Phrasing:
    """The order of the lines, the words that were added to some, and how they came about.

    Attributes:
        checks: what ran; what failed ends in `!`.
        calls: how often the model was asked.
    """

    order: tuple[str, ...]
    remarks: dict[str, str] = field(default_factory=dict)
    checks: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    calls: int = 0


def plain(drafts: Sequence[Draft], *checks: str, calls: int = 0, usage: Usage | None = None) -> Phrasing:
    """Return code's own order, without a word added."""
    return Phrasing(tuple(draft.ref for draft in drafts), {}, checks, usage or Usage(), "", calls)


@dataclass(frozen=True, slots=True)
class Phraser:
    """Asks the model, and takes what passes."""

    model: Model
    name: str
    max_tokens: int

    def phrase(self, drafts: Sequence[Draft], reported: Sequence[str], words: Words, *, timeout_s: float) -> Phrasing:
        """Return the order and remarks; whatever the model does, every line stays as code wrote it."""
        asked = drafts[:MAX_ITEMS]
        request = ModelRequest(
            purpose=PURPOSE,
            model=self.name,
            max_tokens=self.max_tokens,
            system=_INSTRUCTIONS.format(language=words.model_language),
            messages=[Message("user", prompt(asked, reported))],
            schema=SCHEMA,
        )
        try:
            answer = self.model.answer(request, timeout_s=timeout_s)
        except OnthoudError as error:
            logger.warning("the brief goes out without the model", reason=type(error).__name__)
            return plain(drafts, "model!", calls=1)
        items, checks = read_answer(answer.text, answer.stop_reason, asked)
        remarks: dict[str, str] = {}
        by_ref = {draft.ref: draft for draft in asked}
        for item in items:
            failure = check_remark(item.text, by_ref[item.id], drafts, reported, words)
            if failure is None and item.text.strip():
                remarks[item.id] = " ".join(item.text.split())
            elif failure is not None:
                checks.append(f"{failure}!")
        for failed in (check for check in checks if check.endswith("!")):
            count(f"BriefCheckFailed{failed[:-1].capitalize()}")
        order = [item.id for item in items] if items else [draft.ref for draft in asked]
        order += [draft.ref for draft in drafts[MAX_ITEMS:]]
        return Phrasing(tuple(order), remarks, tuple(dict.fromkeys(checks)), answer.usage, answer.model, 1)


def prompt(drafts: Sequence[Draft], reported: Sequence[str]) -> str:
    """Return the items and what was already reported, all of it quoted data."""
    blocks = []
    for draft in drafts:
        text = draft.line if not draft.excerpt else f"{draft.line}\n{draft.excerpt}"
        blocks.append(quoted("item", text, id=draft.ref, kind=draft.kind, source=draft.source))
    if reported:
        blocks.append(quoted("already-reported", "\n".join(reported[:MAX_REPORTED])))
    return "\n".join(blocks)


def read_answer(text: str, stop_reason: str, asked: Sequence[Draft]) -> tuple[list[_Item], list[str]]:
    """Return the items if each line asked about is there exactly once and no other; else none, with the reason."""
    if stop_reason != "end_turn":
        return [], ["stop!"]
    try:
        answer = _Answer.model_validate(json.loads(text))
    except (ValueError, ValidationError, RecursionError):
        return [], ["form!"]
    if sorted(item.id for item in answer.items) != sorted(draft.ref for draft in asked):
        return [], ["ids!"]
    return answer.items, ["ids"]


# -- a remark, checked ------------------------------------------------------------------------------------------------

MAX_CHARS = 160
_MARKS = frozenset("<>[]{}*_`#|\\@")
_LEAST_SHARED = 0.6
"""Share of a remark's longer words that must stand in the line itself."""


def check_remark(text: str, draft: Draft, drafts: Sequence[Draft], reported: Sequence[str], words: Words) -> str | None:
    """Return the name of the check that a remark fails; None for one that may be printed, or for none at all."""
    remark = " ".join(text.split())
    if not remark:
        return None
    if len(remark) > MAX_CHARS or not remark.isprintable() or _MARKS & set(remark) or "://" in remark:
        return "form"
    if not _claims(remark, words) <= _claims(draft.line, words):
        return "facts"
    others = [other.line for other in drafts if other.ref != draft.ref]
    if _names_another(remark, draft, [*others, *reported]):
        return "suppressed"
    if is_quote(remark, draft):
        return None
    return None if _grounded(remark, draft.line) else "grounds"


def is_quote(remark: str, draft: Draft) -> bool:
    """Whether a remark is a fragment of what the source itself says, letter by letter; it is printed as a quotation."""
    return len(remark) >= 12 and remark in " ".join(draft.excerpt.split())


def _claims(text: str, words: Words) -> set[str]:
    """Whatever a reader would take for a time, a date or an amount: numbers, in digits or words, and words of time."""
    found, digits = set(), ""
    for character in comparable(text) + " ":
        if character.isdigit():
            digits += character
        elif digits:
            found.add(digits.lstrip("0") or "0")
            digits = ""
    plain_words = _tokens(text)
    spelled = {*words.list("relative"), *words.list("numbers")}
    dated = {
        *(comparable(day) for day in words.list("weekdays")),
        *(comparable(month) for month in words.list("months")),
    }
    return found | (plain_words & (spelled | dated)) | {sign for sign in "€$£%" if sign in text}


def _tokens(text: str) -> set[str]:
    return {
        word.strip("'’") for word in "".join(c if c.isalnum() or c in "'’" else " " for c in comparable(text)).split()
    }


def _grounded(remark: str, line: str) -> bool:
    said = {word for word in _tokens(remark) if len(word) >= 4}
    known = {word[:5] for word in _tokens(line)}
    return bool(said) and sum(word[:5] in known for word in said) >= _LEAST_SHARED * len(said)


def _names_another(remark: str, draft: Draft, lines: Sequence[str]) -> bool:
    """Whether a remark speaks of something else: three words in a row that stand in another line and not in its own."""
    said, own = comparable(remark).split(), comparable(draft.line)
    runs = [" ".join(said[start : start + 3]) for start in range(max(0, len(said) - 2))]
    strange = [run for run in runs if run not in own]
    return any(run in comparable(line) for run in strange for line in lines)
