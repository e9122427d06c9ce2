"""The real template, as CloudFormation would see it: transformed by SAM, with every reference resolved."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.local.errors import TemplateError
from infra.local.intrinsics import Resolver
from infra.local.kept_transform import Kept
from infra.local.parameters import choose

REGION = "eu-west-1"
ACCOUNT = "111122223333"
STACK = "onthoud-local"


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource that the template creates, its properties resolved."""

    logical_id: str
    type: str
    properties: dict[str, Any]
    physical_id: str
    arn: str


@dataclass(frozen=True, slots=True)
class Stack:
    """The template's resources and the parameters that they were made with."""

    resources: dict[str, Resource]
    parameters: dict[str, str]

    def of_type(self, *types: str) -> list[Resource]:
        """Return the resources of some types, in the template's order."""
        return [resource for resource in self.resources.values() if resource.type in types]


class _NoManagedPolicies:
    """Names AWS managed policies by rule instead of asking IAM for the list."""

    def load(self) -> dict[str, str]:
        return {
            name: f"arn:aws:iam::aws:policy/service-role/{name}"
            for name in (
                "AWSLambdaBasicExecutionRole",
                "AWSLambdaSQSQueueExecutionRole",
                "AWSXrayWriteOnlyAccess",
                "AWSLambdaDynamoDBExecutionRole",
            )
        }


def _with_remote_code(template: dict[str, Any]) -> None:
    """The translator takes code from S3 only; where the code really lies is the workers' business."""
    places = {"AWS::Serverless::Function": "CodeUri", "AWS::Serverless::LayerVersion": "ContentUri"}
    function_globals = template.get("Globals", {}).get("Function", {})
    if "CodeUri" in function_globals:
        function_globals["CodeUri"] = "s3://code/package.zip"
    for resource in template.get("Resources", {}).values():
        place = places.get(resource.get("Type", ""))
        if place:
            resource.setdefault("Properties", {})[place] = "s3://code/package.zip"


def transform(path: Path, overrides: Mapping[str, str], origin: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run SAM's transform; return the CloudFormation template and the parameters' values.

    Raises:
        TemplateError: the file cannot be read, a parameter is unknown or not allowed, or SAM refuses the template.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise TemplateError(f"{path.name} cannot be read: {error}") from error
    kept = Kept(text, overrides, origin)
    found = kept.find()
    if found is None:
        found = _transform(path.name, text, overrides, origin)
        kept.keep(found)
    return found


def _transform(
    name: str, text: str, overrides: Mapping[str, str], origin: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    os.environ.setdefault("AWS_DEFAULT_REGION", REGION)
    from samtranslator.public.exceptions import InvalidDocumentException
    from samtranslator.translator.transform import transform as sam_transform
    from samtranslator.yaml_helper import yaml_parse
    from yaml import YAMLError

    try:
        template = yaml_parse(text)
    except (YAMLError, ValueError) as error:
        raise TemplateError(f"{name} cannot be read: {error}") from error
    values = choose(template.get("Parameters", {}), overrides, origin)
    _with_remote_code(template)
    try:
        return sam_transform(template, dict(values), _NoManagedPolicies()), values
    except InvalidDocumentException as error:
        causes = "; ".join(str(cause.message) for cause in error.causes) or str(error)
        raise TemplateError(f"SAM refuses {name}: {causes}") from error


def load(path: Path, overrides: Mapping[str, str], origin: str) -> Stack:
    """Return the stack that `path` describes.

    Args:
        path: the template.
        overrides: parameters set on the command line.
        origin: where workers reach the stack, without a trailing slash; queue URLs and feeds lie under it.

    Raises:
        TemplateError: the template, or a parameter, is wrong.
    """
    document, values = transform(path, overrides, origin)
    resolver = Resolver(document, values, region=REGION, account=ACCOUNT, stack=STACK, origin=origin)
    resources = {
        logical_id: Resource(
            logical_id,
            declared["Type"],
            resolver.resolve(declared.get("Properties", {})),
            resolver.reference(logical_id),
            resolver.arn(logical_id),
        )
        for logical_id, declared in document["Resources"].items()
        if resolver.is_created(logical_id)
    }
    return Stack(resources, {name: str(value) for name, value in values.items()})
