"""Mail, from whatever mailbox: each message an alert, and a message that cannot be read an alert of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from daily_brief.sources.message import Mail, read_mail
from onthoud.errors import NotFound, OnthoudError
from onthoud.memory.alerts.fingerprint import subject_of
from onthoud.memory.alerts.model import Observation, Reading
from onthoud.ports.mailbox import Mailbox, StoredMail
from onthoud.ports.source import Harvest

MAX_BYTES = 64 * 1024
"""How much of a message is fetched. Identity is taken over the same part, so a long mail keeps its own."""
WINDOW_DAYS = 30
"""As long as the bucket keeps a message, and as far back as an inbox is read. What leaves by age closes silently."""
GROUP_FROM = 10
"""So many mails of one sender that differ in numbers only are one outage, and one line."""
_MOST_FAILURES = 3


@dataclass(frozen=True, slots=True)
class MailSource:
    """The mails of the last 30 days.

    Attributes:
        windowed: the mailbox itself leaves out what is older (an inbox is searched by date). A bucket is cleared by its
            lifecycle rule instead, counted from a time that only S3 knows.
    """

    mailbox: Mailbox
    name: str = "mail"
    windowed: bool = False

    def read(self, now: datetime) -> Harvest:
        """Read the mailbox; see the port."""
        observations: dict[str, Observation] = {}
        failures: list[str] = []
        try:
            for stored in self.mailbox.list(now - timedelta(days=WINDOW_DAYS)):
                if len(failures) >= _MOST_FAILURES:
                    break
                found = self._one(stored, failures, now)
                if found is not None:
                    observations.setdefault(found.key, found)
        except OnthoudError as error:
            failures.append(str(error))
        reason = failures[0] if failures else ""
        return Harvest(Reading(self.name, now, not failures, _grouped(observations.values()), reason))

    def _one(self, stored: StoredMail, failures: list[str], now: datetime) -> Observation | None:
        try:
            raw = self.mailbox.head(stored, MAX_BYTES)
        except NotFound:
            return None
        except OnthoudError as error:
            failures.append(str(error))
            return None
        try:
            return self._observation(read_mail(raw), stored, now)
        except Exception:  # whatever a hostile message breaks, it is one line, never the run
            return self._unreadable(subject_of(stored.id), "", now)

    def _observation(self, mail: Mail, stored: StoredMail, now: datetime) -> Observation:
        if mail.defects:
            return self._unreadable(mail.identity, mail.subject, now, sender=mail.sender_name or mail.sender_address)
        arrived = mail.sent_at or stored.arrived_at or now
        return Observation(
            source=self.name,
            kind="message",
            subject=mail.identity,
            title=mail.subject or "(no subject)",
            material={"state": "received"},
            summary=mail.excerpt,
            group=f"{self.name}:{mail.family}",
            group_title=mail.subject or "(no subject)",
            data={
                "sender": mail.sender_name or mail.sender_address,
                "at": min(arrived, now).isoformat(),
                "attachments": len(mail.attachments),
                "cut": stored.size > MAX_BYTES,
            },
            ends_at=self._ends(arrived if self.windowed else now),
        )

    def _unreadable(self, subject: str, title: str, now: datetime, *, sender: str = "") -> Observation:
        return Observation(
            source=self.name,
            kind="unreadable",
            subject=subject,
            title=title or "a mail",
            material={"state": "unreadable"},
            data={"sender": sender},
            ends_at=self._ends(now),
        )

    @staticmethod
    def _ends(start: datetime) -> datetime:
        return start + timedelta(days=WINDOW_DAYS - 1)


def _grouped(observations: Iterable[Observation]) -> tuple[Observation, ...]:
    """Leave a group to those alone that are many."""
    found = list(observations)
    families = Counter(one.group for one in found)
    return tuple(one if families[one.group] >= GROUP_FROM else replace(one, group="", group_title="") for one in found)
