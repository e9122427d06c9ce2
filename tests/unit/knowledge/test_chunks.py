from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from onthoud.memory.knowledge.chunks import MAX_CHARACTERS, Document, Section, cut

text = st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=4000)


def document(*sections: tuple[str, str]) -> Document:
    return Document("Title", tuple(Section((name,), (words,)) for name, words in sections))


def test_a_chunk_never_spans_two_sections_and_knows_its_headings() -> None:
    chunks = cut("k", Document("Handbook", (Section(("A", "B"), ("one", "two")), Section(("C",), ("three",)))))
    assert [(chunk.section, chunk.text) for chunk in chunks] == [("A › B", "one\n\ntwo"), ("C", "three")]
    assert chunks[0].embedded_text("Handbook") == "Handbook › A › B\n\none\n\ntwo"


def test_a_long_section_is_cut_between_blocks_then_sentences_then_words() -> None:
    block = " ".join(f"Sentence number {n} stands here." for n in range(100))
    chunks = cut("k", Document("T", (Section(("A",), ("first", block, "x" * 3000)),)))
    assert all(len(chunk.text) <= MAX_CHARACTERS for chunk in chunks)
    assert all(chunk.text.endswith((".", "x", "first")) for chunk in chunks)
    assert sum(chunk.text.count("Sentence") for chunk in chunks) == 100


@given(st.lists(st.tuples(text, text), max_size=5))
def test_nothing_is_lost_and_nothing_is_too_long_and_ids_are_unique(sections: list[tuple[str, str]]) -> None:
    chunks = cut("k", document(*sections))
    assert all(0 < len(chunk.text) <= MAX_CHARACTERS for chunk in chunks)
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    kept = "".join("".join(chunk.text.split()) for chunk in chunks)
    assert kept == "".join("".join(words.split()) for _, words in sections)


def test_the_same_document_is_always_cut_the_same_and_another_key_gives_other_ids() -> None:
    made = document(("A", "one"), ("A", "one"), ("B", "two"))
    assert cut("k", made) == cut("k", made)
    assert not {chunk.id for chunk in cut("k", made)} & {chunk.id for chunk in cut("other", made)}


def test_a_new_title_gives_new_chunks_since_it_is_embedded_with_them() -> None:
    first, second = Document("One", (Section((), ("x",)),)), Document("Two", (Section((), ("x",)),))
    assert cut("k", first)[0].id != cut("k", second)[0].id
