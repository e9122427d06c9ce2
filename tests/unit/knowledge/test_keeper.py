from __future__ import annotations

import json

import pytest

from knowledge_sync.messages import GO_ON, Wish, read
from onthoud.errors import PermanentError, RetryableError
from onthoud.memory.knowledge.keeper import Keeper
from onthoud.memory.knowledge.records import Generation
from onthoud.memory.knowledge.sync import Action
from tests.fakes.knowledge import MODEL, SPACE, Base


@pytest.fixture
def base() -> Base:
    made = Base()
    made.bucket.documents.update({f"{n}.txt": f"## Section\ntext {n}" for n in range(30)})
    return made


def test_a_reconcile_brings_all_into_step_and_tells_its_progress(base: Base) -> None:
    seen: list[tuple[int, int]] = []
    report = Keeper(base.sync()).reconcile(progress=lambda done, total, outcome: seen.append((done, total)))
    assert (report.count(Action.INDEXED), report.embedded, report.finished) == (30, 30, True)
    assert seen == [(n, 30) for n in range(1, 31)]
    assert report.repair is not None
    assert report.repair.equal
    assert base.manifests.state().generation == Generation(MODEL)
    assert base.manifests.state().floor is not None
    assert Keeper(base.sync()).reconcile().embedded == 0


def test_a_suspicious_listing_holds_deletions_applies_the_rest_and_a_person_can_let_them_go(base: Base) -> None:
    Keeper(base.sync()).reconcile()
    for n in range(15):
        del base.bucket.documents[f"{n}.txt"]
    base.bucket.documents["new.txt"] = "## Section\nnew"
    report = Keeper(base.sync()).reconcile()
    assert len(report.held) == 15
    assert report.count(Action.DELETED) == 0
    assert report.count(Action.INDEXED) == 1
    assert len(base.manifests.state().held) == 15
    report = Keeper(base.sync()).reconcile(delete_held=True)
    assert report.count(Action.DELETED) == 15
    assert base.manifests.state().held == ()
    base.check()


def test_a_few_deletions_need_nobody(base: Base) -> None:
    Keeper(base.sync()).reconcile()
    for n in range(10):
        del base.bucket.documents[f"{n}.txt"]
    assert Keeper(base.sync()).reconcile().count(Action.DELETED) == 10
    base.check()


def test_without_time_it_stops_between_documents_and_the_next_run_goes_on(base: Base) -> None:
    left = iter([True] * 7 + [False])
    report = Keeper(base.sync(), lambda: next(left)).reconcile()
    assert (report.finished, report.count(Action.INDEXED), report.repair) == (False, 7, None)
    report = Keeper(base.sync()).reconcile()
    assert (report.finished, report.count(Action.INDEXED)) == (True, 23)
    base.check()


def test_one_document_in_the_way_harms_no_other_and_is_told(base: Base) -> None:
    base.bucket.documents["zz.txt"] = "!broken"

    def fail(operation: str, phase: str) -> None:
        nonlocal calls
        calls += operation == "upsert-data"
        if operation == "upsert-data" and calls == 3:
            raise RetryableError("busy")

    calls, base.hook = 0, fail
    report = Keeper(base.sync()).reconcile()
    base.hook = lambda operation, phase: None
    assert list(report.failed.values()) == ["busy"]
    assert report.count(Action.UNREADABLE) == 1
    assert report.count(Action.INDEXED) == 29
    assert Keeper(base.sync()).reconcile().count(Action.INDEXED) == 1
    base.check()


def test_a_new_model_is_noticed_and_everything_indexed_anew(base: Base) -> None:
    Keeper(base.sync()).reconcile()
    keeper = Keeper(base.sync(Generation("model-2")))
    assert keeper.out_of_date()
    assert keeper.reconcile().embedded == 30
    assert not keeper.out_of_date()
    assert set(base.vectors.everything()) == {Generation("model-2").namespace(SPACE)}
    base.check()


def test_the_noise_floor_follows_the_growth_of_the_base(base: Base) -> None:
    keeper = Keeper(base.sync())
    keeper.documents(["0.txt"])
    first = base.manifests.state()
    keeper.documents([f"{n}.txt" for n in range(1, 30)])
    assert base.manifests.state().measured_records == 30 > first.measured_records


def test_a_base_that_was_never_used_stays_so(base: Base) -> None:
    base.bucket.documents.clear()
    Keeper(base.sync()).reconcile()
    assert base.manifests.state().generation is None


def notification(*keys: str) -> str:
    return json.dumps({"Records": [{"eventSource": "aws:s3", "s3": {"object": {"key": key}}} for key in keys]})


def test_s3_s_notifications_name_documents_and_their_keys_are_decoded() -> None:
    assert read(notification("a.md", "sub/fa%C3%A7ade+plan%2B.md")) == Wish(("a.md", "sub/façade plan+.md"))


def test_the_function_s_own_wish_and_s3_s_test_are_known() -> None:
    assert read(GO_ON) == Wish(everything=True)
    assert read('{"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "b"}') == Wish()


@pytest.mark.parametrize("body", ["", "null", "[]", "{}", '{"Records": [{}]}', '{"Records": [{"s3": {"object": {}}}]}'])
def test_anything_else_is_refused(body: str) -> None:
    with pytest.raises(PermanentError):
        read(body)
