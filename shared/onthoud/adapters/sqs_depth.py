"""The depth port over SQS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from onthoud.adapters.aws_errors import code_of
from onthoud.errors import RetryableError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@dataclass(frozen=True, slots=True)
class SqsDepth:
    """Asks SQS, whose count is approximate."""

    client: SQSClient

    def waiting(self, url: str) -> int:
        """Return what SQS counts as visible; see the port."""
        from botocore.exceptions import BotoCoreError, ClientError

        name = "ApproximateNumberOfMessages"
        try:
            answer = self.client.get_queue_attributes(QueueUrl=url, AttributeNames=[name])  # type: ignore[list-item]
        except (ClientError, BotoCoreError) as error:
            raise RetryableError(f"a queue could not be asked: {code_of(error)}") from None
        return int(answer["Attributes"].get(name, 0))  # type: ignore[call-overload]
