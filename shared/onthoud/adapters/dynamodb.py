"""The table port on DynamoDB, by the low-level client (the resource layer costs import time and hides the types)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError, ConnectionError, HTTPClientError

from onthoud.adapters.dynamodb_codec import decode_item, key_of, request_of
from onthoud.capacity import item_size, query_units, read_units
from onthoud.errors import Conflict, PermanentError, RetryableError
from onthoud.ports.table import Action, Check, Delete, Item, Key, Meter, Page, Put, Update

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

STATE_INDEX = "by_state"
TRANSACTION_TRIES = 5
BATCH_TRIES = 6
_PERMANENT = {"ValidationException", "ItemCollectionSizeLimitExceededException"}


_TRANSACT_NAMES: dict[type, str] = {Put: "Put", Update: "Update", Delete: "Delete", Check: "ConditionCheck"}


@dataclass(slots=True)
class DynamoTable:
    """One DynamoDB table. `meter` counts calls and capacity units."""

    client: DynamoDBClient
    name: str
    meter: Meter = field(default_factory=Meter)
    sleep: Callable[[float], None] = time.sleep

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        """Read up to 100 items consistently; see the port."""
        wanted: dict[str, Any] = {self.name: {"Keys": [key_of(key) for key in keys], "ConsistentRead": True}}
        found: dict[Key, Item] = {}
        for attempt in range(BATCH_TRIES):
            with _mapped():
                answer = self.client.batch_get_item(RequestItems=wanted)
            items = [decode_item(raw) for raw in answer["Responses"].get(self.name, [])]
            found |= {Key.of(item): item for item in items}
            unread: Any = answer.get("UnprocessedKeys") or {}
            asked = len(wanted[self.name]["Keys"]) - len(unread.get(self.name, {}).get("Keys", []))
            # By the documented rules, since engines differ on items that are not there: those cost a unit each.
            missing = [0] * (asked - len(items))
            self.meter.read(read_units([*(item_size(item) for item in items), *missing]))
            if not unread:
                return found
            wanted = dict(unread)
            self._pause(attempt)
        raise RetryableError("DynamoDB left keys unread; it is throttling")

    def query(
        self,
        pk: str,
        *,
        prefix: str = "",
        newest_first: bool = False,
        limit: int | None = None,
        after: Key | None = None,
    ) -> Page:
        """Read one page of a partition consistently; see the port."""
        request: dict[str, Any] = {
            "TableName": self.name,
            "KeyConditionExpression": "pk = :pk AND begins_with(sk, :prefix)" if prefix else "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": pk}, **({":prefix": {"S": prefix}} if prefix else {})},
            "ConsistentRead": True,
            "ScanIndexForward": not newest_first,
        }
        if after is not None:
            request["ExclusiveStartKey"] = key_of(after)
        return self._page(request, limit)

    def query_state(self, state: str, *, limit: int | None = None, after: Key | None = None) -> Page:
        """Read one page of the state index; see the port."""
        request: dict[str, Any] = {
            "TableName": self.name,
            "IndexName": STATE_INDEX,
            "KeyConditionExpression": "state_pk = :state",
            "ExpressionAttributeValues": {":state": {"S": state}},
        }
        if after is not None:
            # The index's own position includes its keys, which only the item itself still knows.
            item = self.get_many([after]).get(after)
            if item is not None and item.get("state_pk") == state:
                request["ExclusiveStartKey"] = {
                    **key_of(after),
                    "state_pk": {"S": state},
                    "state_sk": {"S": item["state_sk"]},
                }
        return self._page(request, limit)

    def write(self, action: Put | Update | Delete) -> None:
        """Do one conditional write; see the port."""
        request = {**request_of(action, self.name), "ReturnConsumedCapacity": "TOTAL"}
        with _mapped():
            match action:
                case Put():
                    answer: Any = self.client.put_item(**request)
                case Update():
                    answer = self.client.update_item(**request)
                case Delete():
                    answer = self.client.delete_item(**request)
        self.meter.wrote(answer.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0))

    def transact(self, actions: Sequence[Action], *, token: str | None = None) -> None:
        """Do all actions or none; see the port.

        Another transaction in the way (`TransactionConflict`) is no condition of ours: the same call is tried again.
        """
        request: dict[str, Any] = {
            "TransactItems": [{_TRANSACT_NAMES[type(action)]: request_of(action, self.name)} for action in actions],
            "ReturnConsumedCapacity": "TOTAL",
        }
        if token is not None:
            request["ClientRequestToken"] = token
        for attempt in range(TRANSACTION_TRIES):
            try:
                with _mapped():
                    answer = self.client.transact_write_items(**request)
            except Conflict as conflict:
                if conflict.failed or attempt == TRANSACTION_TRIES - 1:
                    raise
                self._pause(attempt)
            else:
                self.meter.wrote(sum(part.get("CapacityUnits", 0.0) for part in answer.get("ConsumedCapacity", [])))
                return

    def _page(self, request: dict[str, Any], limit: int | None) -> Page:
        if limit is not None:
            request["Limit"] = limit
        with _mapped():
            answer = self.client.query(**request)
        items = [decode_item(raw) for raw in answer["Items"]]
        # By the documented rules here too: there are engines that call every query one unit.
        self.meter.read(query_units(map(item_size, items), consistent=request.get("ConsistentRead", False)))
        last = answer.get("LastEvaluatedKey")
        following = Key(last["pk"]["S"], last["sk"]["S"]) if last else None
        return Page(items, following)

    def _pause(self, attempt: int) -> None:
        # Full jitter, 20 ms doubling: conflicts are as short as the transactions that cause them.
        self.sleep(random.uniform(0, 0.02 * 2**attempt))  # noqa: S311 - not a secret


class _mapped:
    """Maps botocore's errors to ours. Their messages can quote an item, so only the code is kept."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ClientError):
            raise _translated(error) from None
        if isinstance(error, HTTPClientError | ConnectionError):
            raise RetryableError(f"DynamoDB could not be reached: {type(error).__name__}") from None


def _translated(error: ClientError) -> Exception:
    code = error.response.get("Error", {}).get("Code", "Unknown")
    if code == "ConditionalCheckFailedException":
        return Conflict("the condition of a write did not hold", failed=[0])
    if code == "TransactionCanceledException":
        codes = [reason.get("Code", "None") for reason in error.response.get("CancellationReasons", [])]
        failed = [position for position, reason in enumerate(codes) if reason == "ConditionalCheckFailed"]
        if failed:
            return Conflict("a condition of a transaction did not hold", failed=failed)
        if "TransactionConflict" in codes:
            return Conflict("another transaction was in the way")
        if set(codes) & {"ValidationError", "ItemCollectionSizeLimitExceeded"}:
            return PermanentError("DynamoDB refused a transaction as invalid")
        return RetryableError(f"DynamoDB cancelled a transaction: {', '.join(sorted(set(codes)))}")
    if code == "TransactionInProgressException":
        return Conflict("the same transaction is still under way")
    if code in _PERMANENT:
        return PermanentError(f"DynamoDB refused a request: {code}")
    return RetryableError(f"DynamoDB answered {code}")
