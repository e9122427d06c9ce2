from __future__ import annotations

from dataclasses import replace

import pytest

from onthoud.errors import RetryableError
from onthoud.memory.knowledge.keeper import Keeper
from onthoud.memory.knowledge.manifest import Manifests
from onthoud.memory.knowledge.records import Generation
from onthoud.memory.knowledge.search import Knowledge
from onthoud.memory.recall.question import Question
from onthoud.memory.recall.recall import Recall
from onthoud.scope import Space
from tests.fakes.knowledge import MODEL, Base

HANDBOOK = (
    "## Parking\nThere are forty parking spaces behind the building.\n\n"
    "## Lockers\nLockers take a one euro coin.\n\n## Shoes\nOnly clean soles are allowed inside."
)


@pytest.fixture
def base() -> Base:
    made = Base()
    made.bucket.documents["handbook.txt"] = HANDBOOK
    Keeper(made.sync()).reconcile()
    return made


def knowledge(base: Base) -> Knowledge:
    return Knowledge(base.manifests, base.vectors)


def test_a_question_finds_its_passage_with_document_and_section(base: Base) -> None:
    found = knowledge(base).search("Where are the parking spaces?")
    assert (found[0].document, found[0].section) == ("handbook.txt", "Parking")
    assert found[0].text == "There are forty parking spaces behind the building."
    assert found[0].memory_id.startswith("passage:handbook.txt#Parking:")


def test_what_has_nothing_to_do_with_it_finds_nothing(base: Base) -> None:
    answer = knowledge(base).answer("Quantum entanglement of photons")
    assert (answer.passages, answer.in_use) == ((), True)
    assert answer.nearest


def test_exact_words_are_enough_below_the_noise_floor(base: Base) -> None:
    state = base.manifests.state()
    base.manifests.set_state(replace(state, floor=0.9999))
    assert [one.section for one in knowledge(base).search("locker coin")] == ["Lockers"]
    assert knowledge(base).search("locker") == []


def test_a_base_that_was_never_used_says_so_and_asks_no_index() -> None:
    base = Base()
    assert not knowledge(base).answer("Parking?").in_use
    assert base.vectors.calls == 0


def test_a_search_costs_two_reads_and_one_round_trip_to_the_index(base: Base) -> None:
    base.table.calls.clear()
    knowledge(base).search("Where are the parking spaces?")
    assert base.table.calls == ["get_many", "get_many"]
    base.table.calls.clear()
    knowledge(base).answer("Where are the parking spaces?", state=base.manifests.state())
    assert len(base.table.calls) == 2  # one of them is this test's own


def test_a_hit_is_dropped_when_the_table_no_longer_has_it(base: Base) -> None:
    manifest = base.manifests.get("handbook.txt")
    assert manifest is not None
    base.manifests.delete_chunks("handbook.txt", manifest.ids)
    assert knowledge(base).search("Where are the parking spaces?") == []


def test_another_version_of_the_chunker_refuses(base: Base) -> None:
    base.manifests.set_state(replace(base.manifests.state(), generation=Generation(MODEL, chunker="0")))
    with pytest.raises(RetryableError, match="being built anew"):
        knowledge(base).search("Parking?")


def test_passages_keep_to_a_budget_but_the_best_is_always_there(base: Base) -> None:
    question = "parking spaces building locker coin soles inside"
    assert len(knowledge(base).search(question, budget=10_000)) == 3
    assert len(knowledge(base).search(question, budget=1)) == 1
    assert len(knowledge(base).search(question, most=2)) == 2


def test_two_tenants_and_two_contexts_share_nothing(base: Base) -> None:
    for space in (Space("club", "private"), Space("other", "work")):
        other = Knowledge(Manifests(base.table, space, base.clock), base.vectors)
        assert not other.answer("Where are the parking spaces?").in_use
        other.manifests.set_state(base.manifests.state())
        assert other.search("Where are the parking spaces?") == []


def test_the_knowledge_base_is_a_source_of_recall(base: Base) -> None:
    found = Recall([knowledge(base)], base.clock).search(Question("parking spaces"))
    assert found[0].memory.kind == "passage"
    assert "handbook.txt" in found[0].memory.source
    assert "Parking" in found[0].memory.source
