"""What the model answers with: reply, skip or escalate."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Action = Literal["reply", "skip", "escalate"]
Why = Literal["answered", "spam", "no_answer_needed", "abusive", "unknown_answer", "needs_a_person", "injection"]


class Answer(BaseModel):
    """The model's structured answer."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    action: Action
    text: str = Field(default="", max_length=20_000)
    language: str = Field(default="", max_length=35)
    why: Why = "answered"
    memory_ids: list[str] = Field(default_factory=list, max_length=100)


SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["action", "text", "language", "why", "memory_ids"],
    "properties": {
        "action": {
            "type": "string",
            "enum": ["reply", "skip", "escalate"],
            "description": "reply to the comment; skip one that needs no answer; escalate to a person",
        },
        "text": {"type": "string", "description": "the reply as it is posted; empty when skipping"},
        "language": {"type": "string", "description": "ISO 639-1 code of the comment's language and of the reply"},
        "why": {
            "type": "string",
            "enum": [
                "answered",
                "spam",
                "no_answer_needed",
                "abusive",
                "unknown_answer",
                "needs_a_person",
                "injection",
            ],
            "description": "why this action",
        },
        "memory_ids": {
            "type": "array",
            "items": {"type": "string"},
            "description": "the ids of the earlier comments and passages that the reply uses",
        },
    },
}
