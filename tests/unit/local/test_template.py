"""References, functions and conditions of a template, and its parameters."""

from __future__ import annotations

from typing import Any

import pytest

from infra.local.errors import TemplateError
from infra.local.intrinsics import Resolver
from infra.local.names import function_name, kebab_name, schedule_name
from infra.local.parameters import choose

DOCUMENT: dict[str, Any] = {
    "Parameters": {"Name": {"Type": "String"}, "Many": {"Type": "CommaDelimitedList"}, "On": {"Type": "String"}},
    "Mappings": {"Sizes": {"small": {"mb": 128}}},
    "Conditions": {
        "IsOn": {"Fn::Equals": [{"Ref": "On"}, "on"]},
        "IsOff": {"Fn::Not": [{"Condition": "IsOn"}]},
        "Both": {"Fn::And": [{"Condition": "IsOn"}, {"Condition": "IsOff"}]},
        "Either": {"Fn::Or": [{"Condition": "IsOn"}, {"Condition": "IsOff"}]},
    },
    "Resources": {
        "Table": {"Type": "AWS::DynamoDB::Table"},
        "JobsQueue": {"Type": "AWS::SQS::Queue", "Properties": {"FifoQueue": True}},
        "Topic": {"Type": "AWS::SNS::Topic"},
        "Store": {"Type": "AWS::S3::Bucket"},
        "Work": {"Type": "AWS::Lambda::Function", "Properties": {"FunctionName": {"Fn::Sub": "${AWS::StackName}-w"}}},
        "WorkAliaslive": {
            "Type": "AWS::Lambda::Alias",
            "Properties": {"Name": "live", "FunctionName": {"Ref": "Work"}},
        },
        "Extra": {"Type": "AWS::SQS::Queue", "Condition": "IsOff"},
    },
}


@pytest.fixture
def resolver() -> Resolver:
    values = {"Name": "ann", "Many": "a, b,c", "On": "on"}
    return Resolver(DOCUMENT, values, region="eu-west-1", account="1", stack="s", origin="http://o")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"Ref": "Name"}, "ann"),
        ({"Ref": "Many"}, ["a", "b", "c"]),
        ({"Ref": "AWS::Region"}, "eu-west-1"),
        ({"Ref": "Table"}, "s-Table"),
        ({"Ref": "Store"}, "s-store"),
        ({"Ref": "JobsQueue"}, "http://o/1/s-JobsQueue.fifo"),
        ({"Ref": "Topic"}, "arn:aws:sns:eu-west-1:1:s-Topic"),
        ({"Ref": "WorkAliaslive"}, "arn:aws:lambda:eu-west-1:1:function:s-w:live"),
        ({"Fn::GetAtt": ["JobsQueue", "Arn"]}, "arn:aws:sqs:eu-west-1:1:s-JobsQueue.fifo"),
        ({"Fn::GetAtt": "JobsQueue.QueueName"}, "s-JobsQueue.fifo"),
        ({"Fn::Sub": "${Name}/${Table.Arn}/${!Left}"}, "ann/arn:aws:dynamodb:eu-west-1:1:table/s-Table/${Left}"),
        ({"Fn::Sub": ["${X}-${Name}", {"X": {"Ref": "On"}}]}, "on-ann"),
        ({"Fn::Join": ["-", {"Ref": "Many"}]}, "a-b-c"),
        ({"Fn::Select": ["1", {"Ref": "Many"}]}, "b"),
        ({"Fn::Select": [0, {"Fn::Split": ["@", "ann@x"]}]}, "ann"),
        ({"Fn::FindInMap": ["Sizes", "small", "mb"]}, 128),
        ({"Fn::If": ["IsOn", {"Ref": "Name"}, "no"]}, "ann"),
        ({"a": {"Fn::If": ["IsOff", 1, {"Ref": "AWS::NoValue"}]}, "b": [{"Ref": "AWS::NoValue"}, 2]}, {"b": [2]}),
    ],
)
def test_references_and_functions(resolver: Resolver, value: Any, expected: Any) -> None:
    assert resolver.resolve(value) == expected


def test_conditions_decide_what_is_created(resolver: Resolver) -> None:
    assert [resolver.holds(name) for name in ("IsOn", "IsOff", "Both", "Either")] == [True, False, False, True]
    assert resolver.is_created("Table")
    assert not resolver.is_created("Extra")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"Ref": "Nothing"}, "refers to Nothing"),
        ({"Fn::ImportValue": "x"}, "does not know Fn::ImportValue"),
        ({"Fn::If": ["Nowhere", 1, 2]}, "no condition Nowhere"),
        ({"Fn::FindInMap": ["Sizes", "huge", "mb"]}, "no entry huge.mb"),
    ],
)
def test_what_cannot_be_resolved_is_named(resolver: Resolver, value: Any, said: str) -> None:
    with pytest.raises(TemplateError, match=said):
        resolver.resolve(value)


def test_parameters_come_from_the_operator_then_the_local_stack_then_the_template() -> None:
    declared = {
        "Mode": {"Type": "String", "Default": "draft", "AllowedValues": ["draft", "auto"]},
        "RepliesPerThreadAndHour": {"Type": "Number", "Default": 6, "MaxValue": 500},
        "WindowTurns": {"Type": "Number", "Default": 10, "MinValue": 2, "MaxValue": 100},
        "HistoryDays": {"Type": "Number", "Default": 30},
    }
    chosen = choose(declared, {"WindowTurns": "40"}, "http://o")
    assert chosen == {"Mode": "auto", "RepliesPerThreadAndHour": "500", "WindowTurns": "40", "HistoryDays": "30"}


def test_a_parameter_without_any_value_is_named() -> None:
    with pytest.raises(TemplateError, match="set it with --parameter Secret=VALUE"):
        choose({"Secret": {"Type": "String"}}, {}, "http://o")


def test_short_names() -> None:
    assert function_name("SocialReplyFunction") == "social_reply"
    assert function_name("DailyBriefFunction") == "daily_brief"
    assert kebab_name("CommentsQueue") == "comments"
    assert schedule_name("DailyBriefFunctionDailyBrief", "DailyBriefFunction") == "daily-brief"
    assert schedule_name("MaintenanceFunctionSweep", "MaintenanceFunction") == "sweep"
    assert schedule_name("DailyBriefFunctionSchedule", "DailyBriefFunction") == "daily-brief"
