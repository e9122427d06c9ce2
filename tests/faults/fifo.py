"""A FIFO queue with Lambda's event source mapping, in memory: visibility, receive counts, groups, partial failures."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from onthoud.delivery.records import Batch, answer
from onthoud.delivery.worker import Message
from onthoud.events.envelope import group_of
from social_reply.bot import Run, SocialReply, deletions
from tests.fakes.world import World

VISIBILITY_S = 1080


class Killed(BaseException):
    """The process ends here: no `except`, no `finally` of ours may notice."""


class Context:
    function_name = "social_reply"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:eu-west-1:111122223333:function:social_reply"
    aws_request_id = "r-1"

    def __init__(self, remaining_ms: Callable[[], int] = lambda: 180_000) -> None:
        self.get_remaining_time_in_millis = remaining_ms


@dataclass
class Lying:
    message_id: str
    body: str
    group: str
    receives: int = 0
    visible_at: float = 0.0


@dataclass
class Fifo:
    """`work_off` receives batches until nothing is left, moving the clock for visibility timeouts."""

    world: World
    batch_size: int = 10
    max_receives: int = 20
    lying: list[Lying] = field(default_factory=list)
    dead: list[Lying] = field(default_factory=list)
    remaining_ms: Callable[[], int] = lambda: 180_000
    sent: int = 0

    def send(self, events: Sequence[dict[str, Any]], *, group: str | None = None) -> None:
        for event in events:
            body = json.dumps(event)
            self.sent += 1
            self.lying.append(Lying(f"m-{self.sent}", body, group or group_of(body)))

    def work_off(self, rounds: int = 500) -> None:
        for _ in range(rounds):
            if not self.lying:
                return
            batch = self._receive()
            if batch:
                self._invoke(batch)
            else:
                now = self.world.clock.now().timestamp()
                wait = min(one.visible_at - now for one in self.lying if one.visible_at > now)
                self.world.clock.advance(seconds=max(wait, 0.001))
        raise AssertionError("the queue never became empty")

    def _receive(self) -> list[Lying]:
        now, batch, blocked = self.world.clock.now().timestamp(), [], set()
        for one in list(self.lying):
            if one.visible_at > now:
                blocked.add(one.group)
            elif one.group not in blocked and len(batch) < self.batch_size:
                if one.receives >= self.max_receives:
                    self.lying.remove(one)
                    self.dead.append(one)
                    continue
                one.receives += 1
                one.visible_at = now + VISIBILITY_S
                batch.append(one)
        return batch

    def _invoke(self, lying: list[Lying]) -> None:
        records = [
            {
                "messageId": one.message_id,
                "receiptHandle": one.message_id,
                "body": one.body,
                "attributes": {"ApproximateReceiveCount": str(one.receives), "MessageGroupId": one.group},
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:eu-west-1:111122223333:comments.fifo",
            }
            for one in lying
        ]
        try:
            response = invoke(self.world, {"Records": records}, self.remaining_ms)
        except Killed:
            return  # all of it comes back after the visibility timeout
        failed = {failure["itemIdentifier"] for failure in response["batchItemFailures"]}
        assert failed <= {one.message_id for one in lying}
        self.lying = [one for one in self.lying if one not in lying or one.message_id in failed]


def invoke(world: World, event: dict[str, Any], remaining_ms: Callable[[], int] = lambda: 180_000) -> dict[str, Any]:
    """What `social_reply.app.handler` does, with the world's parts in a fresh process."""
    runtime = world.runtime()
    worker = runtime.worker("social_reply", "comments", world.settings.comments_dead_letters_url)
    bot = SocialReply(runtime, worker)
    batch = Batch(event, Context(remaining_ms))  # type: ignore[arg-type]
    deleted = deletions(batch.events())

    def work(message: Message, deadline: Any) -> None:
        worker.work(message, deadline, lambda unwrapped: bot.process(unwrapped, Run(message, deadline, deleted)))

    return answer(batch, work)
