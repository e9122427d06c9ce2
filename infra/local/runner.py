"""Works the stack off: messages, retries and due schedules, in the order of their times.

Where the clock was moved over occurrences of schedules, it goes back to the instant up to which everything had been
worked off, and comes forward again from event to event: a message when it becomes visible, an occurrence at its own
instant. Otherwise it stays where it is. It is moved on only for what is waiting to be tried again.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from infra.local import event_sources
from infra.local.asynchronous import Asynchronous, Retry
from infra.local.clock import StackClock
from infra.local.errors import Busy
from infra.local.event_sources import EventSource
from infra.local.expiry import Expiry
from infra.local.invocations import Invoker
from infra.local.queues import Queues
from infra.local.schedules import Due, Schedules
from infra.local.tally import Tally

_LOOK_AGAIN_S = 0.25
"""Real seconds after which idle functions look again for messages, while others are still at work."""


class Runner:
    """Runs the functions of the stack."""

    def __init__(
        self,
        *,
        queues: Queues,
        sources: Sequence[EventSource],
        schedules: Schedules,
        invoker: Invoker,
        asynchronous: Asynchronous,
        clock: StackClock,
        expiry: Expiry,
    ) -> None:
        self._queues = queues
        self._sources = sources
        self._schedules = schedules
        self._async = asynchronous
        self._async.on_given_up = self._given_up
        self._invoker = invoker
        self._clock = clock
        self._expiry = expiry
        self._running: dict[asyncio.Task[Any], str] = {}
        self._dead_bodies: dict[str, set[str]] = {}
        self._busy = asyncio.Lock()
        self._tally = Tally()
        self._draining = False
        self.settled = clock.now()
        """The instant up to which everything has been worked off."""
        self.is_behind = False
        """Whether the clock was moved since then."""

    # What others tell

    def dead_letter(self, function: str, body: str) -> None:
        """A function has put a message on a dead-letter queue itself."""
        self._tally.dead_lettered += 1
        self._dead_bodies.setdefault(function, set()).add(body)

    def _given_up(self) -> None:
        self._tally.dead_lettered += 1

    @property
    def is_draining(self) -> bool:
        """Whether a drain runs."""
        return self._draining

    @property
    def has_work_before(self) -> bool:
        """Whether the clock was moved over something that is due and has not run."""
        if self._schedules.next(self._clock.now()) is not None:
            return True
        return self.is_behind and any(self._queues.size(source.queue) for source in self._sources)

    # Working off

    async def drain(self, timeout_s: float) -> dict[str, Any]:
        """Work everything off, for at most `timeout_s` real seconds; see the module's description.

        Raises:
            Busy: another drain runs.
        """
        if self._draining:
            raise Busy("a drain runs already")
        self._draining = True
        try:
            async with self._busy:
                self._tally = Tally()
                before = self._invoker.counts.copy()
                idle = await self._work_off_everything(time.monotonic() + timeout_s)
                self._tally.invocations = dict(self._invoker.counts - before)
                return self._tally.as_answer(idle=idle)
        finally:
            self._draining = False

    async def work_off_now(self) -> None:
        """Work off what is visible and due at this moment, without touching the clock (`--auto`)."""
        async with self._busy:
            while (due := self._schedules.next(self._clock.now())) is not None:
                self._occur(due)
            for retry in [one for one in self._async.retries if one.at <= self._clock.now()]:
                self._repeat(retry)
            await self._work_off_visible(math.inf)
            self._settle()

    async def _work_off_everything(self, deadline: float) -> bool:
        target, since = self._clock.now(), time.monotonic()
        if self.has_work_before and self.settled < target:
            self._clock.move_to(self.settled)
        while await self._work_off_visible(deadline):
            step = self._next_step(target)
            if step is None:
                await self._come_to(target + timedelta(seconds=time.monotonic() - since))
                self._expiry.is_asked = False
                self._settle()
                return True
            await step()
        self.settled = self._clock.now()
        await self._come_to(target)
        return False

    def _settle(self) -> None:
        self.settled, self.is_behind = self._clock.now(), False

    async def _come_to(self, moment: datetime) -> None:
        if self._clock.now() < moment:
            self._clock.move_to(moment)
        await self._expiry.sweep_if_asked()

    def _next_step(self, target: datetime) -> Callable[[], Awaitable[None]] | None:
        """Return what comes next in time after all that is visible now has been worked off."""
        visible = self._next_visible()
        retry = self._async.next
        waits = [moment for moment in (visible, retry.at if retry else None) if moment is not None]
        wait = min(waits, default=None)
        due = self._schedules.next(target if wait is None else max(target, wait))
        if due is not None and (wait is None or due.at <= wait):
            return lambda: self._at_its_instant(due)
        if retry is not None and retry.at == wait:
            return lambda: self._at_its_time(retry)
        return (lambda: self._wait_for(wait)) if wait is not None else None

    def _next_visible(self) -> datetime | None:
        moments = [self._queues.next_visible(source.queue) for source in self._sources]
        earliest = min((moment for moment in moments if moment is not None), default=None)
        return None if earliest is None else datetime.fromtimestamp(earliest, UTC) + timedelta(milliseconds=1)

    async def _wait_for(self, moment: datetime) -> None:
        if self._clock.now() < moment:
            self._clock.move_to(moment)

    # Schedules and asynchronous invocations

    async def _at_its_instant(self, due: Due) -> None:
        self._clock.move_to(due.at)
        await self._expiry.sweep_if_asked()
        self._occur(due)

    def _occur(self, due: Due) -> None:
        self._schedules.done(due)
        function = due.schedule.function
        self._start(function, self._async.invoke(function, due.schedule.event(due.at), due.schedule.name))

    async def _at_its_time(self, retry: Retry) -> None:
        await self._wait_for(retry.at)
        self._repeat(retry)

    def _repeat(self, retry: Retry) -> None:
        self._async.retries.remove(retry)
        self._start(retry.function, self._async.repeat(retry))

    # Messages

    async def _work_off_visible(self, deadline: float) -> bool:
        """Run functions until nothing is visible; False when the time is up first."""
        while True:
            for source in self._startable():
                messages = await self._receive(source)
                if messages:
                    self._start(source.function, self._handle(source, messages))
                    if self._invoker.is_scripted:
                        break
            if not self._running:
                return True
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            await asyncio.wait(
                list(self._running), timeout=min(left, _LOOK_AGAIN_S), return_when=asyncio.FIRST_COMPLETED
            )

    def _startable(self) -> list[EventSource]:
        if not self._invoker.is_scripted:
            busy = set(self._running.values())
            return [source for source in self._sources if source.function not in busy]
        if self._running:
            return []
        arrived = [(self._queues.oldest_visible(source.queue), source) for source in self._sources]
        waiting = [(moment, source) for moment, source in arrived if moment is not None]
        return [source for _, source in sorted(waiting, key=lambda one: one[0])]

    async def _receive(self, source: EventSource) -> list[dict[str, Any]]:
        dead_letters = self._queues.dead_letter_queue(source.queue)
        before = self._queues.size(dead_letters) if dead_letters else 0
        messages = await self._queues.receive(source.queue, source.batch_size)
        if dead_letters:  # receiving moves on what was received too often
            self._tally.dead_lettered += max(0, self._queues.size(dead_letters) - before)
        return messages

    def _start(self, function: str, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(work)
        self._running[task] = function
        task.add_done_callback(lambda done: self._running.pop(done, None))

    async def _handle(self, source: EventSource, messages: list[dict[str, Any]]) -> None:
        ids = [message["MessageId"] for message in messages]
        event = event_sources.event_of(source, messages)
        outcome = await self._invoker.invoke(source.function, event, f"{source.queue.name} {len(ids)}")
        failed, reason = event_sources.failed_ids(source, outcome, ids)
        if reason is not None and outcome.error is None:
            event_sources.log.warning("%s: whole batch failed: %s", source.function, reason)
        await event_sources.settle(self._queues, source, messages, failed)
        self._count(source, messages, failed)

    def _count(self, source: EventSource, messages: list[dict[str, Any]], failed: set[str]) -> None:
        dead = self._dead_bodies.pop(source.function, set())
        for message in messages:
            self._tally.handled.add(message["MessageId"])
            if int(message["Attributes"]["ApproximateReceiveCount"]) > 1:
                self._tally.retried.add(message["MessageId"])
            if message["MessageId"] not in failed:
                self._tally.acknowledged.add(message["MessageId"])
            if message["Body"] in dead:
                self._tally.failed.add(message["MessageId"])

    async def stop(self) -> None:
        """Let go of what runs."""
        for task in list(self._running):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
