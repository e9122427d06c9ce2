"""What a request of a function is: which far end it is for, and which operation of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from infra.local.parameters import CHANNEL_PATH, MODEL_PATH, SOURCES_PATH, VECTORS_PATH

ENGINE = ""
_PREFIXES = {CHANNEL_PATH: "channel", MODEL_PATH: "model", VECTORS_PATH: "vectors", SOURCES_PATH: "source"}
_SERVICES = {"DynamoDB": "dynamodb", "AmazonSQS": "sqs", "AWSEvents": "events", "AmazonSSM": "ssm"}
_S3_OPERATIONS = {
    ("GET", True): "GetObject",
    ("PUT", True): "PutObject",
    ("DELETE", True): "DeleteObject",
    ("HEAD", True): "HeadObject",
    ("POST", True): "CompleteMultipartUpload",
    ("GET", False): "ListObjectsV2",
    ("HEAD", False): "HeadBucket",
    ("POST", False): "DeleteObjects",
}


@dataclass(frozen=True, slots=True)
class Call:
    """One request: the far end's name, its operation, and where it is mounted (`""`: the engine)."""

    target: str
    operation: str
    mount: str


def mount_of(path: str) -> str:
    """Return the prefix under which a path's far end is mounted, or `ENGINE`."""
    if not path.startswith("/_"):
        return ENGINE
    prefix = path[: path.find("/", 1)] if "/" in path[1:] else path
    return prefix if prefix in _PREFIXES else ENGINE


def classify(scope: Mapping[str, Any]) -> Call:
    """Name the call that an HTTP request is."""
    path, method = str(scope["path"]), str(scope["method"])
    mount = mount_of(path)
    if mount == ENGINE:
        return _aws(scope, path, method)
    target = _PREFIXES[mount]
    rest = path.removeprefix(mount).strip("/")
    if target == "channel":
        return Call(target, "find" if method == "GET" else "send", mount)
    if target == "model":
        purpose = header(scope, b"x-onthoud-purpose")
        return Call(target, purpose or rest.removeprefix("v1/"), mount)
    return Call(target, rest.split("/")[0], mount)


def _aws(scope: Mapping[str, Any], path: str, method: str) -> Call:
    target = header(scope, b"x-amz-target")
    if target:
        service, _, operation = target.rpartition(".")
        return Call(_SERVICES.get(service.split("_")[0], service.lower()), operation, ENGINE)
    if path.startswith("/v2/email"):
        return Call("ses", "SendEmail", ENGINE)
    signed_for = header(scope, b"authorization")
    if "/sns/" in signed_for:
        return Call("sns", "Publish", ENGINE)
    has_key = len(path.strip("/").split("/", 1)) == 2
    return Call("s3", _S3_OPERATIONS.get((method, has_key), method), ENGINE)


def header(scope: Mapping[str, Any], name: bytes) -> str:
    """Return a request header, or an empty text."""
    for key, value in scope["headers"]:
        if key == name:
            return str(value.decode("latin-1"))
    return ""


def query(scope: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the query's parameters."""
    return parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)


def failure(call: Call, *, throttled: bool) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """Return status, headers and body with which a far end of this kind says that it failed, or is overloaded."""
    if call.target == "s3":
        code, status = ("SlowDown", 503) if throttled else ("InternalError", 500)
        body = f"<Error><Code>{code}</Code><Message>a fault that was asked for</Message></Error>".encode()
        return status, [(b"content-type", b"application/xml"), _length(body)], body
    if call.mount == ENGINE:
        return _aws_failure(call, throttled=throttled)
    if call.target == "model":
        kind, status = ("rate_limit_error", 429) if throttled else ("api_error", 500)
        answer: Any = {"type": "error", "error": {"type": kind, "message": "a fault that was asked for"}}
    else:
        status, answer = 429 if throttled else 500, {"error": "a fault that was asked for"}
    body = json.dumps(answer).encode()
    return status, [(b"content-type", b"application/json"), _length(body)], body


def _aws_failure(call: Call, *, throttled: bool) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    if not throttled:
        status, code = 500, "InternalServerError" if call.target == "dynamodb" else "InternalFailure"
    elif call.target == "dynamodb":
        status, code = 400, "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"
    else:
        status, code = 400, "ThrottlingException"
    body = json.dumps({"__type": code, "message": "a fault that was asked for"}).encode()
    return status, [(b"content-type", b"application/x-amz-json-1.0"), _length(body)], body


def denial(call: Call, message: str) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """Return status, headers and body with which AWS says that a role does not allow a call."""
    if call.target == "s3":
        body = f"<Error><Code>AccessDenied</Code><Message>{message}</Message></Error>".encode()
        return 403, [(b"content-type", b"application/xml"), _length(body)], body
    body = json.dumps({"__type": "AccessDeniedException", "message": message}).encode()
    return 400, [(b"content-type", b"application/x-amz-json-1.0"), _length(body)], body


def _length(body: bytes) -> tuple[bytes, bytes]:
    return b"content-length", str(len(body)).encode()
