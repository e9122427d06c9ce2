"""The crash matrix over real sockets and processes: the worker is killed (SIGKILL) before or after a call.

Which calls there are, nobody lists: the n-th call to a far end is a cell of the matrix as long as a kill set for it
hits. So a new call of the code is a new cell by itself.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest

from infra.local.faults import TARGETS
from infra.local.harness import LocalStack, start_stack
from tests.e2e.events import comment
from tests.faults.matrix import FAR_ENDS, FarEnd

pytestmark = [pytest.mark.prove, pytest.mark.timeout(1800)]

PHASES = ("before", "after")
NORMAL_PATH = {
    "ssm GetParameter",
    "dynamodb BatchGetItem",
    "dynamodb Query",
    "dynamodb TransactWriteItems",
    "dynamodb UpdateItem",
    "model reply",
    "channel send",
}
BATCH_STEPS = {"dynamodb": 9, "model": 4, "channel": 4}
"""In a batch of ten, every so many-th call of a far end is a cell; the single event has them all."""
_KILLED = re.compile(r"failed: killed (before|after) (\S+ \S+)")
_names = (f"cell{number:04}" for number in count())


@dataclass
class Matrix:
    """Runs cells on one stack and remembers what was killed where, and what did not hold."""

    stack: LocalStack
    far_end: FarEnd
    killed: list[tuple[str, str]] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.stack.faults()
        self.start_anew()

    def start_anew(self) -> None:
        """Set what the far end can do, with which the worker starts anew: all that it had kept is gone."""
        self.stack.channel(read_back=self.far_end.read_back, idempotent=self.far_end.idempotent)

    def cell(self, events: list[dict[str, Any]], target: str, phase: str, position: int) -> bool:
        """Play events with one kill; False when there was no such call, so that nothing was killed."""
        before = len(_KILLED.findall(self.stack.log))
        self.stack.call("DELETE", "/local/deliveries")
        self.stack.call("DELETE", "/local/model/calls")
        self.stack.faults({"target": target, "kind": "crash", "when": phase, "after": position, "times": 1})
        for event in events:
            self.stack.send("comments", event)
        self.stack.drain(240)
        self.stack.faults()
        killed = _KILLED.findall(self.stack.log)[before:]
        self.killed += killed
        name = f"{phase} {target} {position} {killed}: "
        self.broken += [name + fault for fault in self._faults(events)]
        return bool(killed)

    def sweep(self, target: str, events: Any, step: int = 1) -> None:
        """Kill before and after each call to a far end, or each `step`-th."""
        for phase in PHASES:
            for position in count(0, step):
                if target == "ssm":
                    self.start_anew()  # a warm worker has the secrets
                if not self.cell(events(), target, phase, position):
                    break

    def _faults(self, events: list[dict[str, Any]]) -> Iterator[str]:
        """Yield what does not hold of the promises."""
        if self.stack.quarantine() or self.stack.dead_letters():
            yield "a message was isolated or dead-lettered"
        deliveries = self.stack.deliveries("reply")
        effects = Counter(one["in_reply_to"] for one in deliveries)
        # The clock moves, so a morning may come and with it the brief, which asks the model too.
        calls = [call for call in self.stack.model_calls() if call["purpose"] == "reply"]
        asked = Counter(_asked(call["request"]) for call in calls)
        for event in events:
            name = event["comment_id"]
            states = [one["state"] for one in self.stack.decisions(name)]
            if not self._is_settled(states, effects[name]):
                yield f"{name}: {effects[name]} effects, decisions {states}"
            if not 1 <= asked[event["text"]] <= 2:
                yield f"{name}: the model was paid {asked[event['text']]} times"
        yield from self._disorder(events, [one["in_reply_to"] for one in deliveries])

    def _is_settled(self, states: list[str], effects: int) -> bool:
        if states == ["SENT"]:
            return effects == 1
        return states == ["UNKNOWN"] and effects <= 1 and not self.far_end.can_settle

    def _disorder(self, events: list[dict[str, Any]], sent: list[str]) -> Iterator[str]:
        wanted: dict[str, list[str]] = {}
        for event in events:
            wanted.setdefault(event["author"]["id"], []).append(event["comment_id"])
        for customer, names in wanted.items():
            answered = [name for name in sent if name in names]
            if answered != [name for name in names if name in answered]:
                yield f"{customer} was answered out of order: {answered}"
            turns = self.stack.memory("instagram", "club", customer)["turns"]
            said = [turn["event_id"] for turn in turns if turn["role"] == "user" and turn["event_id"] in names]
            if said != names:
                yield f"{customer}'s words are not all remembered in order: {said}"


def _asked(request: dict[str, Any]) -> str:
    """Return the comment that a model call was asked to answer."""
    found = re.search(r"<comment_to_answer[^>]*>\n?(.*?)\n?</comment_to_answer>", _text(request), re.DOTALL)
    assert found is not None, json.dumps(request["messages"][-1])[:500]
    return found[1]


def _text(request: dict[str, Any]) -> str:
    content = request["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


@pytest.fixture(scope="module")
def stack() -> Iterator[LocalStack]:
    with start_stack({"BatchSize": "10"}) as running:
        yield running


def _event(stack: LocalStack, name: str, customer: str, number: int = 0) -> dict[str, Any]:
    at = datetime.fromisoformat(stack.now) + timedelta(seconds=number)
    author = {"id": customer, "name": customer.title(), "is_self": False}
    thread = {"post_id": f"post-{name}", "parent_id": None}
    return comment(f"{name}-{number}", f"Question {name} {number} please", at, author=author, thread=thread)


@pytest.mark.parametrize("far_end", FAR_ENDS, ids=str)
def test_a_kill_anywhere_leaves_one_effect_for_a_single_event(stack: LocalStack, far_end: FarEnd) -> None:
    customer = f"regular-{next(_names)}"
    stack.send("comments", _event(stack, next(_names), customer))
    stack.drain()
    matrix = Matrix(stack, far_end)
    for target in TARGETS:
        matrix.sweep(target, lambda: [_event(stack, next(_names), customer)])
    assert matrix.broken == []
    assert {call for _, call in matrix.killed} >= NORMAL_PATH
    print(f"\n{far_end}: {len(matrix.killed)} kills, {Counter(call for _, call in matrix.killed)}")


@pytest.mark.parametrize("far_end", [FAR_ENDS[0], FAR_ENDS[-1]], ids=str)
def test_a_kill_anywhere_leaves_one_effect_each_in_a_batch_of_ten(stack: LocalStack, far_end: FarEnd) -> None:
    matrix = Matrix(stack, far_end)

    def ten_of_three() -> list[dict[str, Any]]:
        name = next(_names)
        return [_event(stack, name, f"{one}-{name}", number) for number, one in enumerate("abcaabccab")]

    for target, step in BATCH_STEPS.items():
        matrix.sweep(target, ten_of_three, step)
    assert matrix.broken == []
    assert len(matrix.killed) >= 2 * len(BATCH_STEPS) * 3
    print(f"\n{far_end}: {len(matrix.killed)} kills in batches, {Counter(call for _, call in matrix.killed)}")


def test_the_matrix_would_see_a_reply_of_which_nobody_knows_whether_it_arrived(stack: LocalStack) -> None:
    """Judged as if the far end could be asked, a kill after a send to one that cannot be asked must show."""
    matrix = Matrix(stack, FarEnd(False, False))
    matrix.far_end = FarEnd(True, True)
    assert matrix.cell([_event(stack, next(_names), "judged")], "channel", "after", 0)
    assert ["1 effects, decisions ['UNKNOWN']" in fault for fault in matrix.broken] == [True]
