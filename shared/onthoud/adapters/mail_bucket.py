"""The mailbox port on a bucket in which SES stores raw messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from onthoud.errors import NotFound, RetryableError
from onthoud.ports.mailbox import StoredMail

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_GONE = frozenset({"NoSuchKey", "404", "NotFound"})
_EMPTY_RANGE = "InvalidRange"
SETUP_NOTICE = "AMAZON_SES_SETUP_NOTIFICATION"
"""What SES writes into a bucket once, to see whether it may."""


@dataclass(frozen=True, slots=True)
class MailBucket:
    """One bucket, or a folder of one."""

    client: S3Client
    bucket: str
    prefix: str = ""

    def list(self, since: datetime) -> Iterator[StoredMail]:
        """List messages; see the port. The bucket's lifecycle rule takes out what is old, so all are listed."""
        del since
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=self.prefix)
        try:
            for page in pages:
                for entry in page.get("Contents", []):
                    if not entry["Key"].endswith(("/", SETUP_NOTICE)):
                        yield StoredMail(entry["Key"], entry["Size"], entry.get("LastModified"))
        except (ClientError, BotoCoreError) as error:
            raise RetryableError(_code(error)) from None

    def head(self, message: StoredMail, most: int) -> bytes:
        """Read the beginning of a message; see the port."""
        try:
            answer = self.client.get_object(Bucket=self.bucket, Key=message.id, Range=f"bytes=0-{most - 1}")
            return answer["Body"].read()
        except (ClientError, BotoCoreError) as error:
            code = _code(error)
            if code in _GONE:
                raise NotFound("the message has gone") from None
            if code == _EMPTY_RANGE:
                return b""
            raise RetryableError(code) from None


def _code(error: Exception) -> str:
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Code", "unknown"))
    return type(error).__name__
