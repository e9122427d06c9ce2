"""The unmodified upstash-vector client against the local server."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from upstash_vector import Index as Client
from upstash_vector.errors import UpstashError
from upstash_vector.types import Data, FusionAlgorithm, MetadataUpdateMode, QueryMode, SparseVector, WeightingStrategy

from infra.local.vector_server.embedder import DIMENSION, SpellingEmbedder
from infra.local.vector_server.index import Index
from tests.fakes.vector_server import TOKEN, serving

pytestmark = pytest.mark.stack


class Seconds:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
def index(seconds: Seconds) -> Index:
    return Index(SpellingEmbedder(), clock=seconds)


@pytest.fixture
def url(index: Index) -> Iterator[str]:
    with serving(index) as address:
        yield address


@pytest.fixture
def client(url: str) -> Iterator[Client]:
    made = Client(url, TOKEN, retries=0, allow_telemetry=False)
    yield made
    made._client.close()


def axis(n: int, value: float = 1.0) -> list[float]:
    vector = [0.0] * DIMENSION
    vector[n] = value
    return vector


WORDS = [
    Data("lights", "The lights on court three go on at six.", {"section": "courts", "rank": 1, "tags": ["a", "b"]}),
    Data("prices", "A court costs twenty euros an hour.", {"section": "prices", "rank": 2, "deep": {"city": "Ede"}}),
    Data("rackets", "Rackets can be rented at the desk.", {"section": "prices", "rank": 3}),
]


def test_text_is_found_by_words_and_by_likeness(client: Client) -> None:
    assert client.upsert(WORDS) == "Success"
    for mode in QueryMode:
        hits = client.query(data="renting a racket", top_k=2, query_mode=mode, include_metadata=True, include_data=True)
        assert hits[0].id == "rackets"
        assert hits[0].metadata == {"section": "prices", "rank": 3}
        assert hits[0].data == "Rackets can be rented at the desk."


def test_dense_scores_are_half_of_one_plus_the_cosine(client: Client) -> None:
    sparse = SparseVector([1], [1.0])
    client.upsert(
        [("same", axis(0, 3.0), sparse), ("orthogonal", axis(1), sparse), ("opposite", axis(0, -1.0), sparse)]
    )
    hits = client.query(vector=axis(0), top_k=3)
    assert [(hit.id, round(hit.score, 6)) for hit in hits] == [("same", 1.0), ("orthogonal", 0.5), ("opposite", 0.0)]


def test_idf_lets_the_rare_word_weigh_more_and_is_off_unless_asked_for(client: Client) -> None:
    client.upsert(
        [(f"v{n}", axis(n), SparseVector([7] if n else [7, 9], [1.0] if n else [1.0, 1.0])) for n in range(10)]
    )
    plain = client.query(sparse_vector=SparseVector([9], [1.0]), top_k=1)
    assert plain[0].score == pytest.approx(1.0)
    weighted = client.query(sparse_vector=SparseVector([9], [1.0]), top_k=1, weighting_strategy=WeightingStrategy.IDF)
    assert weighted[0].score == pytest.approx(math.log((10 - 1 + 0.5) / 1.5 + 1))


def test_rrf_is_the_default_fusion_and_dbsf_can_be_asked_for(client: Client) -> None:
    client.upsert([("a", axis(0), SparseVector([1], [1.0])), ("b", axis(1), SparseVector([1], [0.2]))])
    asked = {"vector": axis(0), "sparse_vector": SparseVector([1], [1.0]), "top_k": 2}
    assert client.query(**asked)[0].score == pytest.approx(2 / 61)
    assert client.query(**asked, fusion_algorithm=FusionAlgorithm.DBSF)[0].score == pytest.approx(2 * (1 + 3) / 6)


def test_several_queries_are_answered_in_their_order(client: Client) -> None:
    client.upsert(WORDS)
    first, second = client.query_many(queries=[{"data": "lights", "top_k": 1}, {"data": "rackets", "top_k": 1}])
    assert (first[0].id, second[0].id) == ("lights", "rackets")
    assert [hits[0].id for hits in client.query_many(queries=[{"data": "lights", "top_k": 1}])] == ["lights"]


def test_records_can_be_looked_at_changed_and_removed(client: Client) -> None:
    client.upsert(WORDS)
    assert [row and row.id for row in client.fetch(["lights", "none"])] == ["lights", None]
    assert [row.id for row in client.fetch(prefix="ra", include_data=True)] == ["rackets"]
    assert client.update("lights", metadata={"rank": 9}, metadata_update_mode=MetadataUpdateMode.PATCH)
    assert client.fetch(["lights"], include_metadata=True)[0].metadata == {
        "section": "courts",
        "rank": 9,
        "tags": ["a", "b"],
    }
    assert client.update("none", metadata={}) is False
    assert client.delete(["lights", "none"]).deleted == 1
    assert client.delete(filter="rank = 3").deleted == 1
    assert client.delete(prefix="pri").deleted == 1
    assert client.info().vector_count == 0


def test_a_walk_sees_every_record_once_in_pages(client: Client) -> None:
    client.upsert([Data(f"r{n}", f"text {n}") for n in range(25)])
    seen, cursor = [], "0"
    while cursor != "":
        page = client.range(cursor=cursor, limit=10)
        seen.extend(row.id for row in page.vectors)
        cursor = page.next_cursor
    assert seen == [f"r{n}" for n in range(25)]


def test_namespaces_share_nothing_and_can_be_removed(client: Client) -> None:
    client.upsert(WORDS, namespace="one")
    client.upsert(WORDS[:1], namespace="two")
    assert client.query(data="rackets", namespace="two", top_k=5)[0].id == "lights"
    assert set(client.list_namespaces()) == {"", "one", "two"}
    client.reset(namespace="two")
    client.delete_namespace("two")
    assert client.info().namespaces["one"].vector_count == 3
    client.reset(all=True)
    assert client.list_namespaces() == [""]


def test_with_a_lag_a_write_and_a_removal_are_seen_later(client: Client, index: Index, seconds: Seconds) -> None:
    index.lag_s = 5
    client.upsert(WORDS)
    assert client.query(data="lights") == []
    assert client.info().pending_vector_count == 1
    seconds.now = 5.0
    assert len(client.query(data="lights")) == 3
    client.delete(["lights"])
    assert client.fetch(["lights"])[0] is not None
    seconds.now = 10.0
    assert client.fetch(["lights"])[0] is None


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("section = 'prices'", {"prices", "rackets"}),
        ('section != "prices"', {"lights"}),
        ("rank >= 2 AND rank < 3", {"prices"}),
        ("rank = 1 OR rank = 2 AND section = 'courts'", {"lights"}),
        ("(rank = 1 OR rank = 2) AND section = 'prices'", {"prices"}),
        ("section GLOB 'pr?c*'", {"prices", "rackets"}),
        ("section NOT GLOB '[^c]*'", {"lights"}),
        ("rank IN (1, 3)", {"lights", "rackets"}),
        ("rank NOT IN (1, 3)", {"prices"}),
        ("tags CONTAINS 'b'", {"lights"}),
        ("tags NOT CONTAINS 'z'", {"lights"}),
        ("HAS FIELD deep.city", {"prices"}),
        ("HAS NOT FIELD deep", {"lights", "rackets"}),
        ("deep.city = 'Ede'", {"prices"}),
        ("tags[0] = 'a'", {"lights"}),
        ("tags[#-1] = 'b'", {"lights"}),
    ],
)
def test_the_documented_filters_choose(client: Client, condition: str, found: set[str]) -> None:
    client.upsert(WORDS)
    assert {hit.id for hit in client.query(data="court lights rackets", filter=condition)} == found


@pytest.mark.parametrize("condition", ["section =", "= 3", "rank ~ 2", "rank IN ()", "(rank = 1", "x' OR '1'='1"])
def test_a_filter_outside_the_language_is_refused(client: Client, condition: str) -> None:
    client.upsert(WORDS)
    with pytest.raises(UpstashError, match="Invalid filter"):
        client.query(data="court", filter=condition)


def test_what_is_refused_says_why(client: Client, url: str) -> None:
    with pytest.raises(UpstashError, match="dimension: 2, expected: 384"):
        client.query(vector=[1.0, 2.0])
    with pytest.raises(UpstashError, match="exceeds the limit of 1000"):
        client.upsert([Data(str(n), "x") for n in range(1001)])
    with pytest.raises(UpstashError, match="not emulated"):
        client.resumable_query(data="x")
    other = Client(url, "wrong", retries=0, allow_telemetry=False)
    with pytest.raises(UpstashError, match="Unauthorized"):
        other.info()
    other._client.close()


def test_rewriting_records_over_and_over_leaves_one_of_each(client: Client) -> None:
    for turn in range(40):
        client.upsert([Data(f"r{n}", f"court {n} turn {turn}") for n in range(60)])
    assert client.info().vector_count == 60
    hits = client.query(data="turn 39", top_k=100, query_mode=QueryMode.SPARSE, include_data=True)
    assert len(hits) == 60
    assert all("turn 39" in (hit.data or "") for hit in hits)
