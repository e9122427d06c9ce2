"""Where the operator's stack is: the variables of its own functions say it, so nothing can be told differently here."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from infra.local.names import queue_variable
from onthoud.clock import from_iso
from onthoud.errors import PermanentError, RetryableError

_LOCAL_TIMEOUT_S = 10.0


def of_deployed(stack: str) -> dict[str, str]:
    """Return the environment of a deployed stack: of all its functions together, and its queues' addresses.

    It asks CloudFormation for the stack's resources and Lambda for the functions' configuration; the operator's role
    needs `cloudformation:ListStackResources` and `lambda:GetFunctionConfiguration`.

    Raises:
        PermanentError: there is no such stack, or it is none of ours.
        RetryableError: AWS could not be asked.
    """
    import boto3
    from botocore.exceptions import BotoCoreError, ClientError

    environment: dict[str, str] = {}
    try:
        pages = boto3.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack)
        resources = [resource for page in pages for resource in page["StackResourceSummaries"]]
        functions = boto3.client("lambda")
        for resource in resources:
            kind, physical = resource["ResourceType"], resource.get("PhysicalResourceId", "")
            if kind == "AWS::Lambda::Function":
                found: Any = functions.get_function_configuration(FunctionName=physical)
                environment |= found.get("Environment", {}).get("Variables", {})
            elif kind == "AWS::SQS::Queue" and (name := queue_variable(resource["LogicalResourceId"])):
                environment[name] = physical
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        raise PermanentError(
            f"the stack {stack} cannot be read ({code}): check its name, the region (AWS_REGION) and your role"
        ) from None
    except BotoCoreError as error:
        raise RetryableError(
            f"AWS cannot be asked ({type(error).__name__}): check your credentials (AWS_PROFILE) and AWS_REGION"
        ) from None
    if "ONTHOUD_TABLE" not in environment:
        raise PermanentError(f"the stack {stack} has no function of Onthoud")
    return {name: value for name, value in environment.items() if name.startswith("ONTHOUD_")}


def of_local(url: str) -> dict[str, str]:
    """Return the environment of a running local stack, endpoint and credentials included.

    Raises:
        PermanentError: nothing of ours answers there.
    """
    environment: dict[str, str] = _ask(url, "/local/environment")["environment"]
    return environment


def local_now(url: str) -> datetime:
    """Return a local stack's time.

    Raises:
        PermanentError: nothing of ours answers there.
    """
    return from_iso(_ask(url, "/local/clock")["now"])


def _ask(url: str, path: str) -> Any:
    if urlsplit(url).scheme not in {"http", "https"}:
        raise PermanentError("--local takes the address that `onthoud local` prints, such as http://127.0.0.1:8765")
    try:
        with urllib.request.urlopen(url.rstrip("/") + path, timeout=_LOCAL_TIMEOUT_S) as answer:  # noqa: S310 - checked
            return json.load(answer)
    except (urllib.error.URLError, OSError, ValueError):
        raise PermanentError(f"no local stack answers at {url}: start one with `onthoud local`") from None
