"""The stack that the commands look at: its settings, found where the operator says, and its parts."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import typer

from onthoud.clock import Clock, SystemClock, from_iso
from onthoud.deadline import Deadline
from onthoud.errors import PermanentError
from onthoud.scope import FORM, Scope

if TYPE_CHECKING:
    from onthoud.delivery.drafts import Drafts
    from onthoud.runtime import Runtime

DEBUG = "ONTHOUD_DEBUG"
"""With this variable set, errors keep their tracebacks and the library's log is printed."""
SEND_S = 60
"""How long one command may take to send something, in seconds."""


@dataclass(frozen=True, slots=True)
class ShiftedClock:
    """The clock of a local stack, which may be set ahead of the machine's."""

    ahead: timedelta

    def now(self) -> datetime:
        """Return the stack's instant."""
        return SystemClock().now() + self.ahead


class Session:
    """One run of the program against one stack."""

    def __init__(self, *, stack: str = "", local: str = "") -> None:
        self._stack = stack
        self._local = local

    @classmethod
    def of(cls, runtime: Runtime, environment: Mapping[str, str] | None = None) -> Session:
        """Return a session with parts that are there already (tests)."""
        session = cls()
        session.runtime = runtime
        session.environment = dict(environment or {})
        return session

    @cached_property
    def environment(self) -> dict[str, str]:
        """The variables that the stack's functions have, and the addresses of its queues.

        Raises:
            PermanentError: the stack cannot be found; the message says what to do.
        """
        from infra.cli import stack_environment

        if self._local:
            return stack_environment.of_local(self._local)
        if self._stack:
            return stack_environment.of_deployed(self._stack)
        if not os.environ.get("ONTHOUD_TABLE"):
            raise PermanentError(
                "no stack to look at: name one with `onthoud --stack NAME ...` (deployed) or `onthoud --local URL ...` "
                "(run by `onthoud local`)"
            )
        return {name: value for name, value in os.environ.items() if name.startswith("ONTHOUD_")}

    @cached_property
    def runtime(self) -> Runtime:
        """The stack's parts, as its functions have them."""
        from onthoud.observability import logger
        from onthoud.runtime import Runtime
        from onthoud.settings import Settings

        settings = Settings.from_environment(self.environment)
        if not os.environ.get(DEBUG):
            # The library's log lines are meant for CloudWatch; here they would stand among what a program reads.
            logger.setLevel("CRITICAL")
        # boto3 and the model's SDK look for endpoints and credentials in the process's own environment.
        os.environ.update({name: value for name, value in self.environment.items() if not name.startswith("ONTHOUD_")})
        return Runtime(settings, self._clock())

    def _clock(self) -> Clock:
        if not self._local:
            return SystemClock()
        from infra.cli import stack_environment

        return ShiftedClock(stack_environment.local_now(self._local) - SystemClock().now())

    @property
    def now(self) -> datetime:
        """The stack's instant."""
        return self.runtime.clock.now()

    def when(self, moment: str | None) -> str:
        """Return an ISO 8601 time as the operator reads it: in the operator's zone, to the second."""
        if not moment:
            return ""
        return from_iso(moment).astimezone(self.runtime.settings.operator_zone).strftime("%Y-%m-%d %H:%M:%S %Z")

    @cached_property
    def drafts(self) -> Drafts:
        """What waits for a person."""
        from onthoud.delivery.drafts import Drafts
        from onthoud.text.graphemes import split_for

        return Drafts(self.runtime.outbox, self.runtime.sender, self.runtime.clock, split_for)

    def deadline(self) -> Deadline:
        """Return the time that a command has for sending."""
        end = time.monotonic() + SEND_S
        return Deadline(lambda: max(0, int((end - time.monotonic()) * 1000)))


def session_of(ctx: typer.Context) -> Session:
    """Return the session of a command."""
    session: Any = ctx.find_root().obj
    assert isinstance(session, Session)  # noqa: S101 - the program's callback has put it there
    return session


def customer_named(session: Session, name: str, option: str | None = None) -> Scope:
    """Return the customer whom an argument or option names.

    Raises:
        BadParameter: it has not the form of a customer's name.
    """
    try:
        return Scope.named(session.runtime.settings.space, name)
    except PermanentError as error:
        raise typer.BadParameter(str(error), param_hint=option or FORM) from None


def at_a_terminal() -> bool:
    """Say whether a person sits there who can be asked."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
