"""The channel port over EventBridge: a message becomes an event, and the operator's own rule delivers it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from onthoud.adapters import aws
from onthoud.adapters.aws_errors import Fault, code_of, fault_of, fault_of_code
from onthoud.clock import Clock, SystemClock, iso
from onthoud.ports.channel import FailureClass, Outgoing, Receipt, SendError

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient

SOURCE = "onthoud"
DETAIL_TYPES = {
    "reply": "ReplyPlanned",
    "confirmation": "ConfirmationPlanned",
    "brief": "BriefPlanned",
    "alert": "AlertPlanned",
}
CONNECT_TIMEOUT_S = 1.0
READ_TIMEOUT_S = 3.0

_CLASS_OF_FAULT = {
    Fault.NOT_SENT: FailureClass.TRANSIENT,
    Fault.THROTTLED: FailureClass.TRANSIENT,
    Fault.UNKNOWN: FailureClass.AMBIGUOUS,
    Fault.DENIED: FailureClass.AUTH,
    Fault.MISSING: FailureClass.AUTH,
    Fault.INVALID: FailureClass.POLICY,
}


class EventBridgeChannel:
    """Puts messages on a bus. The bus cannot be asked, and a repeated event is a second event.

    What is behind the bus can still tell duplicates apart: the idempotency key stands in the detail.
    """

    can_read_back = False
    is_idempotent = False

    def __init__(self, bus: str, *, client: EventBridgeClient | None = None, clock: Clock | None = None) -> None:
        """Keep the bus's name or ARN; the client is made at the first send unless one is given."""
        self._bus = bus
        self._given = client
        self._clock = clock or SystemClock()

    def send(self, message: Outgoing, *, timeout_s: float) -> Receipt:
        """Put one event; see the port. The SDK does not retry: an event that was lost on the way may be there."""
        if timeout_s < CONNECT_TIMEOUT_S + READ_TIMEOUT_S:
            raise SendError(FailureClass.TRANSIENT, "not enough time left to send")
        entry = self._entry(message)
        try:
            answer: Any = self._client().put_events(Entries=[entry])
        except Exception as error:
            raise SendError(_CLASS_OF_FAULT[fault_of(error)], code_of(error)) from None
        result = (answer.get("Entries") or [{}])[0]
        if answer.get("FailedEntryCount") or result.get("ErrorCode"):
            raise _refused_entry(str(result.get("ErrorCode") or "unnamed"))
        return Receipt(str(result.get("EventId") or ""))

    def find_own_reply(self, message: Outgoing, *, timeout_s: float) -> Receipt | None:  # noqa: ARG002 - the port's
        """A bus cannot be asked: raises always."""
        raise SendError(FailureClass.POLICY, "an event bus cannot be asked for a message")

    def _entry(self, message: Outgoing) -> Any:
        detail = {
            **message.extra,
            "kind": message.kind,
            "channel": message.channel,
            "account_id": message.account_id,
            "to": message.to,
            "in_reply_to": message.in_reply_to,
            "text": message.text,
            "idempotency_key": message.idempotency_key,
            "sent_at": iso(self._clock.now()),
        }
        return {
            "EventBusName": self._bus,
            "Source": SOURCE,
            "DetailType": DETAIL_TYPES.get(message.kind, "MessagePlanned"),
            "Detail": json.dumps(detail, ensure_ascii=False, separators=(",", ":")),
        }

    def _client(self) -> EventBridgeClient:
        if self._given is None:
            self._given = aws.client(
                "events", connect_timeout_s=CONNECT_TIMEOUT_S, read_timeout_s=READ_TIMEOUT_S, retries=0
            )
        return self._given


def _refused_entry(code: str) -> SendError:
    """Class an entry that failed inside a 200: it was surely not taken."""
    kind = _CLASS_OF_FAULT[fault_of_code(code)]
    return SendError(FailureClass.TRANSIENT if kind is FailureClass.AMBIGUOUS else kind, code)
