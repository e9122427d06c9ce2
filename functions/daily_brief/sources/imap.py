"""The mailbox port over IMAP: the inbox's unanswered mail, peeked at, never marked as read."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from imaplib import IMAP4
from typing import TYPE_CHECKING

from daily_brief.sources.mail import MailSource
from onthoud.errors import NotFound, OnthoudError, RetryableError
from onthoud.memory.alerts.model import Reading
from onthoud.ports.mailbox import StoredMail
from onthoud.ports.source import Harvest

if TYPE_CHECKING:
    from imap_tools import BaseMailBox

_FAULTS = (IMAP4.error, OSError, TimeoutError)


@dataclass(slots=True)
class ImapMailbox:
    """One folder of an account.

    What is answered, or was deleted or moved to an archive, is no longer listed, and so is over for the alert log.
    UIDs are used within one session only; an alert's identity is the message's own, so a server that renumbers its
    folder (another UIDVALIDITY) repeats nothing.
    """

    host: str
    user: str
    password: str
    folder: str = "INBOX"
    port: int = 993
    timeout_s: float = 15.0
    tls: ssl.SSLContext | None = None
    _box: BaseMailBox | None = None

    def list(self, since: datetime) -> Iterator[StoredMail]:
        """List messages; see the port."""
        from imap_tools import AND, ImapToolsError

        try:
            box = self._connected()
            wanted = AND(answered=False, deleted=False, date_gte=since.date())
            for message in box.fetch(wanted, mark_seen=False, headers_only=True, bulk=100):
                if message.uid:
                    yield StoredMail(message.uid, message.size_rfc822, None)
        except (*_FAULTS, ImapToolsError) as error:
            raise RetryableError(type(error).__name__) from None

    def head(self, message: StoredMail, most: int) -> bytes:
        """Read the beginning of a message; see the port."""
        try:
            # PEEK leaves \\Seen alone, and the part in angle brackets bounds what is sent.
            _, answer = self._connected().client.uid("FETCH", message.id, f"(BODY.PEEK[]<0.{most}>)")
        except _FAULTS as error:
            raise RetryableError(type(error).__name__) from None
        for part in answer or ():
            if isinstance(part, tuple) and isinstance(part[1], bytes):
                return part[1]
        raise NotFound("the message has gone")

    def close(self) -> None:
        """Leave the server."""
        if self._box is not None:
            try:
                self._box.logout()
            except _FAULTS:
                pass
            finally:
                self._box = None

    def _connected(self) -> BaseMailBox:
        if self._box is None:
            from imap_tools import MailBox

            context = self.tls or ssl.create_default_context()
            self._box = MailBox(self.host, self.port, timeout=self.timeout_s, ssl_context=context)
            try:
                self._box.login(self.user, self.password, initial_folder=None)
                self._box.folder.set(self.folder, readonly=True)
            except Exception:  # whatever it was, the connection is not left open
                self.close()
                raise
        return self._box


@dataclass(frozen=True, slots=True)
class ImapSource:
    """The mails of an inbox; one session per reading. `password` is read anew each time."""

    host: str
    user: str
    password: Callable[[], str]
    folder: str = "INBOX"
    port: int = 993
    name: str = "mail"
    tls: ssl.SSLContext | None = None

    def read(self, now: datetime) -> Harvest:
        """Read the inbox; see the port."""
        try:
            password = self.password()
        except OnthoudError as error:
            return Harvest(Reading(self.name, now, False, (), str(error)))
        mailbox = ImapMailbox(self.host, self.user, password, self.folder, self.port, tls=self.tls)
        try:
            return MailSource(mailbox, self.name, windowed=True).read(now)
        finally:
            mailbox.close()
