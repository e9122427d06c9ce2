"""The brief's mail source against a real IMAP server."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from daily_brief.sources.imap import ImapMailbox, ImapSource
from onthoud.errors import NotFound, RetryableError
from onthoud.memory.alerts.model import Observation, Reading
from onthoud.ports.mailbox import StoredMail
from tests.integration.dovecot import PASSWORD, USER, Server, dovecot
from tests.unit.brief.test_mail import raw

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with dovecot() as server:
        yield server


@pytest.fixture
def server(running: Server) -> Server:
    running.empty()
    return running


def source(server: Server, password: str = PASSWORD, folder: str = "INBOX") -> ImapSource:
    return ImapSource("localhost", USER, lambda: password, folder, server.port, tls=server.context)


def read(server: Server) -> Reading:
    return source(server).read(datetime.now(UTC)).reading


def shown(server: Server) -> list[Observation]:
    reading = read(server)
    assert reading.complete, reading.error
    return list(reading.observations)


def test_one_bad_mail_is_one_line_nine_others_are_read_and_none_is_marked(server: Server) -> None:
    good = [raw(f"Good {letter}", message_id=f"<{letter}@example.com>") for letter in "abcdefghi"]
    bad = raw("Bad", message_id="<bad@example.com>", content_type='text/plain; charset="x-no-such-charset"')
    server.put(*good[:4], bad, *good[4:])
    found = shown(server)
    assert sorted(one.title for one in found if one.kind == "message") == [f"Good {letter}" for letter in "abcdefghi"]
    assert [one.title for one in found if one.kind == "unreadable"] == ["Bad"]
    flags = server.flags()
    assert len(flags) == 10
    assert not any("Seen" in line for line in flags)


def test_reading_again_gives_the_same_keys(server: Server) -> None:
    server.put(raw("One", message_id=""), raw("Two", message_id=""))
    assert [one.key for one in shown(server)] == [one.key for one in shown(server)]


def test_a_renumbered_folder_repeats_nothing(server: Server) -> None:
    one, two = raw("One", "first"), raw("Two", "second")
    server.put(one, two)
    before = {one.key for one in shown(server)}
    server.empty()
    server.put(two, one)  # other UIDs, as after a change of UIDVALIDITY
    assert {one.key for one in shown(server)} == before


def test_what_is_answered_or_deleted_is_over(server: Server) -> None:
    server.put(*(raw(f"Mail {n}", f"body {n}") for n in range(3)))
    with server.client() as client:
        client.select("INBOX")
        client.store("1", "+FLAGS", "\\Answered")
        client.store("2", "+FLAGS", "\\Deleted")
    assert [one.title for one in shown(server)] == ["Mail 2"]


def test_a_mail_that_a_person_has_read_is_still_there(server: Server) -> None:
    server.put(raw("Read already"))
    with server.client() as client:
        client.select("INBOX")
        client.store("1", "+FLAGS", "\\Seen")
    assert [one.title for one in shown(server)] == ["Read already"]


def test_a_huge_mail_is_fetched_in_part(server: Server) -> None:
    server.put(raw("Huge", b"x" * 3_000_000))
    [one] = shown(server)
    assert (one.title, one.data["cut"]) == ("Huge", True)


def test_an_empty_inbox_is_a_complete_reading(server: Server) -> None:
    assert shown(server) == []


@pytest.mark.parametrize("what", ["password", "folder", "port", "certificate"])
def test_a_mailbox_that_cannot_be_opened_is_a_failed_reading(server: Server, what: str) -> None:
    wrong = {
        "password": source(server, password="wrong"),
        "folder": source(server, folder="No such folder"),
        "port": ImapSource("localhost", USER, lambda: PASSWORD, port=1, tls=server.context),
        "certificate": ImapSource("localhost", USER, lambda: PASSWORD, port=server.port),
    }[what]
    reading = wrong.read(datetime.now(UTC)).reading
    assert (reading.complete, reading.observations) == (False, ())
    assert reading.error
    assert PASSWORD not in reading.error


def test_a_password_that_cannot_be_read_is_a_failed_reading(server: Server) -> None:
    def broken() -> str:
        raise RetryableError("the parameter store is throttled")

    reading = (
        ImapSource("localhost", USER, broken, port=server.port, tls=server.context).read(datetime.now(UTC)).reading
    )
    assert not reading.complete


def test_a_message_that_went_meanwhile_is_not_found(server: Server) -> None:
    mailbox = ImapMailbox("localhost", USER, PASSWORD, port=server.port, tls=server.context)
    with pytest.raises(NotFound):
        mailbox.head(StoredMail("99999", 10, None), 100)
    mailbox.close()
