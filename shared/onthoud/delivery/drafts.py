"""Drafts and unsettled sends: the person in the loop. The same calls serve the command line and the panel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from onthoud.clock import Clock, iso
from onthoud.deadline import Deadline
from onthoud.delivery.outbox import Entry, Outbox, State
from onthoud.delivery.sender import Sender
from onthoud.errors import PermanentError

Splitter = Callable[[str, str], Sequence[str]]
"""Splits a text at a channel's length: (text, channel) -> parts."""


class Drafts:
    """What waits for a person's approval."""

    def __init__(self, outbox: Outbox, sender: Sender, clock: Clock, split: Splitter) -> None:
        self._outbox = outbox
        self._sender = sender
        self._clock = clock
        self._split = split

    def waiting(self) -> list[Entry]:
        """Return all drafts, oldest first."""
        return self._outbox.waiting("draft", self._clock.now())

    def approve(self, short_id: str, deadline: Deadline) -> Entry:
        """Send a draft as it stands; returns it as it then is (still PLANNED where a kill switch holds it).

        Raises:
            NotFound: no such draft.
            PermanentError: it has no text yet.
            RetryableError: it could not be sent now.
        """
        entry = self._outbox.find("draft", short_id, self._clock.now())
        if entry.base.get("outlet"):
            raise PermanentError(f"{short_id} is a brief for {entry.base['outlet']}: the next brief tells it again")
        if not entry.message.text.strip():
            raise PermanentError(f"draft {short_id} has no text yet: write one with `onthoud drafts edit {short_id}`")
        return self._sender.carry_on(entry, deadline, approved=True)

    def edit(self, short_id: str, text: str) -> Entry:
        """Replace a draft's text; the bot's own is kept beside it, as feedback.

        Raises:
            NotFound: no such draft.
            PermanentError: the new text is empty.
        """
        if not text.strip():
            raise PermanentError("the new text is empty; to drop a draft use `onthoud drafts reject`")
        entry = self._outbox.find("draft", short_id, self._clock.now())
        base = {"bot_text": entry.message.text, **entry.base, "edited_at": iso(self._clock.now())}
        try:
            parts = tuple(self._split(text, entry.message.channel))
        except ValueError:
            raise PermanentError("the new text has a letter that is longer than the channel allows") from None
        message = replace(entry.message, text=text)
        if entry.sent_parts:
            # Parts of the old text are out under this key: the new one goes out whole, under a key of its own.
            message = replace(message, idempotency_key=f"{message.idempotency_key}.edit{entry.attempts}")
        return self._outbox.move(entry, message=message, parts=parts, base=base, sent_parts=0)

    def reject(self, short_id: str) -> Entry:
        """Drop a draft: it is never sent, and never was said.

        Raises:
            NotFound: no such draft.
        """
        entry = self._outbox.find("draft", short_id, self._clock.now())
        return self._outbox.move(entry, state=State.FAILED, hold="", failure="rejected")

    def unsettled(self) -> list[Entry]:
        """Return the sends whose outcome nobody knows, oldest first."""
        return self._outbox.waiting("unknown", self._clock.now())

    def settle(self, short_id: str, *, sent: bool) -> Entry:
        """Record what a person found out: it was sent and is history, or it was not and becomes a draft.

        Raises:
            NotFound: no such unsettled send.
        """
        now = self._clock.now()
        entry = self._outbox.find("unknown", short_id, now)
        if sent:
            return self._outbox.move(entry, state=State.SENT, sent_at=now, failure="")
        return self._sender.uncount(self._outbox.move(entry, state=State.PLANNED, hold="not_sent", failure=""))
