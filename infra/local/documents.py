"""The knowledge bucket, as an operator fills it: documents come and go, and the bucket notifies as S3 does."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from infra.local.engine import Engine
from infra.local.errors import Malformed
from infra.local.queues import Queue, Queues

_NOTIFICATION_TRIES = 200


class Documents:
    """Puts and deletes documents."""

    def __init__(
        self, engine: Engine, queues: Queues, bucket: str | None, queue: Queue | None, woken: asyncio.Event
    ) -> None:
        """Know the bucket and the queue that it notifies; without a knowledge base both are None."""
        self._engine = engine
        self._queues = queues
        self._bucket = bucket
        self._queue = queue
        self._woken = woken

    async def put(self, path: str, body: bytes, content_type: str) -> None:
        """Put a document into the knowledge bucket.

        Raises:
            Malformed: there is no knowledge base, or no path.
        """
        async with self._notified() as bucket:
            await self._engine.call_s3("PUT", f"/{bucket}/{_key(path)}", body, {"content-type": content_type})

    async def delete(self, path: str) -> None:
        """Delete a document from the knowledge bucket; one that is not there is no error, as in S3.

        Raises:
            Malformed: there is no knowledge base, or no path.
        """
        async with self._notified() as bucket:
            await self._engine.call_s3("DELETE", f"/{bucket}/{_key(path)}")

    @contextlib.asynccontextmanager
    async def _notified(self) -> AsyncIterator[str]:
        """Give the knowledge bucket's name, and wait until the engine's thread has delivered the notification."""
        bucket, queue = self._bucket, self._queue
        if bucket is None or queue is None:
            raise Malformed("the stack runs without a knowledge base: KnowledgeBase is off")
        before = self._queues.size(queue)
        yield bucket
        for _ in range(_NOTIFICATION_TRIES):
            if self._queues.size(queue) > before:
                break
            await asyncio.sleep(0.005)
        self._woken.set()


def _key(path: str) -> str:
    if not path.strip("/"):
        raise Malformed("a document has a path")
    return path
