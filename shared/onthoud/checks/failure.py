"""What a check reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Failure:
    """One check that an answer did not pass.

    Attributes:
        check: the check's name, such as `times`.
        detail_id: which of its rules, such as `ungrounded`. Neither ever holds words of the answer.
    """

    check: str
    detail_id: str

    def __str__(self) -> str:
        return f"{self.check}:{self.detail_id}"
