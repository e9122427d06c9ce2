"""Reads a file in LOCOMO's form: conversations of two people over many sessions, and questions with their evidence."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from onthoud.memory.recall.memories import Memory

CATEGORIES = {1: "several turns", 2: "time", 3: "open", 4: "one turn", 5: "wrong speaker"}
SCORED = (1, 2, 3, 4)
"""Category 5 asks for what was never said, or by somebody else; it is listed apart."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the turns that answer it, and its category."""

    text: str
    evidence: frozenset[str]
    category: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation."""

    name: str
    speakers: frozenset[str]
    turns: tuple[Memory, ...]
    questions: tuple[Asked, ...]

    def cost(self, turn: Memory) -> int:
        """Return about how many tokens a turn takes in a prompt, with its day and its speaker: a quarter of its
        characters, the usual rate for English. The same rate holds for every system."""
        day = turn.at.date().isoformat() if turn.at else ""
        return -(-len(f"{day} {turn.said_by}: {turn.text}") // 4)


def load(path: Path) -> list[Conversation]:
    """Return the conversations of a file."""
    return [_conversation(entry) for entry in json.loads(path.read_text(encoding="utf-8"))]


def _conversation(entry: dict) -> Conversation:  # type: ignore[type-arg]
    held = entry["conversation"]
    turns: list[Memory] = []
    numbers = sorted(int(key.split("_")[1]) for key in held if key.startswith("session_") and key.count("_") == 1)
    for number in numbers:
        begun = _moment(held[f"session_{number}_date_time"])
        turns += [
            Memory(
                turn["dia_id"],
                "turn",
                _words(turn),
                source=turn["dia_id"],
                said_by=turn["speaker"],
                at=begun + timedelta(seconds=place),
                session=str(number),
            )
            for place, turn in enumerate(held[f"session_{number}"])
        ]
    known = {turn.id for turn in turns}
    questions = (
        Asked(asked["question"], frozenset(asked["evidence"]) & known, asked["category"]) for asked in entry["qa"]
    )
    return Conversation(
        entry["sample_id"],
        frozenset({held["speaker_a"], held["speaker_b"]}),
        tuple(turns),
        tuple(asked for asked in questions if asked.evidence),
    )


def _words(turn: dict) -> str:  # type: ignore[type-arg]
    """A shared picture counts by its caption, as in the benchmark itself."""
    caption = turn.get("blip_caption")
    return f"{turn['text']} [{caption}]" if caption else str(turn["text"])


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
