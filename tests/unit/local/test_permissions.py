"""A function's calls are held against its role: what a statement allows passes, all else is refused by name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from infra.local.calls import Call
from infra.local.permissions import Permissions
from infra.local.template import Resource
from tests.template.load import stack

TABLE = "onthoud-local-MemoryTable"
QUEUE = "https://sqs/111122223333/onthoud-local-CommentsDeadLetters.fifo"
ELSEWHERE = "https://sqs/111122223333/onthoud-local-BookingsDeadLetters.fifo"


@pytest.fixture(scope="module")
def permissions() -> Permissions:
    return Permissions(stack())


def refused(permissions: Permissions, function: str, target: str, operation: str, request: Any, path: str = "/") -> str:
    body = json.dumps(request).encode()
    return permissions.refusal(function, Call(target, operation, ""), path, body) or ""


@pytest.mark.parametrize(
    ("target", "operation", "request_"),
    [
        ("dynamodb", "BatchGetItem", {"RequestItems": {TABLE: {}}}),
        ("dynamodb", "Query", {"TableName": TABLE, "IndexName": "by_state"}),
        ("dynamodb", "TransactWriteItems", {"TransactItems": [{"ConditionCheck": {"TableName": TABLE}}]}),
        ("sqs", "SendMessage", {"QueueUrl": QUEUE}),
        ("ssm", "GetParameter", {"Name": "/onthoud/channel-secret"}),
        ("events", "PutEvents", {"Entries": [{"EventBusName": "onthoud-local-onthoud"}]}),
    ],
)
def test_what_the_bot_needs_is_allowed(
    permissions: Permissions, target: str, operation: str, request_: dict[str, Any]
) -> None:
    assert refused(permissions, "social_reply", target, operation, request_) == ""


@pytest.mark.parametrize(
    ("target", "operation", "request_", "named"),
    [
        ("dynamodb", "Scan", {"TableName": TABLE}, "dynamodb:Scan"),
        ("dynamodb", "GetItem", {"TableName": "other"}, "table/other"),
        ("dynamodb", "Query", {"TableName": TABLE, "IndexName": "by_name"}, "index/by_name"),
        ("dynamodb", "TransactWriteItems", {"TransactItems": [{"Put": {"TableName": "other"}}]}, "dynamodb:PutItem"),
        ("sqs", "SendMessageBatch", {"QueueUrl": ELSEWHERE}, "sqs:SendMessage"),
        ("ssm", "GetParameter", {"Name": "/other"}, "parameter/other"),
        ("ssm", "PutParameter", {"Name": "/onthoud/channel-secret"}, "ssm:PutParameter"),
        ("events", "PutEvents", {"Entries": [{"EventBusName": "default"}]}, "event-bus/default"),
        ("ses", "SendEmail", {"FromEmailAddress": "brief@example.com"}, "ses:SendEmail"),
    ],
)
def test_what_no_statement_names_is_refused(
    permissions: Permissions, target: str, operation: str, request_: dict[str, Any], named: str
) -> None:
    assert named in refused(permissions, "social_reply", target, operation, request_)


def test_objects_are_allowed_bucket_by_bucket(permissions: Permissions) -> None:
    briefs, mail = "onthoud-local-briefsbucket", "onthoud-local-mailbucket"
    assert refused(permissions, "daily_brief", "s3", "PutObject", None, f"/{briefs}/2026-11-30.md") == ""
    assert refused(permissions, "daily_brief", "s3", "ListObjectsV2", None, f"/{mail}") == ""
    assert "s3:PutObject" in refused(permissions, "daily_brief", "s3", "PutObject", None, f"/{mail}/forged")
    assert "s3:DeleteObject" in refused(
        permissions, "daily_brief", "s3", "DeleteObject", None, f"/{briefs}/2026-11-30.md"
    )


def test_calls_that_are_not_aws_need_no_permission(permissions: Permissions) -> None:
    assert permissions.refusal("ingest", Call("model", "reply", "/_model"), "/_model/v1/messages", b"{}") is None


def test_a_role_with_managed_policies_is_not_judged() -> None:
    whole = stack()
    role = whole.resources["IngestRole"]
    managed = Resource(
        role.logical_id, role.type, {**role.properties, "ManagedPolicyArns": ["x"]}, role.physical_id, role.arn
    )
    whole.resources["IngestRole"] = managed
    assert not Permissions(whole).know("ingest")
    assert Permissions(whole).know("social_reply")
