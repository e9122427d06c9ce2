"""The template as CloudFormation sees it, with every condition switched on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from samtranslator.yaml_helper import yaml_parse

from infra.local import template as local_template
from infra.local.template import Resource, Stack

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "template.yaml"
ORIGIN = "https://sqs.eu-west-1.amazonaws.com"
EVERYTHING_ON = {
    "KnowledgeBase": "on",
    "KmsKeyArn": "arn:aws:kms:eu-west-1:111122223333:key/0b5e5b0e-0000-4000-8000-000000000000",
    "AlarmTopicArn": "arn:aws:sns:eu-west-1:111122223333:alarms",
    "SlackWebhookParameter": "/onthoud/slack",
    "BriefEmailFrom": "brief@example.com",
}

Document = dict[str, Any]
Change = Callable[[Document], None]


def source() -> Document:
    """Return the template as written."""
    document: Document = yaml_parse(TEMPLATE.read_text(encoding="utf-8"))
    return document


def transformed(path: Path = TEMPLATE) -> Document:
    """Return what SAM makes of the template, references unresolved."""
    document, _ = local_template.transform(path, EVERYTHING_ON, ORIGIN)
    return document


def stack(path: Path = TEMPLATE, **overrides: str) -> Stack:
    """Return the resources that a deployment would create, references resolved."""
    return local_template.load(path, {**EVERYTHING_ON, **overrides}, ORIGIN)


def changed(directory: Path, change: Change) -> Path:
    """Write the template with a change to a file of its own."""
    document = source()
    change(document)
    path = directory / "template.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def by_arn(resources: Stack, *types: str) -> dict[str, Resource]:
    """Return resources of some types by ARN."""
    return {resource.arn: resource for resource in resources.of_type(*types)}
