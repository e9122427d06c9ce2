"""The objects port on S3."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from onthoud.errors import NotFound, OnthoudError, PermanentError, RetryableError
from onthoud.ports.objects import ObjectBody, ObjectInfo

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

MAX_DOCUMENT_BYTES = 20 * 1024 * 1024
_GONE = {"NoSuchKey", "404", "NotFound"}


@dataclass(frozen=True, slots=True)
class S3Objects:
    """One bucket."""

    client: S3Client
    bucket: str
    max_bytes: int = MAX_DOCUMENT_BYTES

    def list(self) -> Iterator[ObjectInfo]:
        """Walk all objects; see the port."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket)
        try:
            for page in pages:
                for entry in page.get("Contents", []):
                    yield ObjectInfo(entry["Key"], entry["ETag"].strip('"'), entry["Size"])
        except (ClientError, BotoCoreError) as error:
            raise _mapped(error, "the listing of the bucket") from error

    def get(self, key: str) -> ObjectBody:
        """Read an object; see the port."""
        try:
            answer = self.client.get_object(Bucket=self.bucket, Key=key)
            if answer["ContentLength"] > self.max_bytes:
                raise PermanentError(f"the document is larger than {self.max_bytes} bytes: split it")
            body = answer["Body"].read()
        except (ClientError, BotoCoreError) as error:
            raise _mapped(error, "a document") from error
        return ObjectBody(key, answer["ETag"].strip('"'), answer.get("ContentType", ""), body)


def _mapped(error: Exception, what: str) -> OnthoudError:
    if isinstance(error, ClientError):
        code = error.response.get("Error", {}).get("Code", "unknown")
        if code in _GONE:
            return NotFound(f"{what} is not in the bucket")
        return RetryableError(f"{what} could not be read: S3 says {code}")
    return RetryableError(f"{what} could not be read: {type(error).__name__}")
