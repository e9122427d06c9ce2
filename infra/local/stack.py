"""The stack: the template's resources, running."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import tempfile
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from infra.local import event_sources, resources, schedules
from infra.local.asynchronous import Asynchronous
from infra.local.clock import StackClock
from infra.local.documents import Documents
from infra.local.engine import Engine
from infra.local.errors import TemplateError
from infra.local.event_sources import EventSource
from infra.local.expiry import Expiry
from infra.local.far_end import FarEnd
from infra.local.faults import Faults
from infra.local.functions import ORIGIN, environment_of, functions_of, operator_function
from infra.local.gateway import Gateway
from infra.local.invocations import Invoker
from infra.local.live_model import LiveModel
from infra.local.model_server import ModelServer
from infra.local.names import kebab_name, schedule_name
from infra.local.parameters import CHANNEL_PATH, MODEL_PATH, SOURCES_PATH, VECTORS_PATH
from infra.local.permissions import Permissions
from infra.local.queues import Queue, Queues
from infra.local.runner import Runner
from infra.local.schedules import Schedules
from infra.local.servers import listen, port_of
from infra.local.sources import Sources
from infra.local.template import Stack as Template
from infra.local.template import load
from infra.local.vectors import Vectors
from infra.local.workers import Function, Worker

ROOT = Path(__file__).resolve().parents[2]
OPERATOR = "operator"
_LOG_LINES = 5000
_KEEP_EVERY_S = 10.0


@dataclass(frozen=True, slots=True)
class Options:
    """What `onthoud local` was told."""

    port: int = 0
    data: Path | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    template: Path = ROOT / "template.yaml"
    functions: Path = ROOT / "functions"
    live_model: bool = False


class Stack:
    """Everything that runs, put together."""

    def __init__(self, options: Options) -> None:
        """Read the template and load the engine.

        Raises:
            TemplateError: the template, or a parameter, is wrong.
        """
        self.options = options
        self.template: Template = load(options.template, options.parameters, ORIGIN)
        self.clock = StackClock()
        self._kept_at = time.monotonic()
        self.engine = Engine(options.data)
        self.faults = Faults()
        self.model = ModelServer(self.clock)
        self.live_model = LiveModel(self.model, self.clock) if options.live_model else None
        self.vectors = Vectors(resources.DUMMY_SECRET, options.data)
        self.far_end = FarEnd(resources.DUMMY_SECRET, self.clock)
        self.woken = asyncio.Event()
        """Set when something may have arrived, for `--auto`."""
        self.lines: deque[str] = deque(maxlen=_LOG_LINES)
        self.home = Path(tempfile.mkdtemp(prefix="onthoud-local-"))
        self.functions = functions_of(self.template)
        self.sockets: dict[str, socket.socket] = {}
        self.workers = {function.name: self._worker(function) for function in self.functions.values()}
        self.operator = self._worker(operator_function(self.template, self.functions))
        self.invoker = Invoker(self.workers, self.clock, lambda: self.model.script.is_set, self.engine.trim)
        self._dead_letter_arns = resources.dead_letter_arns(self.template)
        self.queues = Queues(self.engine, resources.queues_of(self.template))
        self.expiry = Expiry(self.engine, self.table, self.clock)
        self.event_sources = self._event_sources()
        self.schedules = Schedules(self._schedules())
        self.asynchronous = Asynchronous(self.functions, self.invoker, self.queues, self.clock)
        self.runner = Runner(
            queues=self.queues,
            sources=self.event_sources,
            schedules=self.schedules,
            invoker=self.invoker,
            asynchronous=self.asynchronous,
            clock=self.clock,
            expiry=self.expiry,
        )
        self.documents = Documents(
            self.engine, self.queues, self.bucket("KnowledgeBucket"), self.open_queues.get("knowledge"), self.woken
        )
        self.sources = Sources(self.engine, self.bucket("MailBucket"))
        self.gateway = self._gateway()

    # What the template holds

    @property
    def table(self) -> str:
        """The memory table's name."""
        tables = self.template.of_type("AWS::DynamoDB::Table")
        if not tables:
            raise TemplateError("the template has no table")
        return tables[0].physical_id

    @property
    def bus(self) -> str:
        """The bus that producers put events on."""
        buses = self.template.of_type("AWS::Events::EventBus")
        return buses[0].physical_id if buses else "default"

    def bucket(self, logical_id: str) -> str | None:
        """A bucket's name, if the template creates it."""
        resource = self.template.resources.get(logical_id)
        return resource.physical_id if resource else None

    @property
    def open_queues(self) -> dict[str, Queue]:
        """The queues that producers put messages on, by short name."""
        return {q.name: q for q in self.queues.by_arn.values() if q.arn not in self._dead_letter_arns}

    @property
    def dead_letter_queues(self) -> list[tuple[str, Queue]]:
        """The dead-letter queues, with the short names of what they belong to."""
        return [
            (kebab_name(queue.logical_id.removesuffix("DeadLetters")), queue)
            for queue in self.queues.by_arn.values()
            if queue.arn in self._dead_letter_arns
        ]

    def _function_of(self, arn: str) -> str:
        physical = arn.split(":function:")[-1].split(":")[0]
        for function in self.functions.values():
            if function.physical_name == physical:
                return function.name
        raise TemplateError(f"the template holds no function {arn}")

    def _event_sources(self) -> list[EventSource]:
        found = []
        for resource in self.template.of_type("AWS::Lambda::EventSourceMapping"):
            queue = self.queues.by_arn.get(resource.properties["EventSourceArn"])
            if queue is None:
                raise TemplateError(f"{resource.logical_id}: the local stack feeds functions from queues only")
            function = self._function_of(resource.properties["FunctionName"])
            found.append(event_sources.build(queue, function, resource.properties))
        return found

    def _schedules(self) -> list[schedules.Schedule]:
        found = []
        for resource in self.template.of_type("AWS::Scheduler::Schedule"):
            function = self._function_of(resource.properties["Target"]["Arn"])
            name = schedule_name(resource.logical_id, self.functions[function].logical_id)
            found.append(schedules.build(name, resource.arn, function, resource.properties, self.clock.now()))
        return found

    # Workers and what they reach

    def _worker(self, function: Function) -> Worker:
        bound = self.sockets[function.name] = listen()
        home = self.home / function.name
        home.mkdir()
        path = (self.options.functions, ROOT / "shared")
        environment = environment_of(function, f"http://127.0.0.1:{port_of(bound)}")
        return Worker(function, environment, path, home, self._print, lambda: self.clock.now().timestamp())

    def _print(self, function: str, line: str) -> None:
        self.lines.append(f"{function} {line}")

    def _gateway(self) -> Gateway:
        gateway = Gateway(self.engine.asgi, self.faults, lambda name, reason: self.workers[name].kill(reason))
        gateway.mount(CHANNEL_PATH, self.far_end.app)
        gateway.mount(MODEL_PATH, self.live_model.app if self.live_model else self.model.app)
        gateway.mount(VECTORS_PATH, self.vectors)
        gateway.mount(SOURCES_PATH, self.sources.app)
        gateway.interrupt = self.sources.interrupt
        # The operator's worker has a port too, but no name: faults hit functions only.
        gateway.permissions = Permissions(self.template)
        gateway.function_at = {port_of(self.sockets[name]): name for name in self.functions}
        gateway.dead_letter_names = frozenset(queue.physical_name for _, queue in self.dead_letter_queues)
        gateway.on_dead_letter = self.runner.dead_letter
        return gateway

    async def set_environment(self, changes: Mapping[str, str]) -> None:
        """Change the functions' environment, as an update of their configuration would: workers start anew."""
        for worker in (*self.workers.values(), self.operator):
            worker.environment = {**worker.environment, **changes}
        await self.restart_workers()

    async def restart_workers(self) -> None:
        """Let the next invocation of each function import it anew."""
        for worker in (*self.workers.values(), self.operator):
            await worker.stop()

    async def ask(self, operation: str, **arguments: Any) -> Any:
        """Let the operator's worker do something with the library; raises what it refuses as `ValueError`.

        Raises:
            ValueError: the library refused, or failed.
        """
        event = {"operation": operation, **arguments}
        outcome = await self.operator.invoke(event)
        if outcome.error is not None:
            raise ValueError(outcome.error)
        if "refused" in outcome.result:
            raise ValueError(outcome.result["refused"])
        return outcome.result["answer"]

    # What the control interface does to it

    async def move_to(self, moment: datetime, *, sweep: bool) -> None:
        """Move the clock on; let what has expired go, once all that was due before has run, or let it lie."""
        self.clock.move_to(moment)
        self.runner.is_behind = True
        self.expiry.is_asked = sweep and self.runner.has_work_before
        if sweep and not self.expiry.is_asked:
            await self.expiry.sweep()

    async def redrive(self) -> int:
        """Send all dead letters back to the queues that they came from, byte for byte; return how many."""
        sent = 0
        for source in self.queues.by_arn.values():
            dead = self.queues.dead_letter_queue(source)
            if dead is None:
                continue
            for message in self.queues.lying(dead):
                await self.queues.send(source, message.body, group=message.group)
                self.queues.remove(dead, message.message_id)
                sent += 1
        self.woken.set()
        return sent

    # Coming and going

    async def open(self) -> None:
        """Create the resources, or take up those of an earlier run."""
        if self.engine.load():
            self._restore()
            return
        secrets = {
            value
            for function in self.functions.values()
            for name, value in function.environment.items()
            if name.endswith("_PARAMETER") and value
        }
        await resources.create_all(self.engine, self.template, sorted(secrets))
        for queue in self.queues.by_arn.values():  # S3's test events, long worked off where a stack is deployed
            for message in self.queues.lying(queue):
                self.queues.remove(queue, message.message_id)

    async def close(self) -> None:
        """End workers and keep the state."""
        await self.runner.stop()
        await self.restart_workers()
        if self.live_model is not None:
            await self.live_model.close()
        self.keep()
        self.clock.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    async def drain(self, timeout_s: float) -> dict[str, Any]:
        """Work everything off, and keep the state now and then, lest a kill cost all of it."""
        answer = await self.runner.drain(timeout_s)
        if time.monotonic() - self._kept_at > _KEEP_EVERY_S:
            self.keep()
        return answer

    def keep(self) -> None:
        """Keep the state for the next run, where it is to be kept."""
        if self.options.data is None:
            return
        self._kept_at = time.monotonic()
        self.engine.save()
        self.vectors.save()
        state = {
            "now": self.clock.now().isoformat(),
            "settled": self.runner.settled.isoformat(),
            "schedules": self.schedules.state(),
            "sources": self.sources.state(),
            "far_end": self.far_end.state(),
        }
        fresh = self.options.data / "stack.fresh"
        fresh.write_text(json.dumps(state), encoding="utf-8")
        fresh.replace(self.options.data / "stack.json")

    def _restore(self) -> None:
        assert self.options.data is not None  # noqa: S101 - else there is no earlier state
        kept = self.options.data / "stack.json"
        if kept.exists():
            state = json.loads(kept.read_text(encoding="utf-8"))
            then = datetime.fromisoformat(state["now"])
            if then > self.clock.now():
                self.clock.move_to(then)
            self.runner.settled = datetime.fromisoformat(state["settled"])
            self.runner.is_behind = True
            self.schedules.restore(state["schedules"])
            self.sources.restore(state["sources"])
            self.far_end.restore(state["far_end"])
