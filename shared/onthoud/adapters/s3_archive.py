"""The archive port on a bucket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from onthoud.adapters.aws_errors import code_of
from onthoud.errors import RetryableError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@dataclass(frozen=True, slots=True)
class S3Archive:
    """One bucket, or a folder of one."""

    client: S3Client
    bucket: str
    prefix: str = "briefs/"

    def put(self, name: str, text: str) -> None:
        """Keep a text; see the port."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            self.client.put_object(
                Bucket=self.bucket,
                Key=f"{self.prefix}{name}",
                Body=text.encode(),
                ContentType="text/markdown; charset=utf-8",
            )
        except (ClientError, BotoCoreError) as error:
            raise RetryableError(f"the audit copy could not be written: {code_of(error)}") from None
