"""The models that the API knows, and what differs between them as far as a request can be refused for it.

The names are those of the SDK's own list (a test compares); the figures are those of the API's models overview and of
its guides on thinking and effort. A model that they do not describe gets the figures of its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

THINKING = frozenset({"adaptive", "disabled"})


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a request to this model may ask.

    Attributes:
        max_tokens: the most output tokens of one answer.
        prefill: whether the conversation may end with the beginning of the assistant's answer.
        system_role: whether a `system` message may stand in the conversation.
        effort: whether it knows `output_config.effort`.
        thinking: the kinds of thinking that may be asked for.
        forced_tools: whether a tool may be forced; not where thinking is always on.
    """

    max_tokens: int = 128_000
    prefill: bool = False
    system_role: bool = True
    effort: bool = True
    thinking: frozenset[str] = THINKING
    forced_tools: bool = True


_4_5 = ModelFacts(64_000, prefill=True, system_role=False, effort=False, thinking=frozenset({"enabled", "disabled"}))
_OPUS_4_5 = replace(_4_5, effort=True)
_4_6 = ModelFacts(system_role=False, thinking=THINKING | {"enabled"})
_4_7 = ModelFacts(system_role=False)
_NEW = ModelFacts()
_ALWAYS_THINKS = ModelFacts(thinking=frozenset({"adaptive"}), forced_tools=False)
_SONNET_5_5 = ModelFacts(thinking=frozenset({"adaptive", "between_tools"}))

MODELS: dict[str, ModelFacts] = {
    "claude-fable-5-2": _ALWAYS_THINKS,
    "claude-fable-5-1": _ALWAYS_THINKS,
    "claude-fable-5": _ALWAYS_THINKS,
    "claude-mythos-5-2": _ALWAYS_THINKS,
    "claude-mythos-5-1": _ALWAYS_THINKS,
    "claude-mythos-5": _ALWAYS_THINKS,
    "claude-mythos-preview": _4_7,
    "claude-opus-5-5": _ALWAYS_THINKS,
    "claude-opus-5": _NEW,
    "claude-sonnet-5-5": _SONNET_5_5,
    "claude-sonnet-5": _NEW,
    "claude-haiku-5-5": _NEW,
    "claude-opus-4-8": _NEW,
    "claude-opus-4-7": _4_7,
    "claude-opus-4-6": _4_6,
    "claude-sonnet-4-6": _4_6,
    "claude-opus-4-5": _OPUS_4_5,
    "claude-opus-4-5-20251101": _OPUS_4_5,
    "claude-sonnet-4-5": _4_5,
    "claude-sonnet-4-5-20250929": _4_5,
    "claude-haiku-4-5": _4_5,
    "claude-haiku-4-5-20251001": _4_5,
}
