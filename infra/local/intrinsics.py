"""CloudFormation's references, functions and conditions, for the resources that the local stack knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from infra.local.errors import TemplateError

_ABSENT = object()
_PLACEHOLDER = re.compile(r"\$\{(!?)([^}]+)\}")

_NAME_PROPERTY = {
    "AWS::DynamoDB::Table": "TableName",
    "AWS::SQS::Queue": "QueueName",
    "AWS::SNS::Topic": "TopicName",
    "AWS::S3::Bucket": "BucketName",
    "AWS::Events::EventBus": "Name",
    "AWS::Events::Rule": "Name",
    "AWS::Lambda::Function": "FunctionName",
    "AWS::Lambda::Alias": "Name",
    "AWS::Scheduler::Schedule": "Name",
    "AWS::SSM::Parameter": "Name",
    "AWS::Logs::LogGroup": "LogGroupName",
}
_ARNS = {
    "AWS::DynamoDB::Table": "arn:aws:dynamodb:{region}:{account}:table/{name}",
    "AWS::SQS::Queue": "arn:aws:sqs:{region}:{account}:{name}",
    "AWS::SNS::Topic": "arn:aws:sns:{region}:{account}:{name}",
    "AWS::S3::Bucket": "arn:aws:s3:::{name}",
    "AWS::Events::EventBus": "arn:aws:events:{region}:{account}:event-bus/{name}",
    "AWS::Events::Rule": "arn:aws:events:{region}:{account}:rule/{name}",
    "AWS::Lambda::Function": "arn:aws:lambda:{region}:{account}:function:{name}",
    "AWS::Scheduler::Schedule": "arn:aws:scheduler:{region}:{account}:schedule/default/{name}",
    "AWS::SSM::Parameter": "arn:aws:ssm:{region}:{account}:parameter/{name}",
    "AWS::Logs::LogGroup": "arn:aws:logs:{region}:{account}:log-group:{name}:*",
    "AWS::IAM::Role": "arn:aws:iam::{account}:role/{name}",
}
_REF_IS_ARN = {"AWS::SNS::Topic", "AWS::Lambda::LayerVersion", "AWS::Lambda::Version", "AWS::Lambda::Alias"}


class Resolver:
    """Resolves one transformed template."""

    def __init__(
        self,
        document: Mapping[str, Any],
        parameters: Mapping[str, Any],
        *,
        region: str,
        account: str,
        stack: str,
        origin: str,
    ) -> None:
        self._resources: Mapping[str, Any] = document["Resources"]
        self._conditions: Mapping[str, Any] = document.get("Conditions", {})
        self._mappings: Mapping[str, Any] = document.get("Mappings", {})
        self._origin = origin
        self._place = {"region": region, "account": account}
        self._stack = stack
        self._values: dict[str, Any] = {
            **{name: _typed(value, document, name) for name, value in parameters.items()},
            "AWS::Region": region,
            "AWS::AccountId": account,
            "AWS::StackName": stack,
            "AWS::StackId": f"arn:aws:cloudformation:{region}:{account}:stack/{stack}/local",
            "AWS::Partition": "aws",
            "AWS::URLSuffix": "amazonaws.com",
            "AWS::NoValue": _ABSENT,
        }
        self._functions: dict[str, Callable[[Any], Any]] = {
            "Ref": self.reference,
            "Condition": self.holds,
            "Fn::GetAtt": self._attribute,
            "Fn::Sub": self._substitute,
            "Fn::Join": lambda value: self.resolve(value[0]).join(str(part) for part in self.resolve(value[1])),
            "Fn::Select": lambda value: self.resolve(value[1])[int(self.resolve(value[0]))],
            "Fn::Split": lambda value: self.resolve(value[1]).split(self.resolve(value[0])),
            "Fn::FindInMap": self._find_in_map,
            "Fn::If": lambda value: self._resolved(value[1] if self.holds(value[0]) else value[2]),
            "Fn::Equals": lambda value: str(self.resolve(value[0])) == str(self.resolve(value[1])),
            "Fn::Not": lambda value: not self.resolve(value[0]),
            "Fn::And": lambda value: all(self.resolve(part) for part in value),
            "Fn::Or": lambda value: any(self.resolve(part) for part in value),
        }

    def is_created(self, logical_id: str) -> bool:
        """Whether the resource's own condition holds."""
        condition = self._resources[logical_id].get("Condition")
        return condition is None or self.holds(condition)

    def holds(self, condition: str) -> bool:
        """Whether a named condition holds."""
        if condition not in self._conditions:
            raise TemplateError(f"the template has no condition {condition}")
        return bool(self.resolve(self._conditions[condition]))

    def resolve(self, value: Any) -> Any:
        """Return `value` with everything in it resolved; what is `AWS::NoValue` is left out."""
        resolved = self._resolved(value)
        return None if resolved is _ABSENT else resolved

    def _resolved(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            if len(value) == 1:
                [(name, argument)] = value.items()
                if name in self._functions:
                    return self._functions[name](argument)
                if name.startswith("Fn::"):
                    raise TemplateError(f"the local stack does not know {name}")
            pairs = ((name, self._resolved(part)) for name, part in value.items())
            return {name: part for name, part in pairs if part is not _ABSENT}
        if isinstance(value, list):
            parts = (self._resolved(part) for part in value)
            return [part for part in parts if part is not _ABSENT]
        return value

    def reference(self, name: str) -> Any:
        """Return what `Ref` gives: a parameter's value, or a resource's physical id (a queue's is its URL)."""
        if name in self._values:
            return self._values[name]
        kind = self._kind(name)
        if kind in _REF_IS_ARN:
            return self.arn(name)
        if kind == "AWS::SQS::Queue":
            return f"{self._origin}/{self._place['account']}/{self.name(name)}"
        return self.name(name)

    def _kind(self, logical_id: str) -> str:
        if logical_id not in self._resources:
            raise TemplateError(f"the template refers to {logical_id}, which it does not hold")
        return str(self._resources[logical_id]["Type"])

    def name(self, logical_id: str) -> str:
        """Return a resource's name: the template's own, else the stack's name and the logical id."""
        kind = self._kind(logical_id)
        properties = self._resources[logical_id].get("Properties", {})
        given = self.resolve(properties.get(_NAME_PROPERTY.get(kind, ""), None))
        if given:
            return str(given)
        name = f"{self._stack}-{logical_id}"
        if kind == "AWS::S3::Bucket":
            return name.lower()
        if kind == "AWS::SQS::Queue" and str(properties.get("FifoQueue", False)).lower() == "true":
            return f"{name}.fifo"
        return name

    def arn(self, logical_id: str) -> str:
        """Return a resource's ARN."""
        kind = self._kind(logical_id)
        properties = self._resources[logical_id].get("Properties", {})
        if kind in {"AWS::Lambda::Alias", "AWS::Lambda::Version"}:
            function = str(self.resolve(properties["FunctionName"]))
            qualifier = self.name(logical_id) if kind == "AWS::Lambda::Alias" else "1"
            base = _ARNS["AWS::Lambda::Function"].format(name=function, **self._place)
            return f"{base}:{qualifier}"
        form = _ARNS.get(kind, f"arn:aws:{kind.split('::')[1].lower()}:{{region}}:{{account}}:{{name}}")
        return form.format(name=self.name(logical_id), **self._place)

    def _attribute(self, argument: Any) -> Any:
        logical_id, attribute = argument.split(".", 1) if isinstance(argument, str) else argument
        if attribute in {"Arn", "TopicArn"}:
            return self.arn(logical_id)
        if attribute == "QueueUrl":
            return self.reference(logical_id)
        if attribute in {"QueueName", "TopicName", "Name"}:
            return self.name(logical_id)
        if attribute == "StreamArn":
            return f"{self.arn(logical_id)}/stream/local"
        return f"{self.name(logical_id)}.{attribute}"

    def _substitute(self, argument: Any) -> str:
        text, extra = (argument, {}) if isinstance(argument, str) else (argument[0], argument[1])

        def fill(match: re.Match[str]) -> str:
            literal, name = match.group(1), match.group(2).strip()
            if literal:
                return f"${{{name}}}"
            if name in extra:
                return str(self.resolve(extra[name]))
            return str(self._attribute(name) if "." in name else self.reference(name))

        return _PLACEHOLDER.sub(fill, text)

    def _find_in_map(self, argument: list[Any]) -> Any:
        table, first, second = (self.resolve(part) for part in argument[:3])
        try:
            return self._mappings[table][first][second]
        except KeyError:
            raise TemplateError(f"the mapping {table} has no entry {first}.{second}") from None


def _typed(value: Any, document: Mapping[str, Any], name: str) -> Any:
    kind = str(document.get("Parameters", {}).get(name, {}).get("Type", "String"))
    if kind == "CommaDelimitedList" or kind.startswith("List<"):
        return [part.strip() for part in str(value).split(",")] if value != "" else []
    return value
