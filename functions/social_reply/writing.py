"""Writing a reply: one model call, its checks, at most one repair, else a person."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from onthoud.checks.answer import Rejected, parse_answer
from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds
from onthoud.checks.repair import advice
from onthoud.checks.reply import CHECK_NAMES, check_reply
from onthoud.clock import Clock
from onthoud.deadline import Deadline
from onthoud.errors import PermanentError
from onthoud.events.comment import Comment
from onthoud.memory.working import Conversation
from onthoud.observability import count
from onthoud.ports.model import Message, Model, ModelAnswer, ModelRequest, Usage
from onthoud.prices import Prices
from onthoud.settings import Settings
from onthoud.text.graphemes import split_for
from onthoud.text.language import language_hint
from social_reply.answer import Action, Answer
from social_reply.library import Looked
from social_reply.prompt import RULES, instructions, repaired, request

_NOT_LOOKED = Looked()
LEAST_FOR_THE_MODEL_S = 8.0
KEPT_FOR_SENDING_S = 12.0


@dataclass(slots=True)
class Written:
    """What came of it, with what it cost. `memory_ids` stood in the prompt; `cited` the model says it used."""

    action: Action = "escalate"
    text: str = ""
    language: str = ""
    reason: str = ""
    checks: list[str] = field(default_factory=list)
    memory_ids: list[str] = field(default_factory=list)
    cited: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    cost_usd: Decimal = Decimal(0)
    model: str = ""
    calls: int = 0

    @property
    def said(self) -> str:
        """The first half of SHA-256 of the text, for the decision record."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:32] if self.text else ""


class Writer:
    """Asks the model for a reply and believes nothing unchecked."""

    def __init__(self, model: Model, prices: Prices, settings: Settings, clock: Clock) -> None:
        self._model = model
        self._clock = clock
        self._prices = prices
        self._settings = settings

    def write(
        self, comment: Comment, text: str, conversation: Conversation, deadline: Deadline, looked: Looked = _NOT_LOOKED
    ) -> Written:
        """Return a checked reply, a skip, or an escalation. `looked` is what the documents hold on the comment.

        Raises:
            RetryableError: the model cannot be reached now, or no time is left to ask it.
        """
        asked, shown = request(comment, text, conversation, self._settings, looked=looked)
        written = Written(memory_ids=list(shown.labels.values()), model=asked.model)
        today = self._clock.now().astimezone(self._settings.venue_zone).date()
        grounds = _grounds(text, conversation, looked, today)
        raw = self._ask(asked, written, deadline)
        failures = self._judge(raw, comment, grounds, shown.labels, written)
        if failures and deadline.remaining_s() > LEAST_FOR_THE_MODEL_S + KEPT_FOR_SENDING_S:
            count("Repaired")
            raw = self._ask(repaired(asked, raw.text, advice(failures)), written, deadline)
            failures = self._judge(raw, comment, grounds, shown.labels, written)
        if failures:
            names = ", ".join(sorted({str(failure) for failure in failures}))
            written.action, written.reason = "escalate", f"checks_failed: {names}"
            written.text = ""
        return written

    # -- inside ------------------------------------------------------------------------------------------------------

    def _ask(self, asked: ModelRequest, written: Written, deadline: Deadline) -> ModelAnswer:
        deadline.require(LEAST_FOR_THE_MODEL_S + KEPT_FOR_SENDING_S)
        timeout = min(self._settings.model_timeout_s, deadline.remaining_s() - KEPT_FOR_SENDING_S)
        written.calls += 1
        try:
            answer = self._model.answer(asked, timeout_s=timeout)
        except PermanentError:
            if not any(message.images for message in asked.messages):
                raise
            # A picture that cannot be fetched must not cost the customer an answer.
            plain = [Message(message.role, message.text) for message in asked.messages]
            asked = ModelRequest(asked.purpose, asked.model, asked.max_tokens, asked.system, plain, asked.schema)
            return self._ask(asked, written, deadline)
        written.usage += answer.usage
        written.cost_usd = self._prices.cost(asked.model, written.usage)
        return answer

    def _judge(
        self, raw: ModelAnswer, comment: Comment, grounds: Grounds, labels: dict[str, str], written: Written
    ) -> Sequence[Failure]:
        """Read and check an answer into `written`; return what failed."""
        parsed = parse_answer(raw, Answer)
        if isinstance(parsed, Rejected):
            written.checks = ["answer!"]
            return parsed.failures
        answer = parsed.value
        written.action, written.text, written.language = answer.action, answer.text.strip(), answer.language[:35]
        written.reason = answer.why
        written.cited = [labels[label] for label in answer.memory_ids if label in labels]
        if answer.action == "skip":
            written.text = ""
            return []
        if answer.action == "escalate" and not written.text:
            return []
        language = language_hint(grounds.customer_text) or answer.language
        failures = [
            *check_reply(written.text, grounds, comment.channel, language),
            *_unsendable(written.text, comment.channel),
        ]
        failed = {failure.check for failure in failures}
        written.checks = ["answer", *(f"{name}!" if name in failed else name for name in CHECK_NAMES)]
        return failures


def _unsendable(text: str, channel: str) -> list[Failure]:
    """Return a failure for a text that no cut makes fit: one grapheme alone is over the channel's limit."""
    try:
        split_for(text, channel)
    except ValueError:
        return [Failure("form", "one-grapheme-over-the-limit")]
    return []


def _grounds(text: str, conversation: Conversation, looked: Looked, today: date) -> Grounds:
    return Grounds(
        operator_text=f"{instructions()}\n{looked.material}",
        record_text="",
        earlier_replies=tuple(
            turn.content for turn in conversation.turns if turn.role == "assistant" and turn.state == "said"
        ),
        shared_past=any(turn.role == "assistant" for turn in conversation.turns),
        answered_before=conversation.answered_before,
        customer_text=text,
        private_text=RULES,
        today=today,
    )
