from __future__ import annotations

import pytest

from onthoud.memory.recall.lexical import bm25
from onthoud.memory.recall.question import Question, speaks_of_time, without_names
from onthoud.memory.recall.terms import terms


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("What did Caroline buy?", "What did buy?"),
        ("When is Caroline's birthday?", "When is birthday?"),
        ("Does caroline like carolinean music?", "Does like carolinean music?"),
        ("Ana-Maria and Ana", "and"),
        ("Ana’s bike", "bike"),
    ],
)
def test_names_and_their_possessives_are_taken_out(text: str, bare: str) -> None:
    assert without_names(text, {"Caroline", "Ana", "Ana-Maria"}) == bare


def test_a_question_of_nothing_but_a_name_stays_whole() -> None:
    assert Question("Ana?", frozenset({"Ana?"})).words == "Ana?"


def test_the_names_mentioned_are_known() -> None:
    assert Question("What did Ana tell Bo?", frozenset({"Ana", "Bo", "Cy"})).named == {"Ana", "Bo"}


@pytest.mark.parametrize(
    "text", ["When did we meet?", "Wanneer komen jullie?", "Hvornår åbner I?", "Wann öffnet ihr?", "什么时候开门？"]
)
def test_a_question_for_a_time_is_known_in_five_languages(text: str) -> None:
    assert Question(text).asks_when


@pytest.mark.parametrize("text", ["last week", "vorige maand", "sidste uge i går", "vor drei Tagen", "昨天", "in 2023"])
def test_what_speaks_of_a_time_is_known(text: str) -> None:
    assert speaks_of_time(text)
    assert not speaks_of_time("The court is green.")


def test_words_are_stemmed_by_language_and_function_words_left_out() -> None:
    assert terms("The courts' lights were booked", "en") == ["court", "light", "book"]
    assert terms("Die Plätze und die Lichter", "de") == ["platz", "licht"]
    assert terms("De banen en de lampen", "nl") == terms("baan lamp", "nl") or terms("De lampen", "nl") == ["lamp"]
    assert terms("unknown tongue", "xx") == ["unknown", "tongue"]


def test_chinese_is_cut_into_pairs_also_beside_latin_letters() -> None:
    assert terms("球场灯") == ["球场", "场灯"]
    assert terms("A4球场") == ["a4", "球场"]
    assert terms("灯") == ["灯"]


def test_rare_words_count_more_and_texts_without_a_shared_word_are_absent() -> None:
    texts = {"a": "court lights", "b": "court rental", "c": "court hours", "d": "parking"}
    scores = bm25("court lights", texts)
    assert max(scores, key=lambda name: scores[name]) == "a"
    assert "d" not in scores
    assert bm25("x", {}) == {}
