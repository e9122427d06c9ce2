"""The template's functions, and the environment that each of them sees."""

from __future__ import annotations

from collections.abc import Mapping

from infra.local.names import function_name, queue_variable
from infra.local.parameters import MODEL_PATH
from infra.local.template import REGION, Resource, Stack
from infra.local.workers import Function

ORIGIN = "http://onthoud.local.invalid"
"""Stands in the resolved template for the address at which a worker reaches the stack: each has its own."""

OPERATOR = "operator"
_OPERATOR_TIMEOUT_S = 600


def functions_of(stack: Stack) -> dict[str, Function]:
    """Return the template's functions by short name."""
    invoke = {
        resource.properties["FunctionName"]: resource.properties
        for resource in stack.of_type("AWS::Lambda::EventInvokeConfig")
    }
    found = {}
    for resource in stack.of_type("AWS::Lambda::Function"):
        config = invoke.get(resource.physical_id, {})
        on_failure = config.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination")
        function = _function(resource, int(config.get("MaximumRetryAttempts", 2)), on_failure)
        found[function.name] = function
    return found


def _function(resource: Resource, retries: int, on_failure: str | None) -> Function:
    properties = resource.properties
    variables = properties.get("Environment", {}).get("Variables", {})
    return Function(
        function_name(resource.logical_id),
        resource.logical_id,
        resource.physical_id,
        resource.arn,
        str(properties["Handler"]),
        float(properties.get("Timeout", 3)),
        int(properties.get("MemorySize", 128)),
        {name: str(value) for name, value in variables.items()},
        retries,
        on_failure,
    )


def operator_function(stack: Stack, functions: Mapping[str, Function]) -> Function:
    """Return the operator's own worker as a function: it has the settings of all, and the addresses of all queues."""
    queues = {queue_variable(queue.logical_id): queue.physical_id for queue in stack.of_type("AWS::SQS::Queue")}
    environment = {name: address for name, address in queues.items() if name}
    for function in functions.values():
        environment.update(function.environment)
    environment["POWERTOOLS_SERVICE_NAME"] = OPERATOR
    return Function(
        OPERATOR,
        "Operator",
        OPERATOR,
        f"arn:aws:lambda:{REGION}:local:function:{OPERATOR}",
        "infra.local.operator.handler",
        _OPERATOR_TIMEOUT_S,
        1024,
        environment,
    )


def environment_of(function: Function, origin: str) -> dict[str, str]:
    """Return all environment variables of a worker: the template's, Lambda's, and where the far ends are."""
    variables = {name: value.replace(ORIGIN, origin) for name, value in function.environment.items()}
    return {
        **variables,
        "AWS_LAMBDA_FUNCTION_NAME": function.physical_name,
        "AWS_LAMBDA_FUNCTION_VERSION": "1",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory_mb),
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{function.physical_name}",
        "AWS_LAMBDA_LOG_STREAM_NAME": "local",
        "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": origin,
        "ANTHROPIC_BASE_URL": f"{origin}{MODEL_PATH}",
        "ONTHOUD_LOCAL_FUNCTION_ARN": function.arn,
        "POWERTOOLS_TRACE_DISABLED": "true",
        "NO_PROXY": "*",
        "TZ": "UTC",
        "LANG": "C.UTF-8",
        "PYTHONUTF8": "1",
        "PYTHONWARNINGS": "default",
    }
