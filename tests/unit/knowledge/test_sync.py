from __future__ import annotations

import random

import pytest

from onthoud.errors import RetryableError
from onthoud.memory.knowledge import reconcile
from onthoud.memory.knowledge.keeper import Keeper
from onthoud.memory.knowledge.reconcile import repair, settle_generation, survey
from onthoud.memory.knowledge.records import Generation
from onthoud.memory.knowledge.sync import Action, Synchroniser
from tests.fakes.knowledge import MODEL, SPACE, Base, Killed


@pytest.fixture
def base() -> Base:
    return Base()


def sections(*texts: str) -> str:
    return "\n\n".join(f"## Section {n}\n{text}" for n, text in enumerate(texts))


def run_all(sync: Synchroniser) -> int:
    """Synchronise what a survey names; return how many chunks were paid for."""
    plan = survey(sync)
    return sum(sync.document(key).embedded for key in (*plan.changed, *plan.missing))


def test_a_new_document_is_indexed_and_the_same_again_costs_nothing(base: Base) -> None:
    base.bucket.documents["a.txt"] = sections("one", "two", "three")
    assert base.sync().document("a.txt").embedded == 3
    base.check()
    calls = base.vectors.calls
    again = base.sync().document("a.txt")
    assert (again.action, again.embedded, base.vectors.calls) == (Action.UNCHANGED, 0, calls)


def test_a_changed_document_costs_its_changed_chunks_only(base: Base) -> None:
    base.bucket.documents["a.txt"] = sections("one", "two", "three")
    base.sync().document("a.txt")
    base.bucket.documents["a.txt"] = sections("one", "two, changed", "three")
    outcome = base.sync().document("a.txt")
    assert (outcome.embedded, outcome.removed, outcome.chunks) == (1, 1, 3)
    assert base.vectors.index.embedded == 4
    base.check()


def test_a_shorter_document_leaves_nothing_behind(base: Base) -> None:
    base.bucket.documents["a.txt"] = sections("one", "two", "three")
    base.sync().document("a.txt")
    base.bucket.documents["a.txt"] = sections("one")
    assert base.sync().document("a.txt").removed == 2
    base.check()


def test_a_moved_section_keeps_its_vectors(base: Base) -> None:
    base.bucket.documents["a.txt"] = "## A\none\n\n## B\ntwo"
    base.sync().document("a.txt")
    base.bucket.documents["a.txt"] = "## B\ntwo\n\n## A\none"
    assert base.sync().document("a.txt").embedded == 0
    base.check()


def test_the_same_words_in_two_documents_and_twice_in_one_are_all_kept(base: Base) -> None:
    base.bucket.documents.update({"a.txt": "## A\nsame\n\n## A\nsame", "b.txt": "## A\nsame"})
    run_all(base.sync())
    base.check()
    del base.bucket.documents["a.txt"]
    base.sync().document("a.txt")
    base.check()
    assert sum(len(ids) for ids in base.vectors.everything().values()) == 1


def test_a_deleted_document_leaves_nothing_and_its_event_may_come_twice(base: Base) -> None:
    base.bucket.documents["a.txt"] = sections("one", "two")
    base.sync().document("a.txt")
    del base.bucket.documents["a.txt"]
    assert base.sync().document("a.txt").action is Action.DELETED
    assert base.sync().document("a.txt").action is Action.UNCHANGED
    base.check()
    assert base.vectors.everything() == {}


def test_a_deletion_event_that_comes_after_the_document_came_back_deletes_nothing(base: Base) -> None:
    base.bucket.documents["a.txt"] = sections("one")
    base.sync().document("a.txt")
    assert base.sync().document("a.txt").action is Action.UNCHANGED
    base.check()


def test_a_document_that_becomes_unreadable_stops_answering_and_says_why(base: Base) -> None:
    base.bucket.documents["a.txt"] = sections("one")
    base.sync().document("a.txt")
    base.bucket.documents["a.txt"] = "!broken"
    outcome = base.sync().document("a.txt")
    assert (outcome.action, outcome.reason) == (Action.UNREADABLE, "cannot be read")
    base.check()
    assert base.vectors.everything() == {}
    assert base.sync().document("a.txt").reason == "cannot be read"


def test_done_is_said_only_after_the_index_shows_it(base: Base) -> None:
    base.vectors.index.lag_s = 3.0
    base.bucket.documents["a.txt"] = sections("one", "two")
    assert base.sync().document("a.txt").action is Action.INDEXED
    assert base.vectors.clock >= 3.0
    base.check()


