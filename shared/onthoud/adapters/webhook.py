"""The channel port over a signed HTTPS webhook; the protocol is described in the README.

Only urllib3 is needed, which botocore brings along.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from onthoud.adapters.retry_after import retry_after_s
from onthoud.clock import Clock, SystemClock, iso
from onthoud.errors import NotFound, PermanentError, RetryableError
from onthoud.ports.channel import FailureClass, Outgoing, Receipt, SendError
from onthoud.ports.secrets import Secrets

if TYPE_CHECKING:
    import urllib3

SIGNATURE_VERSION = "v1"
CONNECT_TIMEOUT_S = 3.0
MAX_ANSWER_BYTES = 65_536
MAX_IDLE_S = 5.0

_CANNOT_BE_ASKED = "501"
_HEADER_SAFE = "!#$&'()*+,/:;=?@[]^`{|}<> \"\\"
"""What may stand in a header as it is; all else, and the percent sign, is percent-encoded."""

_CLASS_OF_STATUS = {
    401: FailureClass.AUTH,
    404: FailureClass.GONE,
    408: FailureClass.AMBIGUOUS,
    410: FailureClass.GONE,
    425: FailureClass.TRANSIENT,
    429: FailureClass.TRANSIENT,
}
_DECLARABLE = {kind.value: kind for kind in FailureClass if kind is not FailureClass.AMBIGUOUS}


def sign(secret: str, timestamp: int, signed: bytes) -> str:
    """Return the value of `X-Onthoud-Signature` for a raw body, or for a raw query string."""
    digest = hmac.new(secret.encode(), f"{timestamp}.".encode() + signed, hashlib.sha256).hexdigest()
    return f"{SIGNATURE_VERSION}={digest}"


class WebhookChannel:
    """Sends messages to one address, and asks it for them after a lost answer."""

    def __init__(
        self,
        url: str,
        secrets: Secrets,
        secret_parameter: str,
        *,
        read_back: bool,
        idempotent: bool,
        clock: Clock | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Check the address; nothing is connected or read yet.

        Raises:
            PermanentError: the address is not HTTPS, and not on this machine's own loopback.
        """
        _check_address(url)
        self._url = url
        self._secrets = secrets
        self._secret_parameter = secret_parameter
        self._read_back = read_back
        self._idempotent = idempotent
        self._clock = clock or SystemClock()
        self._monotonic = monotonic
        self._pool: urllib3.PoolManager | None = None
        self._used_at = 0.0
        self._secret_is_doubtful = False

    @property
    def can_read_back(self) -> bool:
        """Whether the operator says that the far end can be asked for a message, and it has not said otherwise."""
        return self._read_back

    @property
    def is_idempotent(self) -> bool:
        """Whether the operator says that the far end knows idempotency keys."""
        return self._idempotent

    def send(self, message: Outgoing, *, timeout_s: float) -> Receipt:
        """Post the message once; see the port. A redirect is not followed: it could lead anywhere."""
        # A model may write half a surrogate pair, which no encoding holds: it becomes a question mark.
        text = json.dumps(self._body(message), ensure_ascii=False, separators=(",", ":"))
        body = text.encode("utf-8", "replace")
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "Idempotency-Key": quote(message.idempotency_key, safe=_HEADER_SAFE),
        }
        return Receipt(_platform_id(self._call("POST", self._url, body, headers, signed=body, timeout_s=timeout_s)))

    def find_own_reply(self, message: Outgoing, *, timeout_s: float) -> Receipt | None:
        """Ask whether the far end has the message; see the port."""
        if not self._read_back:
            raise SendError(FailureClass.POLICY, "read back is switched off")
        query = urlencode({"idempotency_key": message.idempotency_key, "in_reply_to": message.in_reply_to})
        joint = "&" if urlsplit(self._url).query else "?"
        url = f"{self._url}{joint}{query}"
        signed = urlsplit(url).query.encode()
        try:
            answer = self._call("GET", url, None, {}, signed=signed, timeout_s=timeout_s)
        except SendError as error:
            # Whatever the setting says, this far end cannot be asked: what follows is decided without it.
            self._read_back = error.code != _CANNOT_BE_ASKED
            raise _not_asked(error) from None
        found = answer.get("found") if isinstance(answer, Mapping) else None
        if not isinstance(found, bool):
            raise SendError(FailureClass.TRANSIENT, "read back: the answer does not say whether it was found")
        return Receipt(_platform_id(answer)) if found else None

    def _body(self, message: Outgoing) -> dict[str, Any]:
        return {
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

    def _call(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str], *, signed: bytes, timeout_s: float
    ) -> Any:
        """Do one request and return the JSON of its 2xx answer, None where that is no JSON."""
        import urllib3

        signature = self._signature(signed)
        try:
            response = self._connections().request(
                method,
                url,
                body=body,
                headers={**headers, **signature},
                timeout=urllib3.Timeout(total=timeout_s, connect=min(CONNECT_TIMEOUT_S, timeout_s)),
                retries=False,
                redirect=False,
                preload_content=False,
            )
            content = _content(response)
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise _not_answered(error) from None
        finally:
            self._used_at = self._monotonic()
        answer = _parsed(content)
        self._secret_is_doubtful = response.status == 401
        if not 200 <= response.status < 300:
            raise _refused(response.status, response.headers, answer)
        return answer

    def _signature(self, signed: bytes) -> dict[str, str]:
        try:
            secret = self._secrets.get(self._secret_parameter, fresh=self._secret_is_doubtful)
        except RetryableError as error:
            raise SendError(
                FailureClass.TRANSIENT, "the channel's secret cannot be read", retry_after_s=error.retry_after_s
            ) from None
        except NotFound:
            raise SendError(FailureClass.AUTH, f"there is no parameter {self._secret_parameter}") from None
        timestamp = int(self._clock.now().timestamp())
        return {
            "X-Onthoud-Timestamp": str(timestamp),
            "X-Onthoud-Signature": sign(secret, timestamp, signed),
        }

    def _connections(self) -> urllib3.PoolManager:
        """Return the pool, without connections that idled.

        Lambda may have frozen us meanwhile: a send on a connection that died has an unknown outcome, where a fresh
        connection would have a plain one.
        """
        import urllib3

        if self._pool is None:
            self._pool = urllib3.PoolManager(num_pools=1, maxsize=4)
        elif self._monotonic() - self._used_at > MAX_IDLE_S:
            self._pool.clear()
        return self._pool


