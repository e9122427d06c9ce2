"""Time to live: what has expired goes when the clock is moved, or lies about for as long as a test wants it to."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Any

from infra.local.clock import StackClock
from infra.local.engine import Engine

ATTRIBUTE = "expires_at"
_BATCH = 25


class Expiry:
    """The items of the memory table, and those of them that have expired."""

    def __init__(self, engine: Engine, table: str, clock: StackClock) -> None:
        self._engine = engine
        self._table = table
        self._clock = clock
        self.is_asked = False
        """Whether what has expired is to go as soon as everything due before has been worked off."""

    async def items(self) -> AsyncIterator[dict[str, Any]]:
        """Yield every item of the table as raw DynamoDB JSON."""
        request: dict[str, Any] = {"TableName": self._table, "ConsistentRead": True}
        while True:
            page = await self._engine.call("dynamodb", "Scan", request)
            for item in page["Items"]:
                yield item
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    async def visible(self) -> list[dict[str, Any]]:
        """Return every item; without the expired ones where those only wait to be swept."""
        now = time.time()
        return [item async for item in self.items() if not (self.is_asked and _expired(item, now))]

    async def sweep(self) -> None:
        """Delete what has expired by now."""
        now = time.time()
        keys = [{"pk": item["pk"], "sk": item["sk"]} async for item in self.items() if _expired(item, now)]
        for start in range(0, len(keys), _BATCH):
            requests = [{"DeleteRequest": {"Key": key}} for key in keys[start : start + _BATCH]]
            await self._engine.call("dynamodb", "BatchWriteItem", {"RequestItems": {self._table: requests}})

    async def sweep_if_asked(self) -> None:
        """Sweep if the clock was moved with sweeping."""
        if self.is_asked:
            await self.sweep()


def _expired(item: dict[str, Any], now: float) -> bool:
    expires = item.get(ATTRIBUTE, {}).get("N")
    return expires is not None and float(expires) <= now
