"""The web port on urllib3, which botocore brings along."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from onthoud.errors import PermanentError, RetryableError
from onthoud.ports.web import Page

if TYPE_CHECKING:
    import urllib3

CONNECT_TIMEOUT_S = 3.0
MAX_BYTES = 10 * 1024 * 1024
MAX_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class HttpWeb:
    """Reads pages over HTTPS, and over plain HTTP from this machine's own loopback."""

    def __init__(self, *, timeout_s: float = 10.0, max_bytes: int = MAX_BYTES) -> None:
        self._timeout_s, self._max_bytes = timeout_s, max_bytes
        self._pool: urllib3.PoolManager | None = None

    def get(self, url: str, *, headers: Mapping[str, str] | None = None) -> Page:
        """Read a page; see the port. The headers are not sent on to another host."""
        sent = dict(headers or {})
        for _ in range(MAX_REDIRECTS + 1):
            _check(url)
            status, page, location = self._once(url, sent)
            if status == 200:
                return page
            if status not in _REDIRECTS or not location:
                raise RetryableError(f"status {status}")
            target = urljoin(url, location)
            if urlsplit(target).netloc != urlsplit(url).netloc:
                sent = {}
            url = target
        raise RetryableError("too many redirects")

    def _once(self, url: str, headers: Mapping[str, str]) -> tuple[int, Page, str]:
        import urllib3

        if self._pool is None:
            self._pool = urllib3.PoolManager(num_pools=4, maxsize=2)
        timeout = urllib3.Timeout(connect=CONNECT_TIMEOUT_S, read=self._timeout_s)
        try:
            answer = self._pool.request(
                "GET", url, headers=headers, timeout=timeout, retries=False, redirect=False, preload_content=False
            )
            # An answer shorter than it says raises here: half a feed is never passed off as the whole.
            body = answer.read(self._max_bytes + 1)
            answer.release_conn()
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise RetryableError(type(error).__name__) from None
        if len(body) > self._max_bytes:
            answer.close()
            raise PermanentError(f"the answer is larger than {self._max_bytes} bytes")
        found = {name.lower(): value for name, value in answer.headers.items()}
        return answer.status, Page(body, found.get("content-type", ""), found), found.get("location", "")


def _check(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme == "http" and _is_loopback(parts.hostname or ""):
        return
    raise PermanentError("the address of a source must begin with https://")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
