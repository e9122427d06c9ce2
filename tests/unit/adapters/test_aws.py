"""AWS clients never outlive their function, and their errors mean one thing everywhere."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from botocore import exceptions

from onthoud.adapters import aws
from onthoud.adapters.aws_errors import Fault, code_of, fault_of, fault_of_code


@pytest.mark.parametrize("service", ["dynamodb", "sqs", "events", "ssm", "s3", "sesv2"])
def test_every_client_has_short_timeouts_and_few_tries(service: Any) -> None:
    config: Any = aws.client(service).meta.config
    assert config.connect_timeout == aws.CONNECT_TIMEOUT_S
    assert config.read_timeout == aws.READ_TIMEOUT_S
    assert config.retries == {"mode": "standard", "total_max_attempts": aws.RETRIES + 1}


def test_timeouts_and_tries_can_be_set() -> None:
    config: Any = aws.client("events", connect_timeout_s=0.5, read_timeout_s=2, retries=0).meta.config
    assert (config.connect_timeout, config.read_timeout) == (0.5, 2)
    assert config.retries["total_max_attempts"] == 1


def test_the_longest_call_is_far_below_a_functions_timeout() -> None:
    assert aws.longest_call_s() == pytest.approx(15)
    assert aws.longest_call_s(1, 3, 0) == pytest.approx(4)


def test_the_endpoint_is_boto3s_own_business(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    assert aws.client("sqs").meta.endpoint_url == "http://127.0.0.1:1"


def test_importing_the_adapters_imports_no_sdk() -> None:
    code = (
        "import sys\n"
        "from onthoud.adapters import aws, aws_errors, eventbridge, sqs, ssm\n"
        "ssm.ParameterSecrets(), sqs.SqsQueue('u'), eventbridge.EventBridgeChannel('b')\n"
        "print([name for name in ('boto3', 'botocore', 'aws_lambda_powertools') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def client_error(code: str, status: int = 400) -> exceptions.ClientError:
    answer: Any = {"Error": {"Code": code, "Message": "m"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return exceptions.ClientError(answer, "Operation")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (client_error("ThrottlingException"), Fault.THROTTLED),
        (client_error("RequestThrottled", 403), Fault.THROTTLED),
        (client_error("AccessDeniedException"), Fault.DENIED),
        (client_error("ExpiredTokenException", 403), Fault.DENIED),
        (client_error("KMS.AccessDeniedException"), Fault.DENIED),
        (client_error("AWS.SimpleQueueService.NonExistentQueue"), Fault.MISSING),
        (client_error("com.amazonaws.sqs#QueueDoesNotExist"), Fault.MISSING),
        (client_error("ParameterNotFound"), Fault.MISSING),
        (client_error("InternalFailure", 500), Fault.UNKNOWN),
        (client_error("SomethingNew", 503), Fault.UNKNOWN),
        (client_error("SomethingNew"), Fault.INVALID),
        (client_error("InvalidMessageContents"), Fault.INVALID),
        (exceptions.EndpointConnectionError(endpoint_url="u"), Fault.NOT_SENT),
        (exceptions.ConnectTimeoutError(endpoint_url="u"), Fault.NOT_SENT),
        (exceptions.ReadTimeoutError(endpoint_url="u"), Fault.UNKNOWN),
        (exceptions.ConnectionClosedError(endpoint_url="u"), Fault.UNKNOWN),
        (exceptions.NoCredentialsError(), Fault.DENIED),
        (exceptions.ParamValidationError(report="r"), Fault.INVALID),
        (OSError("broken"), Fault.UNKNOWN),
    ],
    ids=lambda value: code_of(value) if isinstance(value, Exception) else value.name,
)
def test_an_error_has_a_meaning(error: Exception, expected: Fault) -> None:
    assert fault_of(error) is expected


def test_an_entrys_code_has_the_same_meaning() -> None:
    assert fault_of_code("InternalFailure") is Fault.UNKNOWN
    assert fault_of_code("NotAuthorizedForSourceException") is Fault.DENIED
    assert fault_of_code("MalformedDetail") is Fault.INVALID
