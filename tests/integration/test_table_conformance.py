"""The table port keeps one behaviour on two engines: in memory (for unit tests), and DynamoDB's API over a socket.

`ONTHOUD_TEST_DYNAMODB` points the second at any other endpoint: DynamoDB Local, or AWS itself with a profile.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import boto3
import pytest

from infra.local.engine import Engine
from onthoud import capacity
from onthoud.adapters.dynamodb import DynamoTable
from onthoud.clock import SystemClock
from onthoud.errors import Conflict, PermanentError
from onthoud.memory.working import Turn, WorkingMemory
from onthoud.ports.table import AnyOf, Check, Compare, Delete, Exists, Key, Missing, Put, Table, Update
from onthoud.scope import Scope, Space
from tests.fakes.memory_table import MemoryTable
from tests.fakes.serving import serving

pytestmark = pytest.mark.stack
OTHER = os.environ.get("ONTHOUD_TEST_DYNAMODB")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    if OTHER:
        yield OTHER
        return
    with serving(Engine().asgi) as url:
        yield url


@pytest.fixture(scope="module")
def dynamo(endpoint: str) -> Iterator[DynamoTable]:
    client = boto3.client("dynamodb", endpoint_url=endpoint, region_name="eu-west-1")
    name = f"conformance-{uuid.uuid4().hex[:8]}"
    kinds = [("pk", "HASH"), ("sk", "RANGE")]
    states = [("state_pk", "HASH"), ("state_sk", "RANGE")]
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": a, "AttributeType": "S"} for a, _ in [*kinds, *states]],
        KeySchema=[{"AttributeName": a, "KeyType": k} for a, k in kinds],  # type: ignore[misc]
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by_state",
                "KeySchema": [{"AttributeName": a, "KeyType": k} for a, k in states],  # type: ignore[misc]
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
    )
    client.get_waiter("table_exists").wait(TableName=name)
    yield DynamoTable(client, name)
    client.delete_table(TableName=name)


@pytest.fixture(params=["memory", "dynamodb"])
def table(request: pytest.FixtureRequest, dynamo: DynamoTable) -> Table:
    return MemoryTable() if request.param == "memory" else dynamo


@pytest.fixture
def pk() -> str:
    return f"p#{uuid.uuid4().hex}"


VALUES: dict[str, Any] = {
    "text": "null",
    "digits": "42",
    "truth": "true",
    "empty": "",
    "emoji": "👨‍👩‍👧‍👦",
    "int": 7,
    "zero": 0,
    "decimal": Decimal("0.1"),
    "yes": True,
    "no": False,
    "none": None,
    "bytes": b"\x00\xff",
    "list": ["a", 1, None, {"b": []}],
    "map": {"name": "x", "size": 3, "values": {}},
    "status": "a reserved word",
}


def test_values_come_back_as_they_went(table: Table, pk: str) -> None:
    table.write(Put({"pk": pk, "sk": "a", **VALUES}))
    read = table.get_many([Key(pk, "a")])[Key(pk, "a")]
    assert read == {"pk": pk, "sk": "a", **VALUES}
    assert {name: type(value) for name, value in read.items()} == {
        name: type(value) for name, value in {"pk": pk, "sk": "a", **VALUES}.items()
    }


def test_a_float_is_stored_as_its_decimal_and_what_is_not_finite_is_refused(dynamo: DynamoTable, pk: str) -> None:
    dynamo.write(Put({"pk": pk, "sk": "f", "x": 0.1}))
    assert dynamo.get_many([Key(pk, "f")])[Key(pk, "f")]["x"] == Decimal("0.1")
    with pytest.raises(PermanentError, match="not finite"):
        dynamo.write(Put({"pk": pk, "sk": "f", "x": float("nan")}))


def test_an_item_near_the_limit_is_refused_before_it_is_sent(dynamo: DynamoTable, pk: str) -> None:
    with pytest.raises(PermanentError, match="near DynamoDB's limit"):
        dynamo.write(Put({"pk": pk, "sk": "f", "x": "a" * 300_000}))


@pytest.mark.parametrize(
    ("condition", "on_item", "on_nothing"),
    [
        (Exists("n"), True, False),
        (Missing("n"), False, True),
        (Missing("other"), True, True),
        (Compare("n", "=", 5), True, False),
        (Compare("n", "<>", 5), False, True),
        (Compare("n", "<", 6), True, False),
        (Compare("n", ">=", 6), False, False),
        (Compare("n", ">", "a"), False, False),
        (AnyOf((Missing("n"), Compare("n", "<=", 5))), True, True),
        (AnyOf((Exists("other"), Compare("n", ">", 5))), False, False),
    ],
    ids=str,
)
def test_conditions(table: Table, pk: str, condition: Any, on_item: bool, on_nothing: bool) -> None:
    table.write(Put({"pk": pk, "sk": "item", "n": 5}))
    for sk, expected in (("item", True), ("nothing", False)):
        wanted = on_item if expected else on_nothing
        try:
            table.write(Update(Key(pk, sk), set={"done": True}, when=(condition,)))
            held = True
        except Conflict as conflict:
            held = False
            assert conflict.failed == (0,)
        assert held is wanted


def test_an_update_sets_adds_and_removes(table: Table, pk: str) -> None:
    key = Key(pk, "u")
    table.write(Update(key, set={"a": 1}, set_once={"b": "first"}, add={"n": 2}))
    table.write(Update(key, set={"a": 2}, set_once={"b": "second"}, add={"n": -5}, remove=("gone",)))
    table.write(Update(key, remove=("a",)))
    assert table.get_many([key])[key] == {"pk": pk, "sk": "u", "b": "first", "n": -3}


def test_a_transaction_is_all_or_nothing_and_says_what_failed(table: Table, pk: str) -> None:
    table.write(Put({"pk": pk, "sk": "there", "n": 1}))
    actions = [
        Put({"pk": pk, "sk": "new"}),
        Check(Key(pk, "there"), (Compare("n", "=", 1),)),
        Update(Key(pk, "absent"), add={"n": 1}, when=(Exists("pk"),)),
        Delete(Key(pk, "elsewhere"), when=(Exists("pk"),)),
    ]
    with pytest.raises(Conflict) as conflict:
        table.transact(actions)
    assert conflict.value.failed == (2, 3)
    assert Key(pk, "new") not in table.get_many([Key(pk, "new")])
    table.transact(actions[:2])
    assert Key(pk, "new") in table.get_many([Key(pk, "new")])


def test_a_query_reads_a_prefix_in_pages_both_ways(table: Table, pk: str) -> None:
    for number in range(7):
        table.write(Put({"pk": pk, "sk": f"turn#{number}"}))
    table.write(Put({"pk": pk, "sk": "head"}))
    for newest_first in (False, True):
        found, after = [], None
        while True:
            page = table.query(pk, prefix="turn#", newest_first=newest_first, limit=3, after=after)
            found += [item["sk"] for item in page.items]
            if page.next is None:
                break
            after = page.next
        assert found == sorted(found, reverse=newest_first) and len(found) == 7


def test_the_state_index_holds_what_has_a_state_oldest_first(table: Table, pk: str) -> None:
    state = f"s-{pk}"
    for number in (2, 0, 1):
        table.write(Put({"pk": pk, "sk": f"{number}", "state_pk": state, "state_sk": f"t{number}", "more": "x"}))
    table.write(Update(Key(pk, "1"), remove=("state_pk", "state_sk")))
    first = table.query_state(state, limit=1)
    second = table.query_state(state, limit=5, after=first.next)
    assert [item["sk"] for item in [*first.items, *second.items]] == ["0", "2"]
    assert "more" not in first.items[0]


def test_racing_writers_count_exactly(dynamo: DynamoTable, pk: str) -> None:
    key = Key(pk, "counter")

    def write() -> None:
        for _ in range(10):
            dynamo.transact([Update(key, add={"n": 1}), Put({"pk": pk, "sk": uuid.uuid4().hex})])

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert dynamo.get_many([key])[key]["n"] == 80


def test_one_of_many_racing_creators_wins(dynamo: DynamoTable, pk: str) -> None:
    won: list[int] = []

    def create(number: int) -> None:
        try:
            dynamo.transact([Put({"pk": pk, "sk": "one", "by": number}, when=(Missing("pk"),))])
        except Conflict:
            return
        won.append(number)

    threads = [threading.Thread(target=create, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1


@pytest.mark.parametrize("size", [10, 1000, 1100, 5000])
def test_the_engine_charges_what_the_calculator_says(dynamo: DynamoTable, pk: str, size: int) -> None:
    item = {"pk": pk, "sk": "s", "x": "a" * size}
    before = dynamo.meter.copy()
    dynamo.write(Put(item))
    assert dynamo.meter.since(before).write_units == capacity.write_units(None, item)
    before = dynamo.meter.copy()
    dynamo.transact([Update(Key(pk, "s"), set={"y": 1}), Put({"pk": pk, "sk": "t", "x": "b" * size})])
    expected = capacity.transact_units(
        [Update(Key(pk, "s"), set={"y": 1}), Put({"pk": pk, "sk": "t", "x": "b" * size})], {Key(pk, "s"): item}
    )
    assert dynamo.meter.since(before).write_units == expected


def test_twenty_concurrent_writers_lose_no_turn_of_a_window_of_forty(dynamo: DynamoTable, pk: str) -> None:
    scope = Scope(Space("t", "c"), "instagram", "club", pk)
    start = datetime(2026, 11, 30, 9, tzinfo=UTC)

    def write(number: int) -> None:
        memory = WorkingMemory(dynamo, SystemClock(), window=40, history=timedelta(days=30))
        moments = [start + timedelta(seconds=number, minutes=n) for n in range(2)]
        turns = [Turn("user", "hi", moment, f"e-{number}-{n}") for n, moment in enumerate(moments)]
        for _ in range(20):
            try:
                memory.remember(scope, turns)
                return
            except Conflict:
                continue  # other transactions were in the way; a queue would bring the event again

    threads = [threading.Thread(target=write, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    memory = WorkingMemory(dynamo, SystemClock(), window=40, history=timedelta(days=30))
    assert len(memory.read(scope).turns) == 40
