"""Writing a confirmation: one model call, the fact check, at most one repair, else the plain message."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from decimal import Decimal

from booking.checks.check import CHECKS, Verdict, check
from booking.checks.facts import Facts
from booking.messages import Kind, completion, plain
from booking.prompt import Answer, repaired, request
from booking.when import When
from onthoud.checks.answer import Rejected, parse_answer
from onthoud.deadline import Deadline
from onthoud.errors import OutOfTime, PermanentError, RetryableError
from onthoud.observability import count, logger
from onthoud.ports.model import Model, ModelRequest, Usage
from onthoud.prices import Prices
from onthoud.settings import Settings

LEAST_FOR_THE_MODEL_S = 6.0
KEPT_FOR_SENDING_S = 12.0


@dataclass(frozen=True, slots=True)
class Subject:
    """What a message is about, in words.

    Attributes:
        language: in which it is written.
        facts: what a draft is checked against; None for a message that is never drafted.
    """

    kind: Kind
    language: str
    name: str
    court: str
    venue: str
    when: When
    facts: Facts | None = None

    @property
    def plain(self) -> str:
        """The plain message, right by construction."""
        return plain(self.kind, self.language, name=self.name, court=self.court, venue=self.venue, when=self.when)


@dataclass(slots=True)
class Written:
    """The message, with what it cost. `reason` says why it is the plain one, `memory_ids` what the model was shown."""

    text: str
    reason: str = ""
    checks: list[str] = field(default_factory=list)
    memory_ids: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    cost_usd: Decimal = Decimal(0)
    model: str = ""
    calls: int = 0

    @property
    def said(self) -> str:
        """SHA-256 of the text, for the decision record."""
        return hashlib.sha256(self.text.encode()).hexdigest()


class Writer:
    """Asks the model for a confirmation and believes nothing unchecked."""

    def __init__(self, model: Model, prices: Prices, settings: Settings) -> None:
        self._model = model
        self._prices = prices
        self._settings = settings

    def write(self, subject: Subject, deadline: Deadline) -> Written:
        """Return the message. Whatever the model does, there is one: its draft if that is right, else the plain one.

        A model that cannot be reached costs the personal words, never the confirmation.
        """
        written = Written(subject.plain)
        facts = subject.facts
        if facts is None:
            return written
        asked = request(facts, subject.language, self._settings)
        written.model = asked.model
        faults: tuple[str, ...] = ()
        for attempt in (asked, None):
            draft, faults = self._draft(attempt or repaired(asked, faults), facts, written, deadline)
            if draft is not None:
                written.text = self._completed(draft, subject)
                written.checks = list(CHECKS)
                return written
            if faults[0] in {"model", "time_left"}:
                break
        count("PlainConfirmation")
        written.reason = f"plain: {', '.join(faults)}"
        written.checks = [f"{name}!" if name in faults else name for name in CHECKS] if written.calls else []
        return written

    # -- inside ------------------------------------------------------------------------------------------------------

    def _draft(
        self, asked: ModelRequest, facts: Facts, written: Written, deadline: Deadline
    ) -> tuple[tuple[str, Verdict] | None, tuple[str, ...]]:
        """Return a draft with its verdict, or why there is none."""
        if deadline.remaining_s() < LEAST_FOR_THE_MODEL_S + KEPT_FOR_SENDING_S:
            return None, ("time_left",)
        timeout = min(self._settings.model_timeout_s, deadline.remaining_s() - KEPT_FOR_SENDING_S)
        written.calls += 1
        try:
            raw = self._model.answer(asked, timeout_s=timeout)
        except (RetryableError, PermanentError, OutOfTime) as error:
            logger.warning("the model gave no draft", reason=str(error))
            return None, ("model",)
        written.usage += raw.usage
        written.cost_usd = self._prices.cost(asked.model, written.usage)
        parsed = parse_answer(raw, Answer)
        if isinstance(parsed, Rejected):
            return None, tuple(f"answer_{failure.detail_id}" for failure in parsed.failures)
        text = parsed.value.text.strip()
        verdict = check(text, facts)
        if verdict.faults:
            return None, verdict.faults
        return (text, verdict), ()

    def _completed(self, draft: tuple[str, Verdict], subject: Subject) -> str:
        text, verdict = draft
        if not verdict.missing:
            return text
        added = completion(
            subject.language, verdict.missing, court=subject.court, venue=subject.venue, when=subject.when
        )
        return f"{text}\n\n{added}"
