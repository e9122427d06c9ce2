"""The channel port over a Slack incoming webhook.

Slack refuses a whole message for one section that is too long, so the text is cut into sections and messages first. A
webhook can be asked nothing and knows no idempotency keys: an outcome that is unknown stays unknown.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from onthoud.adapters.retry_after import retry_after_s
from onthoud.errors import NotFound, RetryableError
from onthoud.ports.channel import FailureClass, Outgoing, Receipt, SendError
from onthoud.ports.secrets import Secrets
from onthoud.text.brief_markup import to_slack

if TYPE_CHECKING:
    import urllib3

SECTION_CHARS = 3000
BLOCKS = 50
"""Slack's limits: characters of a section's text, blocks of a message (api.slack.com, block kit reference)."""
FALLBACK_CHARS = 300
CONNECT_TIMEOUT_S = 3.0
_GONE = frozenset({404, 410})


def sections(text: str) -> list[str]:
    """Return the text as Slack sections, cut between lines; a line longer than a section is cut within."""
    found: list[str] = []
    for line in to_slack(text):
        pieces = [line[start : start + SECTION_CHARS] for start in range(0, len(line), SECTION_CHARS)] or [""]
        for piece in pieces:
            if found and len(found[-1]) + 1 + len(piece) <= SECTION_CHARS:
                found[-1] += "\n" + piece
            else:
                found.append(piece)
    return found


def split_for_slack(text: str) -> tuple[str, ...]:
    """Return the text in parts that each fit into one message, cut between lines; nearly always one."""
    parts: list[list[str]] = [[]]
    blocks = room = 0
    for line in text.split("\n"):
        length = sum(len(shown) + 1 for shown in to_slack(line))
        if length > room:
            more = -(-length // SECTION_CHARS)
            if parts[-1] and blocks + more > BLOCKS:
                parts.append([])
                blocks = 0
            blocks += more
            room = more * SECTION_CHARS
        parts[-1].append(line)
        room -= length
    return tuple("\n".join(part) for part in parts)


class SlackChannel:
    """Posts to one incoming webhook, whose address is the secret."""

    can_read_back = False
    is_idempotent = False

    def __init__(self, secrets: Secrets, url_parameter: str, *, pool: urllib3.PoolManager | None = None) -> None:
        self._secrets, self._parameter, self._pool = secrets, url_parameter, pool

    def send(self, message: Outgoing, *, timeout_s: float) -> Receipt:
        """Post once; see the port."""
        import urllib3

        blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": part}} for part in sections(message.text)]
        body = {"text": message.text[:FALLBACK_CHARS], "blocks": blocks[:BLOCKS], "unfurl_links": False}
        connect_s = min(CONNECT_TIMEOUT_S, timeout_s / 3)
        if self._pool is None:
            self._pool = urllib3.PoolManager(num_pools=1)
        try:
            answer = self._pool.request(
                "POST",
                self._url(),
                body=json.dumps(body).encode(),
                headers={"Content-Type": "application/json"},
                timeout=urllib3.Timeout(connect=connect_s, read=timeout_s - connect_s),
                retries=False,
                redirect=False,
            )
        except (urllib3.exceptions.HTTPError, OSError) as error:
            never_left = isinstance(
                error, urllib3.exceptions.NewConnectionError | urllib3.exceptions.ConnectTimeoutError
            )
            kind = FailureClass.TRANSIENT if never_left else FailureClass.AMBIGUOUS
            raise SendError(kind, type(error).__name__) from None
        if answer.status == 200:
            return Receipt()
        raise SendError(_class_of(answer.status), str(answer.status), retry_after_s=retry_after_s(answer.headers))

    def find_own_reply(self, message: Outgoing, *, timeout_s: float) -> Receipt | None:
        """Refuse: a webhook cannot be asked."""
        del message, timeout_s
        raise SendError(FailureClass.POLICY, "a Slack webhook cannot be asked")

    def _url(self) -> str:
        try:
            return self._secrets.get(self._parameter)
        except (RetryableError, NotFound):
            raise SendError(FailureClass.TRANSIENT, "the webhook's address cannot be read") from None


def _class_of(status: int) -> FailureClass:
    if status == 429:
        return FailureClass.TRANSIENT
    if status in _GONE or status == 403:
        return FailureClass.AUTH  # no such hook, or it was switched off: the operator must act
    return FailureClass.AMBIGUOUS if status >= 500 or status == 408 else FailureClass.POLICY
