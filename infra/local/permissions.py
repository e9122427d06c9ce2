"""IAM, as far as the template decides it: what a function's role allows, asked of every call that the function makes.

A call that no statement allows is refused as AWS would refuse it, so that a missing permission fails here and not after
the deployment. Identity policies written in the template are understood (allow, by action and resource); conditions
count as met. Not looked at: managed policies (a role that has some may do anything here), resource policies,
boundaries, and service control policies.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from infra.local.calls import Call
from infra.local.names import function_name
from infra.local.template import ACCOUNT, REGION, Stack

Need = tuple[str, str]
"""An action and the ARN of the resource that it is needed on."""

_PLURAL = {
    "SendMessageBatch": "SendMessage",
    "DeleteMessageBatch": "DeleteMessage",
    "ChangeMessageVisibilityBatch": "ChangeMessageVisibility",
    "GetParameters": "GetParameters",
}
_TRANSACT = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}


@dataclass(frozen=True, slots=True)
class Statement:
    """Actions that are allowed on resources; both may hold `*`."""

    actions: tuple[str, ...]
    resources: tuple[str, ...]

    def allows(self, need: Need) -> bool:
        """Whether the statement covers an action on a resource."""
        action, resource = need
        return any(fnmatchcase(action.lower(), known.lower()) for known in self.actions) and any(
            fnmatchcase(resource, known) for known in self.resources
        )


class Permissions:
    """What each function may do."""

    def __init__(self, stack: Stack) -> None:
        """Read the statements of every function's role."""
        statements = {
            role.arn: tuple(_statements(role.properties))
            for role in stack.of_type("AWS::IAM::Role")
            if not role.properties.get("ManagedPolicyArns")
        }
        roles = {
            function_name(function.logical_id): str(function.properties.get("Role"))
            for function in stack.of_type("AWS::Lambda::Function")
        }
        self._of = {name: statements[role] for name, role in roles.items() if role in statements}
        self._allows = lru_cache(maxsize=4096)(self._look_up)

    def know(self, function: str) -> bool:
        """Whether all of what a caller may do is written in the template."""
        return function in self._of

    def refusal(self, function: str, call: Call, path: str, body: bytes) -> str | None:
        """Return why a function may not make a call, in AWS's words; None where it may.

        Args:
            function: the function's short name.
            call: which call it is.
            path: the request's path, decoded.
            body: the request's body.
        """
        for action, resource in needs(call, path, body):
            if not self._allows(function, action, resource):
                return f"{function} is not authorized to perform: {action} on resource: {resource}"
        return None

    def _look_up(self, function: str, action: str, resource: str) -> bool:
        return any(statement.allows((action, resource)) for statement in self._of[function])


def _statements(role: Mapping[str, Any]) -> Iterator[Statement]:
    for policy in role.get("Policies", ()):
        for statement in policy["PolicyDocument"]["Statement"]:
            if statement["Effect"] == "Allow":
                yield Statement(_texts(statement["Action"]), _texts(statement["Resource"]))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(part) for part in value) if isinstance(value, list) else (str(value),)


def needs(call: Call, path: str, body: bytes) -> Iterator[Need]:
    """Yield the permissions that a call asks for; none for what is not AWS's."""
    if call.mount:
        return
    if call.target == "s3":
        yield _of_objects(call.operation, path)
    elif call.target == "ses":
        yield f"ses:{call.operation}", _sender(body)
    elif call.target in ("dynamodb", "sqs", "ssm", "events"):
        request = json.loads(body or b"{}")
        yield from {
            "dynamodb": _of_tables,
            "sqs": _of_queues,
            "ssm": _of_parameters,
            "events": _of_buses,
        }[call.target](call.operation, request)


def _arn(service: str, resource: str) -> str:
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{resource}"


def _of_tables(operation: str, request: Mapping[str, Any]) -> Iterator[Need]:
    if operation in ("TransactWriteItems", "TransactGetItems"):
        for entry in request["TransactItems"]:
            [(kind, inner)] = entry.items()
            yield f"dynamodb:{_TRANSACT.get(kind, 'GetItem')}", _arn("dynamodb", f"table/{inner['TableName']}")
    elif "RequestItems" in request:
        for table in request["RequestItems"]:
            yield f"dynamodb:{operation}", _arn("dynamodb", f"table/{table}")
    else:
        index = f"/index/{request['IndexName']}" if "IndexName" in request else ""
        yield f"dynamodb:{operation}", _arn("dynamodb", f"table/{request.get('TableName', '')}{index}")


def _of_queues(operation: str, request: Mapping[str, Any]) -> Iterator[Need]:
    name = str(request.get("QueueUrl", "")).rsplit("/", 1)[-1] or str(request.get("QueueName", ""))
    yield f"sqs:{_PLURAL.get(operation, operation)}", _arn("sqs", name)


def _of_parameters(operation: str, request: Mapping[str, Any]) -> Iterator[Need]:
    for name in [request["Name"]] if "Name" in request else request.get("Names", []):
        yield f"ssm:{operation}", _arn("ssm", f"parameter/{str(name).lstrip('/')}")


def _of_buses(operation: str, request: Mapping[str, Any]) -> Iterator[Need]:
    for entry in request.get("Entries", []):
        bus = str(entry.get("EventBusName", "default"))
        yield f"events:{operation}", bus if bus.startswith("arn:") else _arn("events", f"event-bus/{bus}")


def _of_objects(operation: str, path: str) -> Need:
    bucket, _, key = unquote(path).lstrip("/").partition("/")
    action = {"ListObjectsV2": "ListBucket", "HeadObject": "GetObject", "HeadBucket": "ListBucket"}.get(
        operation, operation
    )
    return f"s3:{action}", f"arn:aws:s3:::{bucket}" + (f"/{key}" if key else "")


def _sender(body: bytes) -> str:
    sender = str(json.loads(body or b"{}").get("FromEmailAddress", ""))
    return _arn("ses", f"identity/{sender}")
