"""Fakes for the sources' ports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from onthoud.errors import RetryableError
from onthoud.ports.mailbox import StoredMail
from onthoud.ports.web import Page


@dataclass
class FixedWeb:
    """Answers each address with what is laid down for it: bytes, or an error to raise."""

    pages: Mapping[str, bytes | Exception]
    asked: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)

    def get(self, url: str, *, headers: Mapping[str, str] | None = None) -> Page:
        self.asked.append((url, dict(headers or {})))
        answer = self.pages.get(url, RetryableError("status 404"))
        if isinstance(answer, Exception):
            raise answer
        return Page(answer)


@dataclass
class HeapOfMail:
    """A mailbox of raw messages; `fails` says for which ids, or for the listing, an error comes."""

    messages: Mapping[str, bytes]
    fails: Callable[[str], Exception | None] = lambda name: None
    read: list[str] = field(default_factory=list)

    def list(self, since: datetime) -> Iterator[StoredMail]:
        if (error := self.fails("list")) is not None:
            raise error
        for name, raw in self.messages.items():
            yield StoredMail(name, len(raw), since)

    def head(self, message: StoredMail, most: int) -> bytes:
        self.read.append(message.id)
        if (error := self.fails(message.id)) is not None:
            raise error
        return self.messages[message.id][:most]


def calendar(*events: str, extra: str = "") -> bytes:
    blocks = "".join(f"BEGIN:VEVENT\n{event.strip()}\nEND:VEVENT\n" for event in events)
    return f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//test//EN\n{extra}{blocks}END:VCALENDAR\n".replace(
        "\n", "\r\n"
    ).encode()