def test_an_index_that_lags_too_long_is_waited_for_and_not_paid_twice(base: Base) -> None:
    base.vectors.index.lag_s = 60.0
    base.bucket.documents["a.txt"] = sections("one", "two")
    with pytest.raises(RetryableError, match="does not show yet"):
        base.sync().document("a.txt")
    base.vectors.clock += 60.0
    base.clock.advance(seconds=60)
    assert base.sync().document("a.txt").action is Action.INDEXED
    assert base.vectors.index.embedded == 2
    base.check()


def test_what_the_index_lost_while_it_lagged_is_sent_again_in_the_end(base: Base) -> None:
    base.vectors.index.lag_s = 3600.0
    base.bucket.documents["a.txt"] = sections("one")
    with pytest.raises(RetryableError):
        base.sync().document("a.txt")
    base.vectors.index.lag_s = 0.0
    base.vectors.index._spaces.clear()
    base.clock.advance(minutes=16)
    assert base.sync().document("a.txt").embedded == 1
    base.check()


def test_two_workers_never_have_one_document_at_once(base: Base) -> None:
    base.bucket.documents["a.txt"] = sections("old")
    other: list[str] = []

    def meanwhile(operation: str, phase: str) -> None:
        if operation == "upsert-data" and phase == "before":
            base.hook = lambda operation, phase: None
            base.bucket.documents["a.txt"] = sections("new")
            with pytest.raises(RetryableError, match="another worker"):
                base.sync().document("a.txt")
            other.append("refused")

    base.hook = meanwhile
    base.sync().document("a.txt")
    assert other == ["refused"]
    base.sync().document("a.txt")
    base.check()


def test_a_crash_at_every_step_is_cleaned_up_and_costs_no_more_than_one_batch_again(base: Base) -> None:
    base.bucket.documents["a.txt"] = sections(*(f"text {n}" for n in range(6)))
    base.sync().document("a.txt")
    versions = [
        sections("text 0", "text 1, changed", "text 2", "new"),
        None,
        sections(*(f"text {n}" for n in range(3))),
    ]
    paid_before = base.vectors.index.embedded
    needed = 0
    for version in versions:
        steps = 0
        while True:
            if version is None:
                base.bucket.documents.pop("a.txt", None)
            else:
                base.bucket.documents["a.txt"] = version
            calls = 0

            def kill(operation: str, phase: str, at: int = steps) -> None:
                nonlocal calls
                calls += 1
                if calls > at:
                    raise Killed(f"{operation} {phase}")

            base.hook = kill
            try:
                outcome = base.sync().document("a.txt")
            except Killed:
                base.hook = lambda operation, phase: None
                base.clock.advance(minutes=6)
                steps += 1
                continue
            base.hook = lambda operation, phase: None
            needed += outcome.embedded
            break
        assert steps > 8
        base.sync().document("a.txt")
        base.check()
    # Each version is paid once: a crash between the index and the manifest finds its chunks in the index.
    assert base.vectors.index.embedded - paid_before == 2 + 0 + 3


def test_a_new_chunker_or_model_means_everything_anew_and_the_old_one_is_removed(base: Base) -> None:
    base.bucket.documents.update({f"{n}.txt": sections(f"text {n}", "more") for n in range(5)})
    run_all(base.sync())
    settle_generation(base.sync(), None)
    for generation in (Generation(MODEL, chunker="next"), Generation("model-2", chunker="next")):
        previous = base.manifests.state().generation
        sync = base.sync(generation)
        assert len(survey(sync).changed) == 5
        with pytest.raises(RetryableError):
            settle_generation(sync, previous)
        assert run_all(sync) == 10
        settle_generation(sync, previous)
        assert base.manifests.state().generation == generation
        assert set(base.vectors.everything()) == {generation.namespace(SPACE)}
        base.check()


def test_a_listing_that_lost_many_documents_is_suspicious(base: Base) -> None:
    base.bucket.documents.update({f"{n}.txt": sections(f"text {n}") for n in range(40)})
    run_all(base.sync())
    base.bucket.listed = [f"{n}.txt" for n in range(29)]
    assert survey(base.sync()).suspicious
    base.bucket.listed = [f"{n}.txt" for n in range(30)]
    assert not survey(base.sync()).suspicious
    base.bucket.listed = []
    assert survey(base.sync()).suspicious


def test_even_then_a_document_that_is_still_there_is_not_deleted(base: Base) -> None:
    base.bucket.documents["a.txt"] = sections("one")
    run_all(base.sync())
    base.bucket.listed = []
    assert base.sync().document("a.txt").action is Action.UNCHANGED


