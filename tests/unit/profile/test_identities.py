"""Identity links: only where somebody said so, with provenance, undoable, gone with either end."""

from __future__ import annotations

import pytest

from onthoud.errors import PermanentError
from onthoud.memory.identities import MAX_LINKS, Identities
from onthoud.privacy.erasure import erase
from onthoud.privacy.registry import Estate
from onthoud.scope import Scope, Space
from onthoud.stores import REGISTRY
from tests.fakes.memory_table import MemoryTable
from tests.fakes.world import TestClock, World
from tests.unit.cli.operator import Operator

SPACE = Space("main", "default")
ANA = Scope(SPACE, "instagram", "club", "ana-1")
MAIL = Scope(SPACE, "email", "club", "ana@example.com")
PHONE = Scope(SPACE, "whatsapp", "club", "316")


def identities(table: MemoryTable | None = None) -> Identities:
    return Identities(table or MemoryTable(), TestClock())


def test_a_link_is_seen_from_both_ends_with_its_provenance() -> None:
    links = identities()
    links.link(ANA, MAIL, by="eva", reason="told at the desk")
    assert [(one.other, one.by, one.reason, one.at[:10]) for one in links.links(ANA)] == [
        (MAIL, "eva", "told at the desk", "2026-11-30")
    ]
    assert [one.other for one in links.links(MAIL)] == [ANA]


def test_a_person_has_all_identities_that_are_linked_across_steps() -> None:
    links = identities()
    links.link(ANA, MAIL, by="eva", reason="x")
    links.link(MAIL, PHONE, by="eva", reason="x")
    assert set(links.person(PHONE)) == {ANA, MAIL, PHONE}
    assert links.person(PHONE)[0] == PHONE


def test_saying_it_again_keeps_the_first_provenance() -> None:
    links = identities()
    links.link(ANA, MAIL, by="eva", reason="first")
    links.link(MAIL, ANA, by="bob", reason="second")
    assert [one.by for one in links.links(ANA)] == ["eva"]


def test_a_link_can_be_undone_from_either_end_and_leaves_nothing() -> None:
    table = MemoryTable()
    links = identities(table)
    links.link(ANA, MAIL, by="eva", reason="x")
    links.link(ANA, PHONE, by="eva", reason="x")
    assert links.unlink(MAIL, ANA) and not links.unlink(MAIL, ANA)
    assert [one.other for one in links.links(ANA)] == [PHONE]
    assert links.unlink(ANA, PHONE)
    assert table.all_items() == []


@pytest.mark.parametrize(
    ("other", "why"),
    [(ANA, "itself"), (Scope(Space("main", "personal"), "email", "club", "x"), "contexts")],
)
def test_links_that_cannot_be_are_refused(other: Scope, why: str) -> None:
    with pytest.raises(PermanentError, match=why):
        identities().link(ANA, other, by="eva", reason="x")


def test_an_identity_has_a_bounded_number_of_links() -> None:
    links = identities()
    for number in range(MAX_LINKS):
        links.link(ANA, Scope(SPACE, "email", "club", f"m-{number}"), by="eva", reason="x")
    with pytest.raises(PermanentError, match="links already"):
        links.link(ANA, MAIL, by="eva", reason="x")


@pytest.mark.parametrize("gone", [ANA, MAIL])
def test_erasing_either_end_takes_the_link_from_both(gone: Scope) -> None:
    table = MemoryTable()
    links = identities(table)
    links.link(ANA, MAIL, by="eva", reason="x")
    receipt = erase(Estate(table, TestClock(), SPACE), REGISTRY, gone)
    assert receipt.counts["identities"] == 2
    assert links.links(ANA) == () and links.links(MAIL) == ()
    assert [item["kind"] for item in table.all_items()] == ["head"]


def test_two_links_made_at_once_both_stay() -> None:
    table = MemoryTable()
    begun: list[int] = []

    def other_first(operation: str, phase: str) -> None:
        if operation == "transact" and phase == "before" and not begun:
            begun.append(1)
            identities(table).link(ANA, PHONE, by="eva", reason="x")

    table.hook = other_first
    identities(table).link(ANA, MAIL, by="eva", reason="x")
    assert {one.other for one in identities(table).links(ANA)} == {MAIL, PHONE}


def test_the_command_line_links_shows_and_unlinks() -> None:
    operator = Operator(World())
    operator.run("identities", "link", "instagram/club/ana%2F1", "email/club/ana", "--by", "eva", "--reason", "desk")
    assert operator.json("identities", "show", "email/club/ana")[0]["other"] == "instagram/club/ana%2F1"
    assert "two persons again" in operator.run("identities", "unlink", "email/club/ana", "instagram/club/ana%2F1")
    assert "were not linked" in operator.run("identities", "unlink", "email/club/ana", "instagram/club/ana%2F1")
    operator.run("identities", "link", "email/club", "email/club/ana", code=2)
