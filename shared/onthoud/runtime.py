"""The assembly: settings and adapters put together, once per warm function. Each part is made when first asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from onthoud.adapters import aws
from onthoud.clock import Clock, SystemClock
from onthoud.delivery.desk import Desk
from onthoud.delivery.outbox import Outbox
from onthoud.delivery.sender import Sender
from onthoud.delivery.sweeper import Sweeper
from onthoud.delivery.worker import Worker
from onthoud.errors import PermanentError
from onthoud.memory.working import WorkingMemory
from onthoud.ports.channel import Channel
from onthoud.ports.model import Model
from onthoud.ports.queue import Queue
from onthoud.ports.secrets import Secrets
from onthoud.ports.table import Table
from onthoud.ports.vectors import Vectors
from onthoud.prices import Prices
from onthoud.privacy.redaction import Policy, Redactor
from onthoud.settings import Settings

if TYPE_CHECKING:
    from onthoud.memory.knowledge.keeper import Keeper
    from onthoud.memory.knowledge.manifest import Manifests
    from onthoud.memory.knowledge.search import Knowledge
    from onthoud.memory.knowledge.sync import Parse


class Runtime:
    """Everything that a function needs. Tests replace parts by setting the attribute before it is asked for."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.settings = settings
        self.clock = clock

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Runtime:
        """Assemble from the environment that the template fills.

        Raises:
            PermanentError: a setting is missing or wrong; the message names it.
        """
        return cls(Settings.from_environment(os.environ if environment is None else environment), SystemClock())

    @cached_property
    def table(self) -> Table:
        """The memory table."""
        from onthoud.adapters.dynamodb import DynamoTable

        return DynamoTable(aws.client("dynamodb"), self.settings.table)

    @cached_property
    def secrets(self) -> Secrets:
        """The parameter store."""
        from onthoud.adapters.ssm import ParameterSecrets

        return ParameterSecrets()

    @cached_property
    def model(self) -> Model:
        """The language model."""
        from onthoud.adapters.anthropic_model import AnthropicModel

        return AnthropicModel(self.secrets, self.settings.model_key_parameter)

    @cached_property
    def channel(self) -> Channel:
        """The way out."""
        if self.settings.channel_kind == "eventbridge":
            from onthoud.adapters.eventbridge import EventBridgeChannel

            return EventBridgeChannel(self.settings.event_bus, clock=self.clock)
        if not self.settings.channel_url:
            raise PermanentError("ONTHOUD_CHANNEL_URL is not set: the webhook needs an address")
        from onthoud.adapters.webhook import WebhookChannel

        return WebhookChannel(
            self.settings.channel_url,
            self.secrets,
            self.settings.channel_secret_parameter,
            read_back=self.settings.channel_read_back,
            idempotent=self.settings.channel_idempotent,
            clock=self.clock,
        )

    def queue(self, url: str) -> Queue:
        """Return the queue at an address."""
        from onthoud.adapters.sqs import SqsQueue

        return SqsQueue(url)

    @cached_property
    def vectors(self) -> Vectors:
        """The vector index, for questions: a customer waits for the answer."""
        return self._vectors(timeout_s=5)

    def _vectors(self, timeout_s: float) -> Vectors:
        from onthoud.adapters.upstash import UpstashVectors

        name = self.settings.upstash_token_parameter
        return UpstashVectors(
            self.settings.upstash_url, lambda fresh: self.secrets.get(name, fresh=fresh), timeout_s=timeout_s
        )

    @cached_property
    def manifests(self) -> Manifests:
        """The knowledge base's part of the table."""
        from onthoud.memory.knowledge.manifest import Manifests

        return Manifests(self.table, self.settings.space, self.clock)

    @cached_property
    def knowledge(self) -> Knowledge | None:
        """The knowledge base; None where the stack has none."""
        if self.settings.knowledge != "on":
            return None
        from onthoud.memory.knowledge.search import Knowledge

        return Knowledge(self.manifests, self.vectors)

    def knowledge_keeper(self, parse: Parse, may_go_on: Callable[[], bool] = lambda: True) -> Keeper:
        """Return who keeps the knowledge base in step; the index is asked which model it has.

        Raises:
            PermanentError: the stack has no knowledge base, or its index has no model of its own.
            RetryableError: the index cannot be asked now.
        """
        from onthoud.adapters.s3 import S3Objects
        from onthoud.memory.knowledge.keeper import Keeper
        from onthoud.memory.knowledge.records import Generation
        from onthoud.memory.knowledge.sync import Synchroniser

        if self.settings.knowledge != "on":
            raise PermanentError("this stack has no knowledge base: set the parameter KnowledgeBase to on")
        vectors = self._vectors(timeout_s=60)  # a batch of passages is embedded before it answers
        info = vectors.info()
        if not info.dense_model:
            raise PermanentError("the vector index has no embedding model: create it with one, hybrid if possible")
        objects = S3Objects(aws.client("s3"), self.settings.knowledge_bucket)
        generation = Generation(info.dense_model)
        sync = Synchroniser(self.manifests, vectors, objects, parse, generation, self.clock)
        return Keeper(sync, may_go_on)

    @cached_property
    def memory(self) -> WorkingMemory:
        """Working memory."""
        settings = self.settings
        return WorkingMemory(self.table, self.clock, window=settings.window_turns, history=settings.history)

    @cached_property
    def desk(self) -> Desk:
        """Where events are opened and closed."""
        return Desk(self.table, self.clock, self.settings, self.memory)

    @cached_property
    def outbox(self) -> Outbox:
        """What is to be sent."""
        return Outbox(self.table)

    @cached_property
    def sender(self) -> Sender:
        """Who sends it."""
        return Sender(self.desk, self.outbox, self.channel)

    @cached_property
    def sweeper(self) -> Sweeper:
        """Who finishes what a crash left."""
        return Sweeper(self.outbox, self.sender, self.clock, max_attempts=self.settings.max_attempts)

    @cached_property
    def redactor(self) -> Redactor:
        """The redaction step before each write of outside text."""
        return Redactor(Policy.parse(self.settings.redaction))

    @cached_property
    def prices(self) -> Prices:
        """The operator's price list."""
        return Prices.parse(self.settings.model_prices)

    def worker(self, bot: str, queue: str, dead_letters_url: str = "") -> Worker:
        """Return the worker of a bot's queue; without an address the queue's own redrive policy alone decides."""
        dead_letters = self.queue(dead_letters_url) if dead_letters_url else None
        return Worker(bot, queue, self.table, self.clock, self.settings, dead_letters)
