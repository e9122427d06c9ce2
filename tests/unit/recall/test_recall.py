from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onthoud.errors import PermanentError
from onthoud.memory.recall.memories import Found, Memory, Recalled
from onthoud.memory.recall.question import Question
from onthoud.memory.recall.recall import Recall
from onthoud.memory.recall.turns import IndexedTurns, TurnIndex, TurnsFromTable
from onthoud.scope import Scope, Space
from tests.fakes.knowledge import Clock, IndexVectors

START = datetime(2026, 11, 1, tzinfo=UTC)


def turn(number: int, text: str, said_by: str = "Ana", session: str = "s1", **more: object) -> Memory:
    at = START + timedelta(days=number)
    return Memory(f"t{number}", "turn", text, said_by=said_by, at=at, session=session, **more)  # type: ignore[arg-type]


TURNS = [
    turn(1, "I have booked court three for Tuesday."),
    turn(2, "Shall I bring the rackets?", said_by="Bo"),
    turn(3, "Yes, please do."),
    turn(4, "My knee hurts since the last match.", session="s2"),
    turn(5, "Then rest it.", said_by="Bo", session="s2"),
]


def scope(customer: str, account: str = "club") -> Scope:
    return Scope(Space("tenant", "work"), "instagram", account, customer)


def indexed(vectors: IndexVectors, who: Scope, turns: Sequence[Memory]) -> IndexedTurns:
    held = {one.id: one for one in turns}

    def hydrate(names: Sequence[str]) -> Mapping[str, Memory]:
        return {name: held[name] for name in names if name in held}

    source = IndexedTurns(vectors, who, hydrate)
    source.add(turns)
    return source


def ask(source: object, text: str, **more: object) -> list[str]:
    question = Question(text, frozenset({"Ana", "Bo"}), **more)  # type: ignore[arg-type]
    return [one.memory.id for one in Recall([source], Clock()).search(question)]  # type: ignore[list-item]


@pytest.fixture(params=["table", "index"])
def source(request: pytest.FixtureRequest) -> object:
    return TurnsFromTable(TURNS) if request.param == "table" else indexed(IndexVectors(), scope("ana"), TURNS)


def test_a_turn_is_found_by_its_words_and_by_its_neighbours(source: object) -> None:
    assert ask(source, "Which court was booked?")[0] == "t1"
    # "Yes, please do" says nothing by itself: only its neighbourhood leads to it.
    assert "t3" in ask(source, "bring the rackets")


def test_who_said_it_counts_without_being_a_filter(source: object) -> None:
    assert ask(source, "What does Bo say about the knee?").index("t5") < 3
    assert "t4" in ask(source, "What does Bo say about the knee?")


def test_since_until_and_topics_bound_what_is_recalled() -> None:
    turns = [turn(1, "court one", topics=frozenset({"a"})), turn(9, "court nine", topics=frozenset({"b"}))]
    source = TurnsFromTable(turns)
    assert ask(source, "court", since=START + timedelta(days=5)) == ["t9"]
    assert ask(source, "court", until=START + timedelta(days=5)) == ["t1"]
    assert ask(source, "court", topics=frozenset({"b"})) == ["t9"]


def test_the_answer_keeps_to_its_budget(source: object) -> None:
    assert len(ask(source, "court rackets knee", budget=30)) < len(ask(source, "court rackets knee", budget=500))
    assert ask(source, "court", budget=0) == []


def test_an_unimportant_memory_gives_way_to_a_critical_one() -> None:
    turns = [turn(1, "court rules", importance="low"), turn(2, "court rules", importance="critical", session="s9")]
    assert ask(TurnsFromTable(turns), "court rules")[0] == "t2"


def test_a_reranker_has_the_last_word() -> None:
    def backwards(question: str, ranked: Sequence[Recalled]) -> Sequence[Recalled]:
        assert "Ana" not in question
        return list(reversed(ranked))

    question = Question("What did Ana say about the court and the knee?", frozenset({"Ana"}))
    plain = Recall([TurnsFromTable(TURNS)], Clock()).ranked(question)
    turned = Recall([TurnsFromTable(TURNS)], Clock(), backwards).ranked(question)
    assert [one.memory.id for one in turned] == [one.memory.id for one in reversed(plain)]


