"""The knowledge base in a reply."""

from __future__ import annotations

import pytest

from onthoud.errors import RetryableError
from onthoud.memory.knowledge.keeper import Keeper
from onthoud.memory.knowledge.search import Knowledge
from onthoud.ports.table import Item, Key
from social_reply.library import NOTHING, Library, Looked
from tests.fakes.knowledge import Base

QUESTION = "How many parking spaces are there?"


@pytest.fixture
def base() -> Base:
    made = Base()
    made.bucket.documents["handbook.txt"] = "## Parking\nThere are forty parking spaces.\n\n## Pets\nNo dogs inside."
    Keeper(made.sync()).reconcile()
    return made


def look(base: Base, text: str, *, name: str | None = None) -> Looked:
    library = Library(Knowledge(base.manifests, base.vectors))
    items: dict[Key, Item] = base.table.get_many(library.keys)
    return library.look(text, items, name=name, budget=900)


def test_a_question_brings_its_passage_as_quoted_data_with_its_source(base: Base) -> None:
    looked = look(base, QUESTION)
    assert looked.labels["k1"].startswith("passage:handbook.txt#Parking:")
    assert looked.blocks[0].startswith('<passage id="k1" document="handbook.txt" section="Parking">')
    assert "forty parking spaces" in looked.material


def test_a_question_that_the_documents_do_not_answer_says_so(base: Base) -> None:
    looked = look(base, "Quantum entanglement of photons, how?")
    assert (looked.passages, looked.blocks) == ((), [NOTHING])


@pytest.mark.parametrize("text", ["Great club!", "👍👍", "", "Thanks Ana"])
def test_praise_and_thanks_ask_nothing_and_cost_nothing(base: Base, text: str) -> None:
    calls = base.vectors.calls
    assert look(base, text) == Looked()
    assert base.vectors.calls == calls


def test_without_a_question_nothing_found_is_not_told(base: Base) -> None:
    assert look(base, "Quantum entanglement of photons fascinates all of us").blocks == []


def test_without_a_knowledge_base_nothing_is_read() -> None:
    library = Library(None)
    assert library.keys == []
    assert library.look(QUESTION, {}, name=None, budget=900) == Looked()


def test_a_base_that_was_never_used_is_not_asked() -> None:
    base = Base()
    assert look(base, QUESTION) == Looked()
    assert base.vectors.calls == 0


def test_an_index_that_cannot_be_asked_delays_no_reply_and_claims_nothing(base: Base) -> None:
    def fail(operation: str, phase: str) -> None:
        if operation == "query-data":
            raise RetryableError("down")

    base.hook = fail
    assert look(base, QUESTION) == Looked()


@pytest.mark.parametrize(
    "text", ["waar kan ik parkeren", "hvor kan jeg parkere", "wo kann ich parken", "可以停车吗", "parking?"]
)
def test_questions_are_known_in_five_languages(base: Base, text: str) -> None:
    calls = base.vectors.calls
    look(base, text)
    assert base.vectors.calls > calls
