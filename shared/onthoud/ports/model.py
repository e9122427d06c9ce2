"""The model port: one structured answer to one prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class Image:
    """A picture shown to the model by its HTTPS address."""

    url: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the prompt. Text from outside stands only in `user` messages, as quoted data."""

    role: Literal["user", "assistant"]
    text: str
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What the model is asked.

    Attributes:
        purpose: what the call is for: `reply`, `confirm`, `brief`, `extract`. Travels as a request header.
        model: the model's name.
        max_tokens: the most that it may answer.
        system: the operator's instructions; never text from outside.
        messages: starts with the customer.
        schema: JSON Schema that the answer keeps to.
    """

    purpose: str
    model: str
    max_tokens: int
    system: str
    messages: Sequence[Message]
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Sum two calls."""
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What came back, unchecked. `text` is the JSON as the model wrote it; `stop_reason` is the API's own word."""

    text: str
    stop_reason: str
    usage: Usage
    model: str


class Model(Protocol):
    """A language model."""

    def answer(self, request: ModelRequest, *, timeout_s: float) -> ModelAnswer:
        """Ask once, within `timeout_s` seconds in all.

        Raises:
            RetryableError: overloaded, rate-limited, unreachable or too slow.
            PermanentError: the request itself is refused (400, 401, 403, 404, 413).
        """
        ...
