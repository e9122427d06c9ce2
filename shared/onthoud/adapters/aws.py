"""The one place where AWS clients are made, so that none of them can outlive its function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_events import EventBridgeClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sesv2 import SESV2Client
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_ssm import SSMClient

CONNECT_TIMEOUT_S = 1.0
READ_TIMEOUT_S = 3.0
RETRIES = 2
MAX_POOL_CONNECTIONS = 10

_MAX_BACKOFF_S = 20.0
"""The longest pause of botocore's standard retry mode; before the n-th retry it is at most 2 ** (n - 1) seconds."""


@overload
def client(
    service: Literal["dynamodb"], *, connect_timeout_s: float = ..., read_timeout_s: float = ..., retries: int = ...
) -> DynamoDBClient: ...
@overload
def client(
    service: Literal["events"], *, connect_timeout_s: float = ..., read_timeout_s: float = ..., retries: int = ...
) -> EventBridgeClient: ...
@overload
def client(
    service: Literal["s3"], *, connect_timeout_s: float = ..., read_timeout_s: float = ..., retries: int = ...
) -> S3Client: ...
@overload
def client(
    service: Literal["sesv2"], *, connect_timeout_s: float = ..., read_timeout_s: float = ..., retries: int = ...
) -> SESV2Client: ...
@overload
def client(
    service: Literal["sqs"], *, connect_timeout_s: float = ..., read_timeout_s: float = ..., retries: int = ...
) -> SQSClient: ...
@overload
def client(
    service: Literal["ssm"], *, connect_timeout_s: float = ..., read_timeout_s: float = ..., retries: int = ...
) -> SSMClient: ...


def client(
    service: str,
    *,
    connect_timeout_s: float = CONNECT_TIMEOUT_S,
    read_timeout_s: float = READ_TIMEOUT_S,
    retries: int = RETRIES,
) -> Any:
    """Return a new client of an AWS service; boto3 is imported here and not before.

    Region, credentials and endpoint are boto3's own business (`AWS_ENDPOINT_URL`). botocore's defaults (60 s to
    connect, 60 s to read, several times over) outlive any function of ours, so both are always set.

    Args:
        service: boto3's name of the service.
        connect_timeout_s: seconds to wait for a connection.
        read_timeout_s: seconds to wait for the next bytes of an answer.
        retries: tries after the first one, in botocore's standard mode. 0 for a call that must not be repeated.
    """
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=connect_timeout_s,
        read_timeout=read_timeout_s,
        retries={"mode": "standard", "total_max_attempts": retries + 1},
        max_pool_connections=MAX_POOL_CONNECTIONS,
        tcp_keepalive=True,
    )
    return boto3.client(service, config=config)  # type: ignore[call-overload]


def longest_call_s(
    connect_timeout_s: float = CONNECT_TIMEOUT_S, read_timeout_s: float = READ_TIMEOUT_S, retries: int = RETRIES
) -> float:
    """Return how many seconds one call of such a client can take when everything goes wrong."""
    pauses = sum(min(2.0**n, _MAX_BACKOFF_S) for n in range(retries))
    return (retries + 1) * (connect_timeout_s + read_timeout_s) + pauses
