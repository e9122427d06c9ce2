"""The channel port over Amazon SES: a mail in plain text and HTML. SES can be asked nothing about a lost answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from onthoud.adapters import aws
from onthoud.adapters.aws_errors import Fault, code_of, fault_of
from onthoud.ports.channel import FailureClass, Outgoing, Receipt, SendError
from onthoud.text.brief_markup import to_html, to_plain

if TYPE_CHECKING:
    from mypy_boto3_sesv2 import SESV2Client

CONNECT_TIMEOUT_S = 1.0
READ_TIMEOUT_S = 6.0
_CLASS_OF_FAULT = {
    Fault.NOT_SENT: FailureClass.TRANSIENT,
    Fault.THROTTLED: FailureClass.TRANSIENT,
    Fault.UNKNOWN: FailureClass.AMBIGUOUS,
    Fault.DENIED: FailureClass.AUTH,
    Fault.MISSING: FailureClass.AUTH,
    Fault.INVALID: FailureClass.POLICY,
}


class SesChannel:
    """Sends from one verified address."""

    can_read_back = False
    is_idempotent = False

    def __init__(self, sender: str, recipients: Sequence[str], *, client: SESV2Client | None = None) -> None:
        self._sender, self._recipients, self._given = sender, list(recipients), client

    def send(self, message: Outgoing, *, timeout_s: float) -> Receipt:
        """Send once; see the port. `extra["subject"]` is the mail's subject."""
        if timeout_s < CONNECT_TIMEOUT_S + READ_TIMEOUT_S:
            raise SendError(FailureClass.TRANSIENT, "not enough time left to send")
        subject = str(message.extra.get("subject", message.in_reply_to))
        try:
            answer = self._client().send_email(
                FromEmailAddress=self._sender,
                Destination={"ToAddresses": self._recipients},
                Content={
                    "Simple": {
                        "Subject": {"Data": subject, "Charset": "UTF-8"},
                        "Body": {
                            "Text": {"Data": to_plain(message.text), "Charset": "UTF-8"},
                            "Html": {"Data": to_html(message.text), "Charset": "UTF-8"},
                        },
                        "Headers": [
                            {"Name": "Auto-Submitted", "Value": "auto-generated"},
                            {"Name": "X-Onthoud-Idempotency-Key", "Value": message.idempotency_key},
                        ],
                    }
                },
            )
        except Exception as error:
            raise SendError(_CLASS_OF_FAULT[fault_of(error)], code_of(error)) from None
        return Receipt(answer.get("MessageId", ""))

    def find_own_reply(self, message: Outgoing, *, timeout_s: float) -> Receipt | None:
        """Refuse: SES keeps no list of what it sent."""
        del message, timeout_s
        raise SendError(FailureClass.POLICY, "SES cannot be asked")

    def _client(self) -> SESV2Client:
        if self._given is None:
            self._given = aws.client(
                "sesv2", connect_timeout_s=CONNECT_TIMEOUT_S, read_timeout_s=READ_TIMEOUT_S, retries=0
            )
        return self._given
