"""The secrets port over Systems Manager's parameter store, cached by Powertools for five minutes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onthoud.adapters import aws
from onthoud.adapters.aws_errors import Fault, code_of, fault_of
from onthoud.errors import NotFound, RetryableError

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.parameters import SSMProvider
    from mypy_boto3_ssm import SSMClient

MAX_AGE_S = 300
"""How long a changed secret may go unnoticed, unless the far end refuses the old one."""


class ParameterSecrets:
    """Reads SecureString parameters. Nothing is imported or read before the first use."""

    def __init__(self, *, client: SSMClient | None = None) -> None:
        """Take a client for tests; else one is made at the first use."""
        self._given = client
        self._provider: SSMProvider | None = None

    def get(self, name: str, *, fresh: bool = False) -> str:
        """Return a secret's value; see the port."""
        from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

        try:
            value = self._store().get(name, max_age=MAX_AGE_S, decrypt=True, force_fetch=fresh)
        except GetParameterError as error:
            raise _failed(name, error.__context__ or error) from None
        return str(value)

    def _store(self) -> SSMProvider:
        from aws_lambda_powertools.utilities.parameters import SSMProvider

        if self._provider is None:
            self._provider = SSMProvider(boto3_client=self._given or aws.client("ssm"))
        return self._provider


def _failed(name: str, cause: BaseException) -> NotFound | RetryableError:
    fault = fault_of(cause) if isinstance(cause, Exception) else Fault.UNKNOWN
    if fault is Fault.MISSING:
        return NotFound(f"there is no parameter {name}: create it as a SecureString")
    if fault is Fault.DENIED:
        return RetryableError(
            f"the parameter {name} may not be read ({code_of(_exception(cause))}): check the function's role"
        )
    return RetryableError(f"the parameter {name} cannot be read now ({code_of(_exception(cause))})")


def _exception(cause: BaseException) -> Exception:
    return cause if isinstance(cause, Exception) else RuntimeError()
