"""Creates the template's resources in the engine."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any
from xml.sax.saxutils import escape

from infra.local.engine import Engine, EngineError
from infra.local.errors import TemplateError
from infra.local.names import kebab_name
from infra.local.queues import Queue
from infra.local.template import Resource, Stack

_TABLE_PROPERTIES = (
    "AttributeDefinitions",
    "KeySchema",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
    "BillingMode",
    "StreamSpecification",
)
_NOT_AN_ATTRIBUTE = {"QueueName", "Tags", "RedriveAllowPolicy"}
DUMMY_SECRET = "local-secret"  # noqa: S105 - says itself that it is none


def queues_of(stack: Stack) -> list[Queue]:
    """Return the template's queues."""
    return [
        Queue(
            kebab_name(resource.logical_id),
            resource.logical_id,
            resource.arn.rsplit(":", 1)[-1],
            resource.arn,
            str(resource.properties.get("FifoQueue", False)).lower() == "true",
        )
        for resource in stack.of_type("AWS::SQS::Queue")
    ]


def dead_letter_arns(stack: Stack) -> set[str]:
    """Return the ARNs of all queues that something is dead-lettered to."""
    return set(_dead_letter_targets([resource.properties for resource in stack.resources.values()]))


def _dead_letter_targets(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            if name in {"RedrivePolicy", "DeadLetterConfig", "OnFailure"} and isinstance(part, dict):
                targets = (part.get(key) for key in ("deadLetterTargetArn", "Arn", "TargetArn", "Destination"))
                yield from (target for target in targets if isinstance(target, str))
            else:
                yield from _dead_letter_targets(part)
    elif isinstance(value, list):
        for part in value:
            yield from _dead_letter_targets(part)


async def create_all(engine: Engine, stack: Stack, secrets: Iterable[str]) -> None:
    """Create tables, queues, buses, rules, topics, buckets and parameters.

    Time to live is left off in the engine: the stack itself decides when what has expired goes.

    Args:
        engine: where.
        stack: what.
        secrets: names of secret parameters that functions will ask for; they get a dummy value.

    Raises:
        TemplateError: the engine refuses a resource.
    """
    steps = (
        ("AWS::DynamoDB::Table", _table),
        ("AWS::SQS::Queue", _queue),
        ("AWS::Events::EventBus", _bus),
        ("AWS::Events::Rule", _rule),
        ("AWS::SNS::Topic", _topic),
        ("AWS::SNS::Subscription", _subscription),
        ("AWS::S3::Bucket", _bucket),
        ("AWS::SSM::Parameter", _parameter),
    )
    for kind, create in steps:
        # A queue with a redrive policy comes after the queue that it names.
        for resource in sorted(stack.of_type(kind), key=lambda resource: "RedrivePolicy" in resource.properties):
            try:
                await create(engine, resource)
            except EngineError as refused:
                raise TemplateError(f"the engine refuses {resource.logical_id}: {refused}") from refused
    for name in secrets:
        await _secret(engine, name)


async def _table(engine: Engine, resource: Resource) -> None:
    request = {name: resource.properties[name] for name in _TABLE_PROPERTIES if name in resource.properties}
    await engine.call("dynamodb", "CreateTable", {"TableName": resource.physical_id, **request})


async def _queue(engine: Engine, resource: Resource) -> None:
    attributes = {
        name: json.dumps(value) if isinstance(value, dict | bool) else str(value)
        for name, value in resource.properties.items()
        if name not in _NOT_AN_ATTRIBUTE
    }
    name = resource.arn.rsplit(":", 1)[-1]
    await engine.call("sqs", "CreateQueue", {"QueueName": name, "Attributes": attributes})


async def _bus(engine: Engine, resource: Resource) -> None:
    await engine.call("eventbridge", "CreateEventBus", {"Name": resource.physical_id})


async def _rule(engine: Engine, resource: Resource) -> None:
    properties = resource.properties
    if "ScheduleExpression" in properties:
        raise TemplateError(f"{resource.logical_id}: schedules are EventBridge Scheduler's, not a rule's")
    bus = str(properties.get("EventBusName", "default"))
    rule = {
        "Name": resource.physical_id,
        "EventBusName": bus,
        "EventPattern": json.dumps(properties["EventPattern"]),
        "State": properties.get("State", "ENABLED"),
    }
    await engine.call("eventbridge", "PutRule", rule)
    targets = {"Rule": resource.physical_id, "EventBusName": bus, "Targets": properties.get("Targets", [])}
    await engine.call("eventbridge", "PutTargets", targets)


async def _topic(engine: Engine, resource: Resource) -> None:
    await engine.call_query("sns", "CreateTopic", {"Name": resource.arn.rsplit(":", 1)[-1]})
    for subscription in resource.properties.get("Subscription", []):
        await _subscribe(engine, resource.arn, subscription)


async def _subscription(engine: Engine, resource: Resource) -> None:
    await _subscribe(engine, resource.properties["TopicArn"], resource.properties)


async def _subscribe(engine: Engine, topic: str, subscription: dict[str, Any]) -> None:
    if subscription["Protocol"] != "sqs":
        raise TemplateError(f"the local stack delivers a topic's messages to queues, not by {subscription['Protocol']}")
    request = {"TopicArn": topic, "Protocol": str(subscription["Protocol"]), "Endpoint": str(subscription["Endpoint"])}
    names = ("RawMessageDelivery", "FilterPolicy", "FilterPolicyScope")
    for position, name in enumerate((name for name in names if name in subscription), start=1):
        value = subscription[name]
        request[f"Attributes.entry.{position}.key"] = name
        request[f"Attributes.entry.{position}.value"] = value if isinstance(value, str) else json.dumps(value)
    await engine.call_query("sns", "Subscribe", request)


async def _bucket(engine: Engine, resource: Resource) -> None:
    bucket = f"/{resource.physical_id}"
    await engine.call_s3("PUT", bucket)
    notifications = resource.properties.get("NotificationConfiguration", {})
    unknown = set(notifications) - {"QueueConfigurations"}
    if unknown:
        raise TemplateError(f"{resource.logical_id}: the local stack does not know {', '.join(sorted(unknown))}")
    parts = "".join(
        f"<QueueConfiguration><Queue>{escape(entry['Queue'])}</Queue><Event>{escape(entry['Event'])}</Event>"
        "</QueueConfiguration>"
        for entry in notifications.get("QueueConfigurations", [])
    )
    if parts:
        body = f"<NotificationConfiguration>{parts}</NotificationConfiguration>".encode()
        await engine.call_s3("PUT", bucket, body, query={"notification": [""]})


async def _parameter(engine: Engine, resource: Resource) -> None:
    properties = resource.properties
    request = {"Name": resource.physical_id, "Value": str(properties["Value"]), "Type": properties["Type"]}
    await engine.call("ssm", "PutParameter", {**request, "Overwrite": True})


async def _secret(engine: Engine, name: str) -> None:
    request = {"Name": name, "Value": DUMMY_SECRET, "Type": "SecureString", "Overwrite": True}
    await engine.call("ssm", "PutParameter", request)