def test_records_that_no_manifest_names_are_removed_and_lost_ones_restored(base: Base) -> None:
    base.bucket.documents.update({f"{n}.txt": sections(f"text {n}", "more") for n in range(3)})
    sync = base.sync()
    run_all(sync)
    space = sync.namespace
    victim = next(iter(base.manifests.all())).ids[0]
    base.vectors.index.call("delete", space, {"ids": [victim]})
    base.vectors.index.call("upsert-data", space, [{"id": "stray", "data": "x"}])
    paid = base.vectors.index.embedded
    outcome = repair(sync)
    assert (outcome.orphans, outcome.restored, outcome.equal) == (1, 1, True)
    assert base.vectors.index.embedded == paid + 1
    base.check()
    assert repair(sync) == reconcile.Repair(0, 0, True)


def test_a_repair_during_a_synchronisation_takes_nothing_from_it(base: Base) -> None:
    base.bucket.documents["a.txt"] = sections("one", "two")
    seen: list[int] = []

    def meanwhile(operation: str, phase: str) -> None:
        if operation == "delete" or (operation == "fetch" and phase == "after" and base.vectors.index.embedded):
            base.hook = lambda operation, phase: None
            seen.append(repair(base.sync()).orphans)

    base.hook = meanwhile
    base.sync().document("a.txt")
    assert seen == [0]
    base.check()


@pytest.mark.parametrize("size", [40, pytest.param(1000, marks=[pytest.mark.prove, pytest.mark.timeout(900)])])
def test_random_edits_deletions_renames_and_crashes_leave_index_and_manifests_equal(base: Base, size: int) -> None:
    rng = random.Random(size)
    base.bucket.documents = {
        f"docs/{n}.txt": sections(*(f"document {n} section {part}" for part in range(rng.randint(1, 4))))
        for n in range(size)
    }
    initial = sum(text.count("## ") for text in base.bucket.documents.values())
    assert run_all(base.sync()) == initial
    base.check()
    expected = 0
    for edit in range(max(10, size // 10)):
        key = rng.choice(sorted(base.bucket.documents))
        text = base.bucket.documents[key]
        parts = text.split("\n\n## ")
        match rng.choice(["change", "append", "shorten", "delete", "rename"]):
            case "change":
                parts[-1] += f" edited {edit}"
                expected += 1
            case "append":
                parts.append(f"Section new {edit}\nadded {edit}")
                expected += 1
            case "shorten":
                parts = parts[:-1] or parts
            case "delete":
                parts = []
            case "rename":
                base.bucket.documents[f"renamed/{edit}.txt"] = text
                parts = []
                expected += text.count("## ")
        if parts:
            base.bucket.documents[key] = "\n\n## ".join(parts)
        else:
            del base.bucket.documents[key]
        touched = [key, f"renamed/{edit}.txt"]
        for name in touched:
            crash_then_finish(base, name, rng.randint(0, 14))
    base.check()
    assert base.vectors.index.embedded - initial == expected
    assert run_all(base.sync()) == 0
    assert repair(base.sync()) == reconcile.Repair(0, 0, True)
    chunks = sum(len(ids) for ids in base.vectors.everything().values())
    for generation in (Generation(MODEL, chunker="next"), Generation("model-2", chunker="next")):
        before = base.vectors.index.embedded
        anew_with_crashes(base, generation, rng)
        assert base.manifests.state().generation == generation
        assert set(base.vectors.everything()) == {generation.namespace(SPACE)}
        base.check()
        assert base.vectors.index.embedded - before == chunks


def anew_with_crashes(base: Base, generation: Generation, rng: random.Random) -> None:
    """Reconcile to a new generation; the worker is killed a few times on the way."""
    for _ in range(6):
        left = rng.randint(5, 20 * len(base.bucket.documents))

        def kill(operation: str, phase: str) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed

        base.hook = kill
        try:
            Keeper(base.sync(generation)).reconcile()
        except Killed:
            base.clock.advance(minutes=6)
        base.hook = lambda operation, phase: None
    Keeper(base.sync(generation)).reconcile()


def crash_then_finish(base: Base, key: str, at: int) -> None:
    calls = 0

    def kill(operation: str, phase: str) -> None:
        nonlocal calls
        calls += 1
        if calls > at:
            raise Killed

    base.hook = kill
    try:
        base.sync().document(key)
    except Killed:
        base.clock.advance(minutes=6)
    base.hook = lambda operation, phase: None
    base.sync().document(key)
