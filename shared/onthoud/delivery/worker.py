"""The worker: what happens to one queue message, whatever bot it is for.

cannot ever be processed   -> quarantine with the reason, acknowledged
cannot be processed now    -> back to the queue, the reason kept
begun too often            -> dead letters with the last reason, acknowledged
no time left to begin      -> back to the queue, not counted
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from onthoud.clock import Clock
from onthoud.deadline import Deadline
from onthoud.delivery.attempts import Attempts
from onthoud.delivery.quarantine import Suspect, isolate
from onthoud.errors import Conflict, OnthoudError, OutOfTime, PermanentError, RetryableError
from onthoud.events.envelope import Unwrapped, unwrap
from onthoud.observability import count, logger
from onthoud.ports.queue import Queue
from onthoud.ports.table import Table
from onthoud.settings import Settings

LEAST_TO_BEGIN_S = 10.0
"""Seconds that must be left to begin a message."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message as a function receives it. `receives` is SQS's ApproximateReceiveCount, from 1."""

    message_id: str
    body: str
    group: str = "default"
    receives: int = 1


@dataclass(slots=True)
class Worker:
    """Works messages of one queue off."""

    bot: str
    queue: str
    table: Table
    clock: Clock
    settings: Settings
    dead_letters: Queue | None = None

    def work(self, message: Message, deadline: Deadline, process: Callable[[Unwrapped], None]) -> None:
        """Process the event in one message; returning means it is done and may be acknowledged.

        Raises:
            RetryableError: it must come back.
        """
        self.guard(message, deadline, lambda: process(unwrap(message.body)))

    def guard(self, message: Message, deadline: Deadline, process: Callable[[], None]) -> None:
        """Do what one message asks for, whatever its form; see `work`.

        Raises:
            RetryableError: it must come back.
        """
        deadline.require(LEAST_TO_BEGIN_S)
        attempts = Attempts(self.table, self.settings.space, message.message_id)
        counted = message.receives > 1 and self.dead_letters is not None
        if counted and self._given_up(message, attempts):
            return
        try:
            process()
        except OutOfTime:
            if counted:
                attempts.advanced(self.clock.now())
            raise
        except PermanentError as error:
            self.isolate(Suspect(self.queue, self.bot, message.message_id, message.body, str(error)))
        except (RetryableError, Conflict) as error:
            self._failed(message, attempts, str(error))
            raise RetryableError(str(error)) from error
        except Exception as error:  # a fault of ours: the message comes back, and its dead letter says why
            self._failed(message, attempts, f"internal error: {type(error).__name__}")
            logger.error("internal error", message_id=message.message_id, error=type(error).__name__, at=_where(error))
            raise RetryableError(f"internal error: {type(error).__name__}") from error

    def isolate(self, suspect: Suspect) -> None:
        """Put a message or one event of it into quarantine."""
        isolate(self.table, self.settings.space, suspect, self.clock.now())
        logger.warning("quarantined", message_id=suspect.message_id, reason=suspect.reason)
        count("Quarantined")

    def _given_up(self, message: Message, attempts: Attempts) -> bool:
        """Count a repeated beginning; after too many, move the message to the dead letters and say so."""
        if self.dead_letters is None:
            return False
        known = attempts.read()
        if known.get("begun", 0) < self.settings.max_attempts:
            attempts.begin(self.clock.now())
            return False
        reason = known.get("reason", "the function ended before it could say why (crash or timeout)")
        self.dead_letters.send(
            message.body,
            group=message.group,
            deduplication_id=message.message_id,
            attributes={"reason": reason, "message_id": message.message_id, "bot": self.bot},
        )
        logger.error("dead-lettered", message_id=message.message_id, reason=reason)
        count("DeadLettered")
        return True

    def _failed(self, message: Message, attempts: Attempts, reason: str) -> None:
        logger.warning("will be retried", message_id=message.message_id, reason=reason)
        count("Retried")
        try:
            attempts.failed(self.clock.now(), reason)
        except OnthoudError:
            # The table itself is what fails: the message comes back all the same, only without a recorded reason.
            logger.warning("the reason could not be recorded", message_id=message.message_id)


def _where(error: Exception) -> list[str]:
    """Return the places of a traceback. Its values are left out: they may quote what a customer wrote."""
    return [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
