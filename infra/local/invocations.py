"""Invocations: one line of log each, counted, and one at a time while a model script is set."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from infra.local.clock import StackClock
from infra.local.workers import Outcome, Worker
from onthoud.clock import iso

log = logging.getLogger("onthoud.local")


class Invoker:
    """Runs functions."""

    def __init__(
        self,
        workers: Mapping[str, Worker],
        clock: StackClock,
        is_scripted: Callable[[], bool],
        afterwards: Callable[[], None],
    ) -> None:
        """Know the workers; `afterwards` is called after each invocation."""
        self._workers = workers
        self._clock = clock
        self._is_scripted = is_scripted
        self._afterwards = afterwards
        self._one_at_a_time = asyncio.Lock()
        self.counts: Counter[str] = Counter()

    @property
    def is_scripted(self) -> bool:
        """Whether invocations run one at a time, in order of arrival."""
        return self._is_scripted()

    async def invoke(self, function: str, event: Any, cause: str) -> Outcome:
        """Run a function once; `cause` is what the log line says of why."""
        turn = self._one_at_a_time if self._is_scripted() else contextlib.nullcontext()
        async with turn:
            started, now = time.monotonic(), self._clock.now()
            self.counts[function] += 1
            outcome = await self._workers[function].invoke(event)
            took_ms = (time.monotonic() - started) * 1000
            how = "ok" if outcome.error is None else f"failed: {outcome.error.splitlines()[0]}"
            log.info("%s %s %s %.0f ms %s", iso(now)[:23] + "Z", function, cause, took_ms, how)
            self._afterwards()
            return outcome
