"""DynamoDB's two languages: its JSON for values, and its expressions for conditions and updates."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from boto3.dynamodb.types import Binary, TypeDeserializer, TypeSerializer

from onthoud import capacity
from onthoud.errors import PermanentError
from onthoud.ports.table import Action, AnyOf, Compare, Condition, Exists, Item, Key, Missing, Put, Update

_OPERATIONS = {"=", "<>", "<", "<=", ">", ">="}


class Names:
    """Placeholders of one request: attribute names may be reserved words, so none stands in an expression itself."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, Any] = {}

    def name(self, name: str) -> str:
        """Return the placeholder of an attribute name."""
        for placeholder, known in self.names.items():
            if known == name:
                return placeholder
        placeholder = f"#n{len(self.names)}"
        self.names[placeholder] = name
        return placeholder

    def value(self, value: Any) -> str:
        """Return a new placeholder for a value."""
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = to_dynamodb(value)
        return placeholder


_serializer = TypeSerializer()
_deserializer = TypeDeserializer()


def _plain(value: Any) -> Any:
    """Turn floats into Decimals, refusing what DynamoDB has no number for."""
    match value:
        case bool() | None | str() | int() | Decimal() | bytes():
            return value
        case float():
            if value != value or value in (float("inf"), float("-inf")):
                raise PermanentError("a number that is not finite cannot be stored")
            return Decimal(str(value))
        case Mapping():
            return {str(name): _plain(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
    raise PermanentError(f"a value of type {type(value).__name__} cannot be stored")


def to_dynamodb(value: Any) -> dict[str, Any]:
    """Encode one value as DynamoDB JSON."""
    return dict(_serializer.serialize(_plain(value)))


def from_dynamodb(value: Any) -> Any:
    """Decode one value; whole numbers become `int`, strings stay what they are."""
    return _friendly(_deserializer.deserialize(value))


def _friendly(value: Any) -> Any:
    match value:
        case Decimal():
            return int(value) if value == value.to_integral_value() else value
        case Binary():
            return bytes(value.value)  # type: ignore[attr-defined]  # the stubs leave it out
        case dict():
            return {name: _friendly(inner) for name, inner in value.items()}
        case list():
            return [_friendly(inner) for inner in value]
    return value


def encode_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """Encode an item as DynamoDB JSON.

    Raises:
        PermanentError: it comes near DynamoDB's limit, or holds a value that cannot be stored.
    """
    if capacity.item_size(item) > capacity.MAX_ITEM_BYTES // 2:
        raise PermanentError(f"an item of kind {item.get('kind', '?')} comes near DynamoDB's limit")
    return {name: to_dynamodb(value) for name, value in item.items()}


def decode_item(item: Mapping[str, Any]) -> Item:
    """Decode an item from DynamoDB JSON."""
    return {name: from_dynamodb(value) for name, value in item.items()}


def key_of(key: Key) -> dict[str, Any]:
    """Return a key as DynamoDB JSON."""
    return {"pk": {"S": key.pk}, "sk": {"S": key.sk}}


def _condition(condition: Condition, names: Names) -> str:
    match condition:
        case Exists(name):
            return f"attribute_exists({names.name(name)})"
        case Missing(name):
            return f"attribute_not_exists({names.name(name)})"
        case Compare(name, op, value):
            if op not in _OPERATIONS:
                raise ValueError(f"no such comparison: {op}")
            return f"{names.name(name)} {op} {names.value(value)}"
        case AnyOf(conditions):
            return "(" + " OR ".join(_condition(inner, names) for inner in conditions) + ")"


def _update_expression(action: Update, names: Names) -> str:
    sets = [f"{names.name(name)} = {names.value(value)}" for name, value in action.set.items()]
    for name, value in action.set_once.items():
        placeholder = names.name(name)
        sets.append(f"{placeholder} = if_not_exists({placeholder}, {names.value(value)})")
    clauses = []
    if sets:
        clauses.append("SET " + ", ".join(sets))
    if action.add:
        clauses.append("ADD " + ", ".join(f"{names.name(n)} {names.value(v)}" for n, v in action.add.items()))
    if action.remove:
        clauses.append("REMOVE " + ", ".join(names.name(name) for name in action.remove))
    return " ".join(clauses)


def request_of(action: Action, table: str) -> dict[str, Any]:
    """Return the parameters that PutItem, UpdateItem, DeleteItem and the parts of a transaction share."""
    names = Names()
    request: dict[str, Any] = {"TableName": table}
    if isinstance(action, Put):
        request["Item"] = encode_item(action.item)
    else:
        request["Key"] = key_of(action.key)
    if isinstance(action, Update) and (expression := _update_expression(action, names)):
        request["UpdateExpression"] = expression
    if action.when:
        request["ConditionExpression"] = " AND ".join(_condition(condition, names) for condition in action.when)
    if names.names:
        request["ExpressionAttributeNames"] = names.names
    if names.values:
        request["ExpressionAttributeValues"] = names.values
    return request
