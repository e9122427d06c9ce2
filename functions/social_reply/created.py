"""A new comment: skipped with a reason, held back as a draft, or answered."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from onthoud.clock import iso
from onthoud.delivery.decisions import Decision, Outcome
from onthoud.delivery.desk import Case, Closing, Desk
from onthoud.delivery.outbox import SHADOW, Entry, State
from onthoud.events.comment import Comment
from onthoud.memory.working import Conversation, Turn
from onthoud.ports.channel import Outgoing
from onthoud.scope import Scope
from onthoud.text.graphemes import split_for
from onthoud.text.language import language_hint
from social_reply.changes import Words, reply_key, words
from social_reply.skip import Skip
from social_reply.writing import Written

BOT = "social_reply"


def raw_record(comment: Comment) -> dict[str, Any]:
    """Return the sensory record of a comment: type, size, language hint, attachments and a hash; not the raw bytes."""
    whole = json.dumps(comment.model_dump(mode="json", by_alias=True), sort_keys=True).encode()
    record: dict[str, Any] = {
        "type": "comment",
        "bytes": len(comment.words.encode("utf-8", "replace")),
        "sha256": hashlib.sha256(whole).hexdigest(),
    }
    if "```" in comment.words:
        record["code"] = True
    if comment.attachments:
        record["attachments"] = len(comment.attachments)
    if (language := language_hint(comment.words)) is not None:
        record["language"] = language
    return record


class Closer:
    """Builds what closes the case of a new comment."""

    def __init__(self, desk: Desk, case: Case, comment: Comment, text: str, identity: str, scope: Scope) -> None:
        self._desk = desk
        self._case = case
        self._comment = comment
        self._text = text
        self._identity = identity
        self._scope = scope

    def skipped(self, skip: Skip, conversation: Conversation | None) -> tuple[Closing, list[Turn]]:
        """Close without an answer."""
        decision = Decision(BOT, "skipped", reason=skip.reason, verb=self._comment.verb)
        if not skip.remember or conversation is None:
            changes = {"created_on": iso(self._comment.occurred_at), "text_hash": self._comment.text_hash}
            # A person may answer even a picture; those words are for this customer. An erased one is not named again.
            thread = {} if skip.reason in {"erased", "deleted"} else self._customer()
            return Closing(self._identity, decision, thread=thread, record=changes), []
        new = self._words()
        return self._closing(decision, new, None, conversation), [new.turn]

    def held(self, reason: str, conversation: Conversation) -> tuple[Closing, list[Turn]]:
        """Close with an empty draft: a guard held the event back before the model was paid."""
        new = self._words()
        decision = Decision(BOT, "drafted", reason=reason, verb=self._comment.verb)
        entry = self._entry(new, "", State.PLANNED, hold=reason)
        return self._closing(decision, new, entry, conversation), [new.turn]

    def decided(self, written: Written, hold: str | None, conversation: Conversation) -> tuple[Closing, list[Turn]]:
        """Close with what the model wrote: sent, held back, skipped, or handed to a person."""
        new = self._words()
        outcome, reason, entry = self._outcome(written, hold, new)
        decision = Decision(
            BOT,
            outcome,
            reason=reason,
            verb=self._comment.verb,
            checks=written.checks,
            memory_ids=written.memory_ids,
            cited=written.cited,
            usage=written.usage,
            cost_usd=written.cost_usd,
            model=written.model,
            model_calls=written.calls,
            said=written.said,
        )
        thread: dict[str, Any] = {}
        if outcome == "escalated" and entry is not None:
            thread["escalated_for"] = iso(self._comment.occurred_at)
        return self._closing(decision, new, entry, conversation, thread), [new.turn]

    # -- inside ------------------------------------------------------------------------------------------------------

    def _outcome(self, written: Written, hold: str | None, new: Words) -> tuple[Outcome, str, Entry | None]:
        mode = self._desk.settings.mode_of(BOT, self._comment.account_id)
        if written.action == "skip":
            return "skipped", f"model: {written.reason}", None
        if written.action == "escalate":
            # One escalation per thread, until the customer writes anew.
            known = self._case.thread.escalated if self._case.thread else None
            raised = known is not None and iso(self._comment.occurred_at) <= known
            entry = None if raised else self._entry(new, written.text, State.PLANNED, hold="escalated")
            return "escalated", written.reason, entry
        if mode == "shadow":
            return "skipped", SHADOW, self._entry(new, written.text, State.PLANNED, hold=SHADOW)
        if hold is None and mode == "draft":
            hold = "mode_draft"
        if hold is not None:
            return "drafted", hold, self._entry(new, written.text, State.PLANNED, hold=hold)
        return "replied", "", self._entry(new, written.text, State.SENDING)

    def _words(self) -> Words:
        return words(
            self._desk, self._case, self._comment, self._text, scope=self._scope, raw=raw_record(self._comment)
        )

    def _closing(
        self,
        decision: Decision,
        new: Words,
        entry: Entry | None,
        conversation: Conversation,
        thread: Mapping[str, Any] | None = None,
    ) -> Closing:
        author = self._comment.author
        return Closing(
            self._identity,
            decision,
            writes=new.writes,
            entry=entry,
            conversation=conversation,
            name=(author.name or "")[:200] if author else "",
            thread={**(thread or {}), **self._customer()},
            record=new.record,
        )

    def _customer(self) -> dict[str, str]:
        """Return the change that names the customer in the thread, nothing where it is known."""
        known = self._case.thread.customer if self._case.thread else None
        return {} if known == self._scope.partition else {"customer": self._scope.partition}

    def _entry(self, new: Words, text: str, state: State, *, hold: str = "") -> Entry:
        comment, now = self._comment, self._desk.clock.now()
        return Entry(
            key=reply_key(self._scope, new),
            state=state,
            message=Outgoing(
                kind="reply",
                channel=comment.channel,
                account_id=comment.account_id,
                to=self._scope.customer,
                in_reply_to=comment.comment_id,
                text=text,
                idempotency_key=self._case.ref.idempotency_key("reply"),
            ),
            parts=tuple(split_for(text, comment.channel)) or ("",),
            event=self._case.ref.key,
            thread=self._case.thread.partition if self._case.thread else "",
            created_at=now,
            expires_at=self._desk.memory.expiry(),
            hold=hold,
            claimed_at=now if state is State.SENDING else None,
            attempts=1 if state is State.SENDING else 0,
            base={
                "kind": "turn",
                "role": "assistant",
                "timestamp": iso(new.turn.timestamp),
                "event_id": comment.comment_id,
                "source": "said",
                "importance": "0.5",
            },
        )


def as_turn(entry: Entry, words: Turn) -> Turn:
    """Return a sent entry as the bot's turn, directly after the words that it answers."""
    turn = replace(words, role="assistant", content=entry.message.text)
    return turn if entry.state is State.SENT else replace(turn, state="unknown")
