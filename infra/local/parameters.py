"""The template's parameters: their local defaults, and what an operator may set them to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from infra.local.errors import TemplateError

CHANNEL_PATH = "/_channel"
MODEL_PATH = "/_model"
VECTORS_PATH = "/_vectors"
SOURCES_PATH = "/_sources"

NEVER = 1_000_000
"""A guard's value that ordinary use never meets."""


def local_defaults(origin: str) -> dict[str, str]:
    """Return what the local stack sets where the operator does not: everything on, no budget, no guard in the way."""
    return {
        "KnowledgeBase": "on",
        "Mode": "auto",
        "DefaultLanguage": "en",
        "OperatorTimeZone": "Europe/Amsterdam",
        "VenueTimeZone": "Europe/Amsterdam",
        "DailyBudgetUsd": "0",
        "RepliesPerThreadAndHour": str(NEVER),
        "MaxEventAgeHours": str(NEVER),
        "ChannelKind": "webhook",
        "ChannelUrl": f"{origin}{CHANNEL_PATH}/channel",
        "ChannelReadBack": "true",
        "ChannelIdempotent": "true",
        "CalendarUrls": f"{origin}{SOURCES_PATH}/calendar",
        "TasksUrl": f"{origin}{SOURCES_PATH}/tasks",
        "UpstashUrl": f"{origin}{VECTORS_PATH}",
    }


def choose(declared: Mapping[str, Any], overrides: Mapping[str, str], origin: str) -> dict[str, Any]:
    """Return every parameter's value: the operator's, else the local default, else the template's.

    Raises:
        TemplateError: a name is unknown (the message lists the known ones), a value is not allowed, or one is missing.
    """
    for name in overrides:
        if name not in declared:
            raise TemplateError(f"the template has no parameter {name!r}; known: {', '.join(sorted(declared))}")
    defaults = local_defaults(origin)
    values: dict[str, Any] = {}
    for name, definition in declared.items():
        if name in overrides:
            value = overrides[name]
            _check(name, value, definition)
        elif name in defaults:
            value = _within(defaults[name], definition)
        elif "Default" in definition:
            value = str(definition["Default"])
        else:
            raise TemplateError(f"parameter {name} has no default: set it with --parameter {name}=VALUE")
        values[name] = value
    return values


def _within(value: str, definition: Mapping[str, Any]) -> str:
    """A guard's local default, kept to the most that the template allows."""
    most = definition.get("MaxValue")
    return str(most) if most is not None and float(value) > float(most) else value


def _check(name: str, value: str, definition: Mapping[str, Any]) -> None:
    allowed = [str(item) for item in definition.get("AllowedValues", ())]
    if allowed and value not in allowed:
        raise TemplateError(f"parameter {name} must be one of {', '.join(allowed)}, not {value!r}")
    pattern = definition.get("AllowedPattern")
    if pattern and not re.fullmatch(str(pattern), value):
        raise TemplateError(f"parameter {name}: {definition.get('ConstraintDescription') or f'must match {pattern}'}")
    if definition.get("Type") == "Number":
        _check_number(name, value, definition)


def _check_number(name: str, value: str, definition: Mapping[str, Any]) -> None:
    try:
        number = float(value)
    except ValueError:
        raise TemplateError(f"parameter {name} must be a number, not {value!r}") from None
    least, most = definition.get("MinValue"), definition.get("MaxValue")
    if (least is not None and number < float(least)) or (most is not None and number > float(most)):
        raise TemplateError(f"parameter {name} must lie between {least} and {most}, not {value}")
