"""Many stored customers, put into a running stack quickly: the library's own items, copied under other names."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from infra.local.harness import LocalStack
from onthoud.adapters.dynamodb_codec import encode_item
from onthoud.clock import from_iso
from onthoud.memory.working import Turn, WorkingMemory
from onthoud.scope import Scope, Space
from tests.fakes.memory_table import MemoryTable

BATCH = 25
"""BatchWriteItem takes no more."""
ONE_TRANSACTION = 80
"""Turns; a transaction takes no more than 100 writes."""
MODEL_CUSTOMER = "seed-000000"
QUESTION = "Do you have lights on court 3 in the evening?"
ANSWER = "Yes, they burn until the last booking ends."


class _Then:
    """A clock that stands at one moment."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        return self._moment


def stored_customer(now: datetime, exchanges: int) -> list[dict[str, Any]]:
    """Return the raw items of one customer with a history that ends a day ago, as the library stores them."""
    table, then = MemoryTable(), now - timedelta(days=1)
    scope = Scope(Space("main", "default"), "instagram", "club", MODEL_CUSTOMER)
    memory = WorkingMemory(table, _Then(then), window=10, history=timedelta(days=30))
    turns = []
    for number in range(exchanges):
        at = then - timedelta(minutes=exchanges - number)
        name = f"old-{number:03}-{MODEL_CUSTOMER}"
        turns += [Turn("user", QUESTION, at, name), Turn("assistant", ANSWER, at, name)]
    for start in range(0, len(turns), ONE_TRANSACTION):
        memory.remember(scope, turns[start : start + ONE_TRANSACTION])
    return [encode_item(item) for item in table.all_items()]


def names(count: int, start: int = 0) -> Iterator[str]:
    """Yield the ids of stored customers, all of one length."""
    return (f"seed-{number:06}" for number in range(start, start + count))


def seed(stack: LocalStack, customers: Iterable[str], *, exchanges: int = 2) -> int:
    """Store customers over the stack's own DynamoDB endpoint; return how many items they are."""
    model = json.dumps(stored_customer(from_iso(stack.now), exchanges))
    environment = stack.call("GET", "/local/environment")["environment"]
    address = urlsplit(environment["AWS_ENDPOINT_URL"])
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
    headers = {
        "X-Amz-Target": "DynamoDB_20120810.BatchWriteItem",
        "Content-Type": "application/x-amz-json-1.0",
        "Authorization": "AWS4-HMAC-SHA256 Credential=test/20260101/eu-west-1/dynamodb/aws4_request",
    }
    items = (
        json.dumps({"PutRequest": {"Item": item}})
        for name in customers
        for item in json.loads(model.replace(MODEL_CUSTOMER, name))
    )
    stored = 0
    while batch := list(islice(items, BATCH)):
        body = f'{{"RequestItems": {{"{environment["ONTHOUD_TABLE"]}": [{",".join(batch)}]}}}}'
        connection.request("POST", "/", body.encode(), headers)
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200 or json.loads(content).get("UnprocessedItems"):
            raise AssertionError(f"the engine did not take a batch: {answer.status} {content[:300]!r}")
        stored += len(batch)
    connection.close()
    return stored
