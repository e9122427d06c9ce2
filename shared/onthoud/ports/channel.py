"""The channel port: how words leave, and how they are found again after a lost answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message on its way out.

    Attributes:
        kind: `reply`, `confirmation`, `brief` or `alert`.
        channel: the platform (`instagram`, `email`, ...).
        account_id: the operator's account on it.
        to: the recipient's id or address.
        in_reply_to: the comment's id, the booking's id, or the brief's name and local date.
        text: the words, as they are to be read.
        idempotency_key: the same for every attempt at this message, different for every other.
        extra: what one kind needs beside the text (a mail's subject and HTML, a calendar attachment).
    """

    kind: str
    channel: str
    account_id: str
    to: str
    in_reply_to: str
    text: str
    idempotency_key: str
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Receipt:
    """The far end's word that it has the message. `platform_id` is its own id for it, empty where it gives none."""

    platform_id: str = ""


class FailureClass(StrEnum):
    """Why a send did not happen."""

    TRANSIENT = "transient"
    """It was surely not done and may work later (429, connection refused, a rejected entry)."""
    AMBIGUOUS = "ambiguous"
    """It may have been done: a timeout, a lost answer, a 5xx."""
    AUTH = "auth"
    """The credentials are refused: the operator must act; the message waits."""
    POLICY = "policy"
    """The platform forbids it: never try again."""
    GONE = "gone"
    """What is answered no longer exists: never try again."""


class SendError(Exception):
    """A send that brought no receipt. `code` is the far end's status, for the log; never its body."""

    def __init__(self, failure: FailureClass, code: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(f"{failure}: {code}")
        self.failure = failure
        self.code = code
        self.retry_after_s = retry_after_s


class Channel(Protocol):
    """A way out. `can_read_back` and `is_idempotent` say what may be done after an unknown outcome."""

    @property
    def can_read_back(self) -> bool:
        """Whether `find_own_reply` can tell if a message arrived."""
        ...

    @property
    def is_idempotent(self) -> bool:
        """Whether the far end recognises a repeated idempotency key."""
        ...

    def send(self, message: Outgoing, *, timeout_s: float) -> Receipt:
        """Send once; never retried in here.

        Raises:
            SendError: with its class.
        """
        ...

    def find_own_reply(self, message: Outgoing, *, timeout_s: float) -> Receipt | None:
        """Ask the far end whether it has the message; None when it surely has not.

        Raises:
            SendError: it could not be asked now.
        """
        ...
