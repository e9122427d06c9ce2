"""What botocore's exceptions mean, told once for every AWS adapter."""

from __future__ import annotations

from enum import Enum, auto


class Fault(Enum):
    """Why an AWS call failed."""

    NOT_SENT = auto()
    """No connection: surely not done."""
    THROTTLED = auto()
    """Refused for its rate: surely not done."""
    UNKNOWN = auto()
    """A timeout, a lost answer or a 5xx: it may have been done."""
    DENIED = auto()
    """Credentials or permissions: the operator must act."""
    MISSING = auto()
    """The named resource does not exist: the operator must act."""
    INVALID = auto()
    """The request itself is refused: it can never succeed."""


_DENIED = (
    "AccessDenied",
    "UnrecognizedClient",
    "InvalidClientTokenId",
    "ExpiredToken",
    "NotAuthorized",
    "SignatureDoesNotMatch",
    "InvalidSignature",
    "MissingAuthentication",
    "OptInRequired",
    "KMS.",
    "KmsAccessDenied",
)
_MISSING = ("ResourceNotFound", "ParameterNotFound", "NonExistentQueue", "QueueDoesNotExist", "NoSuch")
_THROTTLED = (
    "Throttl",
    "RequestThrottled",
    "TooManyRequests",
    "ProvisionedThroughputExceeded",
    "SlowDown",
    "OverLimit",
)
_UNKNOWN = ("InternalFailure", "InternalServer", "InternalException", "InternalError", "ServiceUnavailable")


def fault_of(error: Exception) -> Fault:
    """Class any exception of a boto3 client."""
    from botocore import exceptions

    if isinstance(error, exceptions.ClientError):
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        return fault_of_code(code_of(error), status >= 500)
    if isinstance(error, exceptions.EndpointConnectionError | exceptions.ConnectTimeoutError):
        return Fault.NOT_SENT
    if isinstance(error, exceptions.NoCredentialsError | exceptions.PartialCredentialsError):
        return Fault.DENIED
    if isinstance(error, exceptions.ParamValidationError):
        return Fault.INVALID
    return Fault.UNKNOWN


def fault_of_code(code: str, is_server_fault: bool = False) -> Fault:
    """Class an AWS error code. A code that nobody knows counts as the request's own fault unless it came as a 5xx."""
    plain = code.rpartition("#")[2].removeprefix("AWS.SimpleQueueService.")
    for fault, prefixes in (
        (Fault.THROTTLED, _THROTTLED),
        (Fault.DENIED, _DENIED),
        (Fault.MISSING, _MISSING),
        (Fault.UNKNOWN, _UNKNOWN),
    ):
        if plain.startswith(prefixes):
            return fault
    return Fault.UNKNOWN if is_server_fault else Fault.INVALID


def code_of(error: Exception) -> str:
    """Return the service's error code, or the exception's name where no service answered."""
    response = getattr(error, "response", None)
    code = response.get("Error", {}).get("Code") if isinstance(response, dict) else None
    return str(code) if code else type(error).__name__
