"""One customer's words never appear in another's prompt, whatever their ids look like."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from onthoud import keys
from onthoud.scope import Scope, Space
from tests.fakes.world import World, comment
from tests.faults.fifo import Fifo

NASTY = st.text(alphabet=st.sampled_from("aAаáä#:/._%*2350|\\\u200b\u0301\u202e🔥-"), min_size=1, max_size=12)
IDS = st.one_of(
    NASTY, st.sampled_from(["acme", "acme-corp", "john-doe", "john_doe", "a#b", "a%23b", "a", "ａ", "Å", "Å"])
)


@given(first=IDS, second=IDS)
def test_keys_are_injective(first: str, second: str) -> None:
    assert (keys.join("k", first) == keys.join("k", second)) == (first == second)
    assert keys.split(keys.join("k", first, second)) == ["k", first, second]


@given(ids=st.lists(st.tuples(IDS, IDS, IDS), min_size=2, max_size=2, unique=True))
def test_no_partition_is_a_prefix_of_another(ids: list[tuple[str, str, str]]) -> None:
    one, two = (Scope(Space("t", "c"), *parts).partition for parts in ids)
    assert one != two
    assert Scope.of_partition(one) == Scope(Space("t", "c"), *ids[0])


@given(
    people=st.lists(
        st.tuples(st.sampled_from(["instagram", "youtube", "in#sta"]), IDS, IDS), min_size=2, max_size=4, unique=True
    )
)
def test_a_secret_never_reaches_another_customers_prompt(people: list[tuple[str, str, str]]) -> None:
    world = World()
    queue = Fifo(world)
    for turn in range(2):
        for number, (channel, account, author) in enumerate(people):
            queue.send(
                [
                    comment(
                        f"c-{number}-{turn}",
                        f"my secret is S{number}X",
                        channel=channel,
                        account_id=account,
                        author={"id": author, "name": f"N{number}X", "is_self": False},
                        thread={"post_id": f"p-{number}", "parent_id": None},
                    )
                ]
            )
    queue.work_off()
    for request in world.model.requests:
        shown = " ".join(message.text for message in request.messages)
        assert sum(f"S{number}X" in shown for number in range(len(people))) == 1
        assert sum(f"N{number}X" in shown for number in range(len(people))) == 1
