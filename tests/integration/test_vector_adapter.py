"""The Upstash adapter: against the local server, and against far ends that misbehave."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from infra.local.vector_server.embedder import SpellingEmbedder
from infra.local.vector_server.index import Index
from onthoud.adapters.upstash import SAFE_NAMESPACE, UpstashVectors
from onthoud.errors import PermanentError, RetryableError
from onthoud.ports.vectors import Mode, Query, Record, namespace
from tests.fakes.vector_server import TOKEN, serving, serving_app

pytestmark = pytest.mark.stack
HERE = namespace("test", "here")


def adapter(url: str, token: str = TOKEN, timeout_s: float = 5.0) -> UpstashVectors:
    return UpstashVectors(url, lambda fresh: token, timeout_s=timeout_s, sleep=lambda seconds: None)


@pytest.fixture
def index() -> Index:
    return Index(SpellingEmbedder())


@pytest.fixture
def vectors(index: Index) -> Iterator[UpstashVectors]:
    with serving(index) as url:
        made = adapter(url)
        yield made
        made.close()


class FarEnd:
    """Answers each request with the next of its answers, the last one for ever."""

    def __init__(self, *answers: Response | Callable[[], Response]) -> None:
        self.answers = list(answers)
        self.seen: list[tuple[str, dict[str, str], object]] = []

    async def serve(self, request: Request) -> Response:
        self.seen.append((request.url.path, dict(request.headers), json.loads(await request.body())))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return answer() if callable(answer) and not isinstance(answer, Response) else answer  # type: ignore[return-value]

    @property
    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{path:path}", self.serve, methods=["POST"])])


def asked(far_end: FarEnd, token: Callable[[bool], str] = lambda fresh: "t") -> object:
    with serving_app(far_end.app) as url:
        made = UpstashVectors(url, token, timeout_s=5.0, sleep=lambda seconds: None)
        try:
            return made.search(HERE, [Query("words")])
        finally:
            made.close()


def test_records_go_in_are_found_and_go_out(vectors: UpstashVectors, index: Index) -> None:
    vectors.upsert(HERE, [Record("a", "the court lights", {"n": 1}), Record("b", "racket rental")])
    dense, sparse = vectors.search(HERE, [Query("lights", Mode.DENSE), Query("lights", Mode.SPARSE)])
    assert (dense[0].id, dict(dense[0].metadata)) == ("a", {"n": 1})
    assert [hit.id for hit in sparse] == ["a"]
    assert vectors.search(HERE, [Query("racket rental")])[0][0].id == "b"
    assert vectors.present(HERE, ["a", "z"]) == {"a"}
    assert set(vectors.ids(HERE)) == {"a", "b"}
    assert vectors.delete(HERE, ["a", "z"]) == 1
    assert vectors.info().records == 1
    assert vectors.info().hybrid
    assert index.embedded == 2


def test_one_query_that_finds_nothing_is_an_empty_list(vectors: UpstashVectors) -> None:
    assert vectors.search(HERE, [Query("lights")]) == [[]]
    assert vectors.search(HERE, []) == []
    assert list(vectors.ids(HERE)) == []


def test_a_namespace_that_is_gone_can_be_dropped_again(vectors: UpstashVectors) -> None:
    vectors.upsert(HERE, [Record("a", "words")])
    vectors.drop(HERE)
    vectors.drop(HERE)
    assert vectors.info().records == 0


def test_a_batched_query_keeps_its_mode_and_weighting_and_sends_no_telemetry() -> None:
    far_end = FarEnd(JSONResponse({"result": [[], []]}))
    with serving_app(far_end.app) as url:
        made = adapter(url)
        made.search(HERE, [Query("x", Mode.DENSE), Query("x", Mode.SPARSE)])
        made.close()
    path, headers, body = far_end.seen[0]
    assert path == f"/query-data/{HERE}"
    assert [(one["queryMode"], one.get("weightingStrategy")) for one in body] == [("DENSE", None), ("SPARSE", "IDF")]
    assert not [name for name in headers if "telemetry" in name]


@given(st.lists(st.text(min_size=1).filter(lambda text: text.isprintable()), min_size=1, max_size=4))
def test_a_namespace_is_inert_whatever_the_ids(ids: list[str]) -> None:
    assert SAFE_NAMESPACE.match(namespace("customer", *ids))


@pytest.mark.parametrize("hostile", ["a#b", "x?all", "?all", "../t1", "a/b", "", "a b", "ä", "a\n", "x" * 65])
def test_a_namespace_that_was_not_made_by_code_never_reaches_the_url(hostile: str) -> None:
    far_end = FarEnd(JSONResponse({"result": []}))
    with serving_app(far_end.app) as url:
        made = adapter(url)
        for call in (
            lambda: made.search(hostile, [Query("x")]),
            lambda: made.upsert(hostile, [Record("a", "b")]),
            lambda: made.drop(hostile),
            lambda: made.delete(hostile, ["a"]),
            lambda: list(made.ids(hostile)),
        ):
            with pytest.raises(PermanentError, match="namespace"):
                call()
        made.close()
    assert far_end.seen == []


def test_similar_scopes_have_different_namespaces() -> None:
    scopes = [("a", "b#c"), ("a#b", "c"), ("a", "b", "c"), ("a%23b", "c"), ("a", "B#c"), ("a", "b#c ")]
    assert len({namespace("customer", *scope) for scope in scopes}) == len(scopes)


def test_what_passes_is_tried_again_and_then_told() -> None:
    busy = JSONResponse({"error": "busy"}, 503)
    far_end = FarEnd(busy, busy, JSONResponse({"result": []}))
    assert asked(far_end) == [[]]
    assert len(far_end.seen) == 3
    far_end = FarEnd(busy)
    with pytest.raises(RetryableError, match="answered 503"):
        asked(far_end)
    assert len(far_end.seen) == 3


def test_an_html_error_page_says_what_it_is() -> None:
    page = Response("<html>Bad gateway</html>", 502, media_type="text/html")
    with pytest.raises(RetryableError, match="502 with text/html instead of JSON"):
        asked(FarEnd(page))


def test_an_exhausted_quota_says_so_and_is_not_hammered() -> None:
    far_end = FarEnd(JSONResponse({"error": "Exceeded daily query limit"}, 429, headers={"Retry-After": "3600"}))
    with pytest.raises(RetryableError, match="quota") as caught:
        asked(far_end)
    assert caught.value.retry_after_s == 3600
    assert len(far_end.seen) == 1


def test_a_wrong_dimension_says_the_numbers_and_is_final() -> None:
    far_end = FarEnd(JSONResponse({"error": "Invalid vector dimension: 3, expected: 384"}, 422))
    with pytest.raises(PermanentError, match="3, 384"):
        asked(far_end)
    assert len(far_end.seen) == 1


def test_a_refusal_never_repeats_what_was_asked() -> None:
    far_end = FarEnd(JSONResponse({"error": "Invalid filter: name = 'Ana Secret'"}, 400))
    with pytest.raises(PermanentError) as caught:
        asked(far_end)
    assert "Ana" not in str(caught.value)


def test_a_refused_token_is_read_afresh_once() -> None:
    far_end = FarEnd(JSONResponse({"error": "Unauthorized"}, 401), JSONResponse({"result": []}))
    asks: list[bool] = []
    assert asked(far_end, lambda fresh: asks.append(fresh) or ("new" if fresh else "old")) == [[]]
    assert asks == [False, True]
    assert far_end.seen[1][1]["authorization"] == "Bearer new"


def test_a_dead_far_end_is_told_within_its_timeouts() -> None:
    with pytest.raises(RetryableError, match="cannot be reached"):
        adapter("http://127.0.0.1:9").search(HERE, [Query("x")])


def test_plain_text_with_status_200_is_no_answer() -> None:
    with pytest.raises(RetryableError, match="instead of JSON"):
        asked(FarEnd(PlainTextResponse("ok")))


def test_metadata_that_json_cannot_hold_is_refused_before_it_is_sent(vectors: UpstashVectors) -> None:
    for value in (Decimal(1), float("nan"), "x" * 50_000):
        with pytest.raises(PermanentError, match="metadata of record a"):
            vectors.upsert(HERE, [Record("a", "b", {"v": value})])


def test_importing_the_adapter_does_not_import_the_sdk() -> None:
    code = (
        "import sys, onthoud.adapters.upstash; sys.exit(int('upstash_vector' in sys.modules or 'httpx' in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