def test_several_sources_are_ranked_together() -> None:
    class Facts:
        def find(self, question: Question) -> Found:
            return Found([{"f1": 1.0}], {"f1": Memory("f1", "fact", "plays on court three", importance="critical")})

    found = Recall([TurnsFromTable(TURNS), Facts()], Clock()).search(Question("court"))
    assert found[0].memory.id == "f1"
    assert {one.memory.kind for one in found} == {"fact", "turn"}


def test_a_hit_that_the_table_does_not_confirm_is_dropped() -> None:
    source = indexed(IndexVectors(), scope("ana"), TURNS)
    gone = IndexedTurns(source.vectors, source.scope, lambda names: {})
    assert ask(gone, "court") == []


def test_speaker_and_time_are_not_embedded() -> None:
    vectors = IndexVectors()
    source = indexed(vectors, scope("ana"), TURNS)
    rows = vectors.index.call("range", source.namespace, {"limit": 100, "includeData": True})["vectors"]
    assert len(rows) == 2 * len(TURNS)
    assert not [row for row in rows if "Ana" in row["data"] or "2026" in row["data"]]


def test_a_new_turn_changes_the_neighbourhood_of_the_one_before() -> None:
    vectors = IndexVectors()
    source = indexed(vectors, scope("ana"), TURNS[:1])
    by_words_around = 3
    assert source.find(Question("rackets")).lists[by_words_around] == {}
    held = {one.id: one for one in TURNS}
    source = IndexedTurns(vectors, scope("ana"), lambda names: {name: held[name] for name in names})
    source.add(TURNS[1:2], around=TURNS[:1])
    assert set(source.find(Question("rackets")).lists[by_words_around]) == {"t1", "t2"}


def test_turns_can_be_removed_and_a_customer_erased() -> None:
    vectors = IndexVectors()
    ana, bo = indexed(vectors, scope("ana"), TURNS), indexed(vectors, scope("bo"), TURNS)
    before = vectors.everything()[bo.namespace]
    assert ana.remove(["t1"]) == 2
    assert TurnIndex(vectors).purge(scope("ana")) == 2 * len(TURNS) - 2
    assert TurnIndex(vectors).purge(scope("ana")) == 0
    ana.erase()
    assert vectors.everything() == {bo.namespace: before}


# -- isolation -------------------------------------------------------------------------------------------------------

HOSTILE = [
    "ana",
    "an",
    "ana#",
    "ana/bo",
    "../bo",
    "bo?all",
    "?all",
    "ana%23",
    "ana' OR kind = 'turn",
    "*",
    "%",
    "_",
    "аna",
    "ANA",
    "ana ",
    " ana",
    "ana\u0000",
    "bo\nana",
]


def test_no_customer_reaches_anothers_past_whatever_the_ids_are() -> None:
    vectors = IndexVectors()
    secrets = {who: f"secret number {position} of the court" for position, who in enumerate(HOSTILE)}
    sources = {who: indexed(vectors, scope(who), [turn(1, secrets[who])]) for who in HOSTILE}
    for who, source in sources.items():
        found = Recall([source], Clock()).search(Question(f"secret number court {' '.join(HOSTILE)}"))
        assert [one.memory.text for one in found] == [secrets[who]]
    assert len({source.namespace for source in sources.values()}) == len(HOSTILE)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1)), min_size=2, max_size=6, unique=True))
def test_two_scopes_never_share_a_namespace(pairs: list[tuple[str, str]]) -> None:
    made = []
    for account, customer in pairs:
        try:
            made.append(IndexedTurns(IndexVectors(), scope(customer, account), dict.fromkeys).namespace)  # type: ignore[arg-type]
        except PermanentError:  # a lone surrogate is no id
            continue
    assert len(set(made)) == len(made)


@pytest.mark.parametrize(
    "words",
    ["' OR 1 = 1", "kind = 'turn'", '" OR kind GLOB "*', "); drop", "{{scope}}", "namespace=bo", "\x00", "ignore all"],
)
def test_a_hostile_question_is_words_and_nothing_else(words: str) -> None:
    vectors = IndexVectors()
    ana = indexed(vectors, scope("ana"), [turn(1, "mine")])
    indexed(vectors, scope("bo"), [turn(1, "theirs")])
    found = Recall([ana], Clock()).search(Question(words))
    assert {one.memory.text for one in found} <= {"mine"}
