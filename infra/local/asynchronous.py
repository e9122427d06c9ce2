"""Asynchronous invocations, as Scheduler makes them: what fails is repeated later, then handed to a failure queue."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from infra.local.clock import StackClock
from infra.local.invocations import Invoker
from infra.local.queues import Queues
from infra.local.workers import Function, Outcome

_PAUSES_S = (60, 120)
"""Lambda's pauses before it repeats an asynchronous invocation that failed."""


@dataclass(frozen=True, slots=True)
class Retry:
    """An asynchronous invocation that is to be repeated."""

    function: str
    event: Any
    at: datetime
    attempt: int


class Asynchronous:
    """Invokes, and remembers what is to be repeated."""

    def __init__(self, functions: Mapping[str, Function], invoker: Invoker, queues: Queues, clock: StackClock) -> None:
        self._functions = functions
        self._invoker = invoker
        self._queues = queues
        self._clock = clock
        self.retries: list[Retry] = []
        self.on_given_up: Callable[[], None] | None = None

    @property
    def next(self) -> Retry | None:
        """What is to be repeated first."""
        return min(self.retries, key=lambda one: one.at, default=None)

    async def invoke(self, function: str, event: Any, cause: str) -> Outcome:
        """Invoke a function for the first time."""
        outcome = await self._invoker.invoke(function, event, cause)
        if outcome.error is not None:
            now = self._clock.now()
            await self._after_failure(Retry(function, event, now, 0), outcome)
        return outcome

    async def repeat(self, retry: Retry) -> None:
        """Invoke a function once more."""
        outcome = await self._invoker.invoke(retry.function, retry.event, f"retry {retry.attempt}")
        if outcome.error is not None:
            await self._after_failure(retry, outcome)

    async def _after_failure(self, failed: Retry, outcome: Outcome) -> None:
        function = self._functions[failed.function]
        if failed.attempt < function.retries:
            pause = timedelta(seconds=_PAUSES_S[min(failed.attempt, len(_PAUSES_S) - 1)])
            again = Retry(failed.function, failed.event, self._clock.now() + pause, failed.attempt + 1)
            self.retries.append(again)
        elif function.on_failure_arn in self._queues.by_arn:
            body = _failure_record(function, failed, outcome)
            await self._queues.send(self._queues.by_arn[function.on_failure_arn], body)
            if self.on_given_up:
                self.on_given_up()


def _failure_record(function: Function, failed: Retry, outcome: Outcome) -> str:
    return json.dumps(
        {
            "version": "1.0",
            "timestamp": failed.at.isoformat(),
            "requestContext": {
                "requestId": str(uuid.uuid4()),
                "functionArn": function.arn,
                "condition": "RetriesExhausted",
                "approximateInvokeCount": failed.attempt + 1,
            },
            "requestPayload": failed.event,
            "responsePayload": {"errorMessage": outcome.error},
        }
    )