def _content(response: urllib3.BaseHTTPResponse) -> bytes:
    content = response.read(MAX_ANSWER_BYTES + 1)
    if len(content) > MAX_ANSWER_BYTES:
        response.close()
    else:
        response.release_conn()
    return content


def _check_address(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme == "http" and parts.hostname and _is_loopback(parts.hostname):
        return
    raise PermanentError("the channel's address (parameter ChannelUrl) must begin with https://")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _not_answered(error: Exception) -> SendError:
    """Class a call without an answer: what surely never left may be sent again, all else is unknown."""
    import urllib3

    name = type(error).__name__
    if isinstance(error, urllib3.exceptions.SSLError) and "CERTIFICATE_VERIFY_FAILED" in str(error):
        return SendError(FailureClass.AUTH, "the far end's certificate is not trusted")
    never_left = (
        urllib3.exceptions.NewConnectionError,
        urllib3.exceptions.ConnectTimeoutError,
        urllib3.exceptions.NameResolutionError,
    )
    kind = FailureClass.TRANSIENT if isinstance(error, never_left) else FailureClass.AMBIGUOUS
    return SendError(kind, name)


def _refused(status: int, headers: Mapping[str, str], answer: Any) -> SendError:
    declared = answer.get("error_class") if isinstance(answer, Mapping) else None
    kind = _DECLARABLE.get(str(declared)) or _class_of(status)
    return SendError(kind, str(status), retry_after_s=retry_after_s(headers))


def _class_of(status: int) -> FailureClass:
    if status in _CLASS_OF_STATUS:
        return _CLASS_OF_STATUS[status]
    if 300 <= status < 400:
        return FailureClass.AUTH  # the address is wrong: the operator must act, and the message waits
    return FailureClass.POLICY if status < 500 else FailureClass.AMBIGUOUS


def _not_asked(error: SendError) -> SendError:
    """Class a failed question: asking changes nothing, so that its outcome is never in doubt."""
    if error.code == _CANNOT_BE_ASKED:
        return SendError(FailureClass.POLICY, error.code)
    kind = FailureClass.TRANSIENT if error.failure is FailureClass.AMBIGUOUS else error.failure
    return SendError(kind, error.code, retry_after_s=error.retry_after_s)


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def _platform_id(answer: Any) -> str:
    value = answer.get("id", "") if isinstance(answer, Mapping) else ""
    return str(value) if isinstance(value, str | int) else ""
