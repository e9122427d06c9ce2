"""What a reply costs, and how fast the stack works events off: the real handlers over real sockets."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from statistics import median, quantiles
from typing import Any

from infra.local.harness import LocalStack, start_stack
from tests.bench.processes import cpu_s, resident_mb, stack_pid, worker_pid
from tests.bench.registry import Figure, benchmark
from tests.e2e.events import comment

EVENTS = 200
CUSTOMERS = 40
_TOOK = re.compile(r" social_reply comments 1 (\d+) ms ok")


def _event(stack: LocalStack, name: str, customer: str, text: str, second: int = 0) -> dict[str, Any]:
    at = datetime.fromisoformat(stack.now) + timedelta(seconds=second)
    author = {"id": customer, "name": "Ana", "is_self": False}
    thread = {"post_id": f"post-{name}", "parent_id": None}
    return comment(name, text, at, author=author, thread=thread)


def _decided(stack: LocalStack, event: dict[str, Any]) -> dict[str, Any]:
    stack.send("comments", event)
    stack.drain()
    found: dict[str, Any] = stack.decisions(event["comment_id"])[-1]
    return found


def _cost(what: str, decision: dict[str, Any], *, reads: int, writes: int, model_calls: int) -> Iterator[Figure]:
    yield Figure(f"{what}: DynamoDB calls before the model", decision["reads"], "", budget=reads)
    yield Figure("  DynamoDB calls after it", decision["writes"], "", budget=writes)
    yield Figure("  read units", decision["units"]["read"], "")
    yield Figure("  write units", decision["units"]["write"], "")
    yield Figure("  model calls", decision["model_calls"], "", budget=model_calls)
    yield Figure("  tokens", decision["tokens"]["input"] + decision["tokens"]["output"], "")


@benchmark("Per event: round trips, capacity units by the documented rules, model calls")
def per_event() -> Iterable[Figure]:
    """Yield the cost of each way that a comment can go."""
    with start_stack({"KnowledgeBase": "off"}) as stack:
        for number in range(8):
            text = "Do you have lights on court 3 in the evening?"
            last = _decided(stack, _event(stack, f"cost-{number}", "regular", text))
            if number == 0:
                yield from _cost("reply to a new customer", last, reads=2, writes=2, model_calls=1)
        yield from _cost("reply with a full window", last, reads=2, writes=2, model_calls=1)
        skipped = _decided(stack, _event(stack, "cost-skip", "regular", "🎾🎾"))
        yield from _cost("comment that needs no reply", skipped, reads=2, writes=1, model_calls=0)
        before = len(stack.model_calls()), len(stack.deliveries())
        stack.send("comments", _event(stack, "cost-7", "regular", "Do you have lights on court 3 in the evening?"))
        stack.drain()
        yield Figure("duplicate: model calls", len(stack.model_calls()) - before[0], "", budget=0)
        yield Figure("  deliveries", len(stack.deliveries()) - before[1], "", budget=0)


@benchmark("Through the local stack, one event per invocation, one worker")
def rate() -> Iterable[Figure]:
    """Yield rate and latencies; stack, engine, model and far end share the machine with the worker."""
    with start_stack({"BatchSize": "1", "KnowledgeBase": "off"}) as stack:
        _decided(stack, _event(stack, "warm", "warm", "Is this the first question?"))
        for number in range(EVENTS):
            text = f"Question {number}: do you have lights on court {number % 7 + 1}?"
            event = _event(stack, f"rate-{number}", f"customer-{number % CUSTOMERS}", text, number)
            stack.send("comments", event)
        worker, own = worker_pid(stack, "social_reply"), stack_pid(stack)
        before, started, logged = (cpu_s(worker), cpu_s(own)), time.perf_counter(), len(stack.log)
        stack.drain(600)
        seconds = time.perf_counter() - started
        took = [float(found) for found in _TOOK.findall(stack.log[logged:])]
        yield Figure("rate", EVENTS / seconds, "events/s")
        yield Figure("latency of an event, p50", median(took), "ms")
        yield Figure("latency of an event, p95", quantiles(took, n=20)[-1], "ms")
        yield Figure("  p95 beside p50", quantiles(took, n=20)[-1] / median(took), "times")
        yield Figure("worker", (cpu_s(worker) - before[0]) / EVENTS * 1000, "ms of one core per event")
        yield Figure("stack", (cpu_s(own) - before[1]) / EVENTS * 1000, "ms of one core per event")
        yield Figure("memory of the worker", resident_mb(worker), "MB")
