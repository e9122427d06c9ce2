"""What a program asks of DynamoDB, seen from outside by botocore's events: calls, bytes, capacity units, seconds.

The same meter measures Onthoud and the packages that it is measured beside, so it runs in their environments too and
needs nothing but botocore and `onthoud.capacity`. Units are computed by DynamoDB's documented rules from what went
over the wire, since engines differ in what they report.
"""

from __future__ import annotations

import base64
import json
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from boto3.dynamodb.types import TypeDeserializer

from onthoud.capacity import index_units, item_size, write_units


class _FromWire(TypeDeserializer):  # type: ignore[misc]
    """Reads DynamoDB's JSON as it is on the wire, where bytes are base64."""

    def _deserialize_b(self, value: str) -> bytes:
        return base64.b64decode(value)


_plain = _FromWire().deserialize
Item = Mapping[str, Any]


def item_of(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item of the wire as plain values."""
    return {name: _plain(value) for name, value in raw.items()}


def _reads(items: Iterable[Item], *, missing: int = 0, consistent: bool) -> float:
    units = sum(max(1, -(-item_size(item) // 4096)) for item in items) + missing
    return units if consistent else units / 2


@dataclass
class Wire:
    """One program's DynamoDB calls so far. `seconds` is the time from a call's parameters to its parsed answer,
    summed over calls; those of several threads may overlap."""

    calls: Counter[str] = field(default_factory=Counter)
    read_units: float = 0.0
    write_units: float = 0.0
    bytes_sent: int = 0
    bytes_received: int = 0
    seconds: float = 0.0
    _known: dict[str, Item] = field(default_factory=dict)
    _current: threading.local = field(default_factory=threading.local)
    """The call under way in each thread."""

    def _handlers(self) -> dict[str, Any]:
        return {
            "provide-client-params.dynamodb": self._begin,
            "before-send.dynamodb": self._sent,
            "response-received.dynamodb": self._received,
            "after-call.dynamodb": self._end,
        }

    def attach(self, events: Any) -> Wire:
        """Watch a client's events, or those of a session, whose later clients take them over."""
        for name, handler in self._handlers().items():
            events.register(name, handler)
        return self

    def clear(self) -> None:
        """Start counting anew; the items that are known stay known."""
        self.calls.clear()
        self.read_units = self.write_units = self.seconds = 0.0
        self.bytes_sent = self.bytes_received = 0

    def figures(self) -> dict[str, Any]:
        """Return what is known so far, as JSON."""
        return {
            "calls": dict(self.calls),
            "read_units": self.read_units,
            "write_units": self.write_units,
            "bytes_sent": self.bytes_sent,
            "bytes_received": self.bytes_received,
            "seconds": self.seconds,
        }

    def _begin(self, **_: Any) -> None:
        self._current.began = time.perf_counter()

    def _end(self, **_: Any) -> None:
        self.seconds += time.perf_counter() - self._current.began

    def _sent(self, request: Any, **_: Any) -> None:
        self.bytes_sent += len(request.body or b"")
        self._current.request = json.loads(request.body)

    def _received(self, response_dict: Any, event_name: str, **_: Any) -> None:
        self.bytes_received += len(response_dict["body"])
        if response_dict["status_code"] < 300:
            name = event_name.rpartition(".")[2]
            self.calls[name] += 1
            getattr(self, f"_on_{name}", self._on_other)(self._current.request, json.loads(response_dict["body"]))

    def _on_other(self, request: Any, answer: Any) -> None:
        raise AssertionError(f"a call that the meter does not know: {sorted(request)}")

    # Reads

    def _remember(self, items: Iterable[Item]) -> list[Item]:
        found = list(items)
        self._known |= {_address(item): item for item in found}
        return found

    def _on_GetItem(self, request: Any, answer: Any) -> None:
        items = self._remember([item_of(answer["Item"])] if "Item" in answer else [])
        consistent = request.get("ConsistentRead", False)
        self.read_units += _reads(items, missing=1 - len(items), consistent=consistent)

    def _on_BatchGetItem(self, request: Any, answer: Any) -> None:
        for table, asked in request["RequestItems"].items():
            items = self._remember(item_of(raw) for raw in answer["Responses"].get(table, []))
            missing = len(asked["Keys"]) - len(items)
            self.read_units += _reads(items, missing=missing, consistent=asked.get("ConsistentRead", False))

    def _on_Query(self, request: Any, answer: Any) -> None:
        items = self._remember(item_of(raw) for raw in answer["Items"])
        units = max(1, -(-sum(item_size(item) for item in items) // 4096))
        self.read_units += units if request.get("ConsistentRead") else units / 2

    # Writes

    def _write(self, after: Item, *, factor: int = 1) -> None:
        before = self._known.get(_address(after))
        self.write_units += factor * write_units(before, after) + index_units(before, after)
        self._remember([after])

    def _on_PutItem(self, request: Any, answer: Any) -> None:
        self._write(item_of(request["Item"]))

    def _on_BatchWriteItem(self, request: Any, answer: Any) -> None:
        for requests in request["RequestItems"].values():
            for one in requests:
                self._write(item_of(one["PutRequest"]["Item"]))

    def _on_UpdateItem(self, request: Any, answer: Any) -> None:
        self._write(self._updated(request))

    def _on_TransactWriteItems(self, request: Any, answer: Any) -> None:
        for action in request["TransactItems"]:
            ((kind, one),) = action.items()
            if kind == "Put":
                self._write(item_of(one["Item"]), factor=2)
            elif kind == "Update":
                self._write(self._updated(one), factor=2)
            else:
                self.write_units += 2

    def _updated(self, request: Any) -> Item:
        """Return an item after an update: its values in place of those of the same names."""
        key = item_of(request["Key"])
        after = {**self._known.get(_address(key), {}), **key}
        names = request.get("ExpressionAttributeNames", {})
        values = {name: _plain(value) for name, value in request.get("ExpressionAttributeValues", {}).items()}
        for name, value in assignments(request["UpdateExpression"]):
            after[names.get(name, name)] = values.get(value)
        for name in removals(request["UpdateExpression"]):
            after.pop(names.get(name, name), None)
        return after


def _clauses(expression: str) -> dict[str, str]:
    """Split an update expression into its clauses."""
    clauses: dict[str, str] = {}
    kind = ""
    for word in expression.split():
        if word.upper() in {"SET", "REMOVE", "ADD", "DELETE"}:
            kind = word.upper()
        else:
            clauses[kind] = f"{clauses.get(kind, '')} {word}".strip()
    return clauses


def assignments(expression: str) -> list[tuple[str, str]]:
    """Return (name, value) of what an update sets or adds; of `if_not_exists(a, :v)` the value is `:v`."""
    found = []
    clauses = _clauses(expression)
    for part in _split(clauses.get("SET", "")):
        name, _, value = part.partition("=")
        found.append((name.strip(), value.strip().removesuffix(")").split(",")[-1].strip()))
    for part in _split(clauses.get("ADD", "")):
        name, _, value = part.strip().partition(" ")
        found.append((name, value.strip()))
    return found


def removals(expression: str) -> list[str]:
    """Return the names that an update takes away."""
    return [part.strip() for part in _split(_clauses(expression).get("REMOVE", ""))]


def _split(clause: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for position, sign in enumerate(clause):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append(clause[start:position])
            start = position + 1
    return [part for part in (*parts, clause[start:]) if part.strip()]


def _address(item: Item) -> str:
    return "|".join(str(item.get(name)) for name in ("pk", "sk", "PK", "SK", "SessionId"))
