"""The models that the API knows, and what differs between them as far as a request can be refused for it.

The names are those of the SDK's own list (a test compares); the figures are those of the API's models overview. A model
of ours that the overview does not describe gets the figures of its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a request to this model may ask.

    Attributes:
        max_tokens: the most output tokens of one answer.
        prefill: whether the conversation may end with the beginning of the assistant's answer.
        system_role: whether a `system` message may stand in the conversation.
    """

    max_tokens: int
    prefill: bool = False
    system_role: bool = True


_4_5 = ModelFacts(64_000, prefill=True, system_role=False)
_BEFORE_4_8 = ModelFacts(128_000, system_role=False)
_NEW = ModelFacts(128_000)

MODELS: dict[str, ModelFacts] = {
    "claude-fable-5-2": _NEW,
    "claude-fable-5-1": _NEW,
    "claude-fable-5": _NEW,
    "claude-mythos-5-2": _NEW,
    "claude-mythos-5-1": _NEW,
    "claude-mythos-5": _NEW,
    "claude-mythos-preview": _BEFORE_4_8,
    "claude-opus-5-5": _NEW,
    "claude-opus-5": _NEW,
    "claude-sonnet-5-5": _NEW,
    "claude-sonnet-5": _NEW,
    "claude-haiku-5-5": _NEW,
    "claude-opus-4-8": _NEW,
    "claude-opus-4-7": _BEFORE_4_8,
    "claude-opus-4-6": _BEFORE_4_8,
    "claude-sonnet-4-6": _BEFORE_4_8,
    "claude-opus-4-5": _4_5,
    "claude-opus-4-5-20251101": _4_5,
    "claude-sonnet-4-5": _4_5,
    "claude-sonnet-4-5-20250929": _4_5,
    "claude-haiku-4-5": _4_5,
    "claude-haiku-4-5-20251001": _4_5,
}
