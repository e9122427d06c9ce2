"""Names of customers and threads: what is printed can be typed, and no two mean the same."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthoud.delivery.threads import thread_id, thread_named
from onthoud.errors import PermanentError
from onthoud.scope import Scope, Space

SPACE = Space("main", "default")
ids = st.text(
    st.one_of(st.sampled_from("/%#:% \t\n\x1b2Fa.é\u202e"), st.characters(exclude_categories=["Cs"])), min_size=1
)


@given(ids, ids, ids)
def test_a_customers_name_leads_back_to_the_customer(channel: str, account: str, customer: str) -> None:
    scope = Scope(SPACE, channel, account, customer)
    assert Scope.named(SPACE, scope.name) == scope
    assert scope.name.count("/") == 2
    assert all(letter.isprintable() and not letter.isspace() for letter in scope.name)


@given(ids, ids, ids)
def test_what_stands_in_an_address_is_a_name_too(channel: str, account: str, customer: str) -> None:
    address = "/".join(quote(part, safe="") for part in (channel, account, customer))
    assert Scope.named(SPACE, address) == Scope(SPACE, channel, account, customer)


@given(st.lists(ids, min_size=4, max_size=4))
def test_a_threads_name_leads_back_to_the_thread(parts: list[str]) -> None:
    name = "/".join(quote(part, safe="") for part in parts)
    partition = thread_named(SPACE, name)
    assert thread_named(SPACE, thread_id(partition)) == partition


def test_names_stay_readable() -> None:
    assert Scope(SPACE, "instagram", "club", "ana-1").name == "instagram/club/ana-1"
    assert Scope(SPACE, "youtube", "UC_x", "@жанна").name == "youtube/UC_x/@жанна"
    assert Scope(SPACE, "email", "club", "a/b 100%").name == "email/club/a%2Fb%20100%25"


@pytest.mark.parametrize("name", ["", "a", "a/b", "a/b/c/d", "a//c", "/b/c", "a/b/", "a/b/100%", "a/b/%zz", "a/b/%ff"])
def test_what_is_no_customers_name_is_refused(name: str) -> None:
    with pytest.raises(PermanentError, match="CHANNEL/ACCOUNT/ID"):
        Scope.named(SPACE, name)
