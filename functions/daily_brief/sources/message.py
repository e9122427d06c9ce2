"""One raw mail made readable, whatever its sender did to it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.header import decode_header
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime

from daily_brief.sources.html_text import visible_text

_FALLBACKS = ("utf-8", "cp1252")
_PREFIXES = re.compile(r"^(?:\s*(?:re|fwd?|aw|wg|antw|sv|vs|tr)\s*(?:\[\d+\])?\s*:)+", re.IGNORECASE)
EXCERPT = 600
"""Characters of the text that the brief's model is shown."""


@dataclass(frozen=True, slots=True)
class Mail:
    """What is known of a mail.

    Attributes:
        identity: hash over Message-ID, date, sender, subject and text: senders reuse Message-IDs.
        defects: why a part of it could not be read; empty where all could be.
        attachments: names and types; their content is never read.
    """

    identity: str
    subject: str
    sender_name: str
    sender_address: str
    sent_at: datetime | None
    excerpt: str
    defects: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """A name for mails that say the same: one sender, the subject without its numbers and reply prefixes."""
        words = re.sub(r"\d+", "#", _PREFIXES.sub("", self.subject)).casefold().split()
        raw = f"{self.sender_address.casefold()}|{' '.join(words)}"
        return hashlib.sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def read_mail(raw: bytes) -> Mail:
    """Read a raw message, or as much of it as was fetched. Never raises: what cannot be read is a defect."""
    defects: list[str] = []
    message = message_from_bytes(raw)
    subject = _header(message, "Subject")
    name, address = parseaddr(_header(message, "From"))
    text, attachments = _content(message, defects)
    if not any(_header(message, name) for name in ("From", "Subject", "Date", "Message-ID")):
        defects.append("no headers")
    facts = [_header(message, "Message-ID"), _header(message, "Date"), address.casefold(), subject]
    body = raw.partition(b"\r\n\r\n")[2] or raw.partition(b"\n\n")[2]
    digest = hashlib.sha256("\x00".join(facts).encode("utf-8", "surrogatepass") + b"\x00" + body.strip())
    return Mail(
        identity=digest.hexdigest()[:24],
        subject=" ".join(subject.split())[:200],
        sender_name=" ".join(name.split())[:100],
        sender_address=address[:200],
        sent_at=_date(_header(message, "Date")),
        excerpt=_fresh(text)[:EXCERPT],
        defects=tuple(dict.fromkeys(defects)),
        attachments=tuple(attachments[:20]),
    )


def _header(message: Message, name: str) -> str:
    try:
        raw = message.get(name, "")
        parts = decode_header(str(raw))
    except Exception:  # the header parser has its own ways to fail on hostile input
        return ""
    return "".join(_part(value, charset) for value, charset in parts).strip()


def _part(value: str | bytes, charset: str | None) -> str:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return decoded(value, charset, [])


def decoded(raw: bytes, charset: str | None, defects: list[str]) -> str:
    """Decode with the declared charset, and where that is none, unknown or wrong, with a likely one."""
    if charset:
        try:
            return raw.decode(charset)
        except UnicodeError:
            pass  # the label is wrong: readable all the same
        except (LookupError, ValueError):
            defects.append("unknown charset")
    for likely in _FALLBACKS:
        try:
            return raw.decode(likely)
        except UnicodeDecodeError:
            continue
    return raw.decode("utf-8", "replace")


def _content(message: Message, defects: list[str]) -> tuple[str, list[str]]:
    plain, html, attachments = "", "", []
    for part in message.walk():
        if part.is_multipart():
            continue
        kind = part.get_content_type()
        if part.get_content_disposition() == "attachment" or not kind.startswith("text/"):
            attachments.append(f"{_file_name(part)} ({kind})")
            continue
        if kind == "text/html" and not html:
            html = _payload(part, defects)
        elif kind != "text/html" and not plain:
            plain = _payload(part, defects)
    return (plain if plain.strip() else visible_text(html)), attachments


def _file_name(part: Message) -> str:
    try:
        name = part.get_filename()
    except Exception:  # an RFC 2231 name in a charset that does not exist
        name = None
    return " ".join((name or "unnamed").split())[:100]


def _payload(part: Message, defects: list[str]) -> str:
    try:
        raw = part.get_payload(decode=True)
        charset = part.get_param("charset", "")
    except Exception:  # an encoding that does not exist
        defects.append("unknown encoding")
        return ""
    name = charset[2] if isinstance(charset, tuple) else charset
    return decoded(raw, str(name or "").strip(" '\"") or None, defects) if isinstance(raw, bytes) else ""


def _fresh(text: str) -> str:
    """The sender's own words: quoted lines and what follows a signature mark are left out."""
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.rstrip() == "--":
            break
        if not line.lstrip().startswith(">"):
            lines.append(" ".join(line.split()))
    return re.sub(r"\n{2,}", "\n", "\n".join(lines)).strip()


def _date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
