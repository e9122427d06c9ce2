"""The vector port on Upstash Vector.

The SDK builds the requests and reads the answers; the HTTP below it is ours. Its own waits 600 s, repeats nothing
that the server answered (429, 5xx), repeats what can never succeed (a `Decimal` in metadata), and turns an HTML error
page into a `JSONDecodeError`. Its `query_many` also drops the query mode, so batched queries are written here.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from onthoud.errors import OnthoudError, PermanentError, RetryableError
from onthoud.ports.vectors import MAX_BATCH, MAX_METADATA_BYTES, Hit, IndexInfo, Mode, Query, Record

if TYPE_CHECKING:
    import httpx
    from upstash_vector.core.index_operations import IndexOperations

CONNECT_TIMEOUT_S = 2.0
TRIES = 3
MAX_BACKOFF_S = 4.0
PAGE = 1000
"""Records per page of a walk through a namespace; also how many ids one fetch may name."""
SAFE_NAMESPACE = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")

_DIMENSION = re.compile(r"dimension", re.IGNORECASE)
_QUOTA = re.compile(r"quota|limit|exceed", re.IGNORECASE)
_PASSING = {408, 425, 429, 500, 502, 503, 504}


@dataclass(slots=True)
class UpstashVectors:
    """One Upstash Vector index with hosted embedding models.

    Args:
        url: the index's REST address.
        token: reads the index's token. Called once, and again (`fresh=True`) after a refusal.
        timeout_s: the most that one request may take.
        sleep: waits between tries, in seconds.
    """

    url: str
    token: Callable[[bool], str]
    timeout_s: float = 10.0
    sleep: Callable[[float], None] = time.sleep
    _client: IndexOperations | None = field(default=None, init=False, repr=False)
    _http: httpx.Client | None = field(default=None, init=False, repr=False)
    _bearer: str = field(default="", init=False, repr=False)

    # -- the port ----------------------------------------------------------------------------------------------------

    def upsert(self, namespace: str, records: Sequence[Record]) -> None:
        """Embed and store records; see the port."""
        if not records:
            return
        if len(records) > MAX_BATCH:
            raise PermanentError(f"{len(records)} records in one call; at most {MAX_BATCH} are taken")
        from upstash_vector.types import Data

        for record in records:
            _check_metadata(record)
        self._sdk().upsert(
            [Data(record.id, record.text, dict(record.metadata)) for record in records], namespace=_safe(namespace)
        )

    def search(self, namespace: str, queries: Sequence[Query]) -> list[list[Hit]]:
        """Answer all queries in one round trip; see the port."""
        if not queries:
            return []
        payload = [_query_payload(query) for query in queries]
        result = self._call(f"/query-data/{_safe(namespace)}", payload)
        # A batch of one is answered like a single query: a list of hits instead of a list of lists.
        lists = [result] if len(queries) == 1 and (not result or isinstance(result[0], Mapping)) else result
        return [[Hit(hit["id"], hit["score"], hit.get("metadata") or {}) for hit in hits] for hits in lists]

    def present(self, namespace: str, ids: Sequence[str]) -> frozenset[str]:
        """Return those of the ids that the index holds; see the port."""
        found: set[str] = set()
        for start in range(0, len(ids), PAGE):
            rows = self._sdk().fetch(ids=list(ids[start : start + PAGE]), namespace=_safe(namespace))
            found.update(row.id for row in rows if row is not None)
        return frozenset(found)

    def delete(self, namespace: str, ids: Sequence[str]) -> int:
        """Remove records; see the port."""
        count = 0
        for start in range(0, len(ids), PAGE):
            count += self._sdk().delete(ids=list(ids[start : start + PAGE]), namespace=_safe(namespace)).deleted
        return count

    def ids(self, namespace: str) -> Iterator[str]:
        """Walk all ids of a namespace; see the port."""
        if _safe(namespace) not in self._sdk().list_namespaces():
            return
        cursor = "0"
        while True:
            page = self._sdk().range(cursor=cursor, limit=PAGE, namespace=namespace)
            yield from (row.id for row in page.vectors)
            if not page.next_cursor:
                return
            cursor = page.next_cursor

    def drop(self, namespace: str) -> None:
        """Remove a namespace; see the port."""
        if _safe(namespace) in self._sdk().list_namespaces():
            self._sdk().delete_namespace(namespace)

    def info(self) -> IndexInfo:
        """Describe the index; see the port."""
        info = self._sdk().info()
        dense, sparse = info.dense_index, info.sparse_index
        return IndexInfo(
            records=info.vector_count,
            pending=info.pending_vector_count,
            dimension=info.dimension,
            dense_model=dense.embedding_model if dense else "",
            sparse_model=sparse.embedding_model if sparse else "",
        )

    def close(self) -> None:
        """Close the connections."""
        if self._http is not None:
            self._http.close()
            self._http = None

    # -- HTTP --------------------------------------------------------------------------------------------------------

    def _sdk(self) -> IndexOperations:
        if self._client is None:
            from upstash_vector.core.index_operations import IndexOperations

            call = self._call

            class _Operations(IndexOperations):
                def _execute_request(self, payload: Any, path: str) -> Any:
                    return call(path, payload)

            self._client = _Operations()
        return self._client

    def _call(self, path: str, payload: Any) -> Any:
        """Post until an answer counts: every call of the port may be repeated, so each try is safe."""
        fault: OnthoudError = RetryableError("the vector index was not asked")
        for attempt in range(TRIES):
            if attempt:
                self.sleep(_pause_s(attempt))
            outcome = self._try(path, payload)
            if not isinstance(outcome, OnthoudError):
                return outcome.result
            fault = outcome
            if isinstance(fault, PermanentError) or getattr(fault, "retry_after_s", None):
                break
        raise fault

    def _try(self, path: str, payload: Any) -> _Answer | OnthoudError:
        import httpx

        if self._http is None:
            self._http = httpx.Client(timeout=httpx.Timeout(self.timeout_s, connect=CONNECT_TIMEOUT_S))
        if not self._bearer:
            self._bearer = self.token(False)
        try:
            response = self._http.post(
                self.url.rstrip("/") + path,
                content=json.dumps(payload, allow_nan=False).encode(),
                headers={"Authorization": f"Bearer {self._bearer}", "Content-Type": "application/json"},
            )
        except httpx.HTTPError as error:
            return RetryableError(f"the vector index cannot be reached: {type(error).__name__}")
        if response.status_code in {401, 403}:
            self._bearer = self.token(True)
        return _read(response.status_code, response.headers, response.content)


@dataclass(frozen=True, slots=True)
class _Answer:
    result: Any


def _read(status: int, headers: Mapping[str, str], content: bytes) -> _Answer | OnthoudError:
    try:
        body = json.loads(content)
    except ValueError:
        kind = headers.get("content-type", "no content type").partition(";")[0]
        return RetryableError(f"the vector index answered {status} with {kind} instead of JSON: a gateway in between?")
    if status < 400 and isinstance(body, dict) and "error" not in body and "result" in body:
        return _Answer(body["result"])
    # The server's words can quote a filter or a text: they choose our message and do not enter it.
    words = str(body.get("error", "")) if isinstance(body, dict) else ""
    return _fault(status, headers, words)


def _fault(status: int, headers: Mapping[str, str], words: str) -> OnthoudError:
    if status in {401, 403}:
        return RetryableError("the vector index refuses its token: check the parameter that holds it")
    if status == 429 or (status < 500 and _QUOTA.search(words) and "quota" in words.lower()):
        return RetryableError(
            "the vector index's quota is used up: see the plan's daily limit", retry_after_s=_retry_after(headers)
        )
    if status in _PASSING:
        return RetryableError(f"the vector index answered {status}")
    if _DIMENSION.search(words):
        numbers = ", ".join(re.findall(r"\d+", words)) or "not said"
        return PermanentError(f"the vectors have another dimension than the index ({numbers}): check its model")
    return PermanentError(f"the vector index refuses the call with {status}")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    try:
        return float(headers.get("retry-after", ""))
    except ValueError:
        return None


def _pause_s(attempt: int) -> float:
    return random.uniform(0, min(MAX_BACKOFF_S, 0.25 * 2.0**attempt))  # noqa: S311 - jitter, no secret


def _query_payload(query: Query) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "data": query.text,
        "topK": query.top_k,
        "includeMetadata": True,
        "filter": query.where,
        "queryMode": query.mode.value,
    }
    if query.mode is not Mode.DENSE:
        payload["weightingStrategy"] = "IDF"  # without it every word weighs the same
    if query.mode is Mode.HYBRID:
        payload["fusionAlgorithm"] = "DBSF"  # by the scores; RRF, the default, lets a weak half outvote a good one
    return payload


def _check_metadata(record: Record) -> None:
    try:
        size = len(json.dumps(dict(record.metadata), allow_nan=False).encode())
    except (TypeError, ValueError) as error:
        raise PermanentError(f"the metadata of record {record.id} is not JSON") from error
    if size > MAX_METADATA_BYTES:
        raise PermanentError(f"the metadata of record {record.id} exceeds {MAX_METADATA_BYTES} bytes")


def _safe(namespace: str) -> str:
    if not SAFE_NAMESPACE.match(namespace):
        raise PermanentError("a namespace must come from onthoud.ports.vectors.namespace")
    return namespace
