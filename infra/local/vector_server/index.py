"""The index: namespaces, and the calls on them, with the bodies and answers of Upstash Vector's REST API."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import fusion, requests, sparse
from .embedder import DIMENSION, Embedder
from .fusion import Scored
from .requests import Refusal
from .store import Namespace, Row, size_of

Answer = Any
FUSED_DEPTH = 5
"""How many times `topK` each half of a hybrid query contributes before fusion (an assumption)."""


@dataclass
class Index:
    """A hybrid index with hosted models.

    Attributes:
        embedder: the dense model.
        lag_s: how long a write stays invisible, in seconds.
        clock: counts those seconds.
        embedded: how many passages were embedded; what an operator would pay for.
    """

    embedder: Embedder
    lag_s: float = 0.0
    clock: Callable[[], float] = time.monotonic
    embedded: int = 0
    _spaces: dict[str, Namespace] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def call(self, operation: str, namespace: str, body: Any, *, everything: bool = False) -> Answer:
        """Carry out one call of the API.

        Raises:
            Refusal: with the status and the words of the answer.
        """
        if operation == "upsert-data":
            return self._upsert_data(namespace, body)
        if operation == "query-data":
            return self._query(namespace, body, by_data=True)
        if operation == "query":
            return self._query(namespace, body, by_data=False)
        with self._lock:
            if operation == "reset" and everything:
                self._spaces.clear()
                return "Success"
            handler = getattr(self, "_" + operation.replace("-", "_"), None)
            if operation not in OPERATIONS or handler is None:
                raise Refusal(f"'{operation}' is not emulated by this local server", 501)
            return handler(namespace, body)

    # -- writes ------------------------------------------------------------------------------------------------------

    def _upsert(self, namespace: str, body: Any) -> Answer:
        rows = []
        for item in requests.as_list(body):
            dense = requests.dense(item.get("vector"), DIMENSION)
            words = requests.sparse(item.get("sparseVector"))
            if dense is None or words is None:
                raise Refusal("This is a hybrid index: a record needs both vector and sparseVector", 422)
            rows.append(
                Row(
                    requests.identifier(item.get("id")),
                    0,
                    dense,
                    words,
                    requests.metadata(item.get("metadata")),
                    item.get("data"),
                )
            )
        self._space(namespace).put(rows)
        return "Success"

    def _upsert_data(self, namespace: str, body: Any) -> Answer:
        items = requests.as_list(body)
        texts = [requests.text(item.get("data")) for item in items]
        names = [requests.identifier(item.get("id")) for item in items]
        extras = [requests.metadata(item.get("metadata")) for item in items]
        vectors = self.embedder.passages(texts)
        with self._lock:
            self.embedded += len(texts)
            self._space(namespace).put(
                Row(name, 0, vector, sparse.document(words), extra, words)
                for name, vector, extra, words in zip(names, vectors, extras, texts, strict=True)
            )
        return "Success"

    def _update(self, namespace: str, body: Any) -> Answer:
        item = requests.as_list(body)[0]
        space = self._known(namespace)
        row = space.get(requests.identifier(item.get("id"))) if space else None
        if space is None or row is None:
            return {"updated": 0}
        extra = requests.metadata(item.get("metadata"))
        if extra is not None and item.get("metadataUpdateMode") == "PATCH":
            extra = _merge_patch(row.metadata or {}, extra)
        changed = Row(row.id, 0, row.dense, row.sparse, row.metadata if extra is None else extra, row.data)
        if (vector := requests.dense(item.get("vector"), DIMENSION)) is not None:
            changed.dense = vector
        if (words := requests.sparse(item.get("sparseVector"))) is not None:
            changed.sparse = words
        if item.get("data") is not None:
            changed.data = requests.text(item["data"])
            changed.dense, changed.sparse = self.embedder.passages([changed.data])[0], sparse.document(changed.data)
            self.embedded += 1
        space.put([changed])
        return {"updated": 1}

    def _delete(self, namespace: str, body: Any) -> Answer:
        space = self._known(namespace)
        if isinstance(body, list | str | int):
            body = {"ids": body}
        if not isinstance(body, dict) or not any(body.get(key) for key in ("ids", "prefix", "filter")):
            raise Refusal("A delete needs ids, a prefix or a filter")
        if space is None:
            return {"deleted": 0}
        return {"deleted": space.delete(_chosen(space, body))}

    def _reset(self, namespace: str, body: Any) -> Answer:
        del body
        space = self._known(namespace)
        if space is not None:
            space.delete([row.id for row in space.rows()])
        return "Success"

    def _delete_namespace(self, namespace: str, body: Any) -> Answer:
        del body
        if namespace == "":
            raise Refusal("The default namespace cannot be deleted")
        if self._spaces.pop(namespace, None) is None:
            raise Refusal(f"Namespace {namespace} does not exist", 404)
        return "Success"

    # -- reads -------------------------------------------------------------------------------------------------------

    def _query(self, namespace: str, body: Any, *, by_data: bool) -> Answer:
        items = requests.as_list(body)
        embedded: dict[str, Any] = {}
        if by_data:  # outside the lock: a model is slow, and others may search meanwhile
            for asked in {requests.text(item.get("data")) for item in items}:
                embedded[asked] = self.embedder.query(asked)
        with self._lock:
            answers = [self._one_query(namespace, item, embedded) for item in items]
        return answers if isinstance(body, list) and len(body) > 1 else answers[0]

    def _one_query(self, namespace: str, item: dict[str, Any], embedded: dict[str, Any]) -> Answer:
        top_k, test = requests.top_k(item), requests.condition(item)
        mode = requests.choice(item, "queryMode", requests.MODES)
        algorithm = requests.choice(item, "fusionAlgorithm", requests.FUSIONS)
        idf = requests.choice(item, "weightingStrategy", ("", "IDF")) == "IDF"
        dense, words = _asked(item, embedded)
        space = self._known(namespace)
        if space is None:
            return []
        depth = top_k if mode != "HYBRID" else top_k * FUSED_DEPTH
        lists: list[Scored] = []
        if dense is not None and mode != "SPARSE":
            lists.append(space.near(dense, depth, test))
        if words is not None and mode != "DENSE":
            lists.append(space.matching(words, depth, test, idf=idf))
        fuse = fusion.dbsf if algorithm == "DBSF" else fusion.rrf
        scored = lists[0] if len(lists) == 1 else fuse(lists)
        return [{**_shown(space.row_at(at), item), "score": score} for at, score in scored[:top_k]]

    def _fetch(self, namespace: str, body: Any) -> Answer:
        space = self._known(namespace)
        wanted = body if isinstance(body, dict) else {"ids": body}
        if wanted.get("prefix"):
            rows = [row for row in space.rows() if row.id.startswith(wanted["prefix"])] if space else []
            return [_shown(row, wanted) for row in rows]
        found = [space.get(name) if space else None for name in requests.identifiers(wanted.get("ids") or [])]
        return [None if row is None else _shown(row, wanted) for row in found]

    def _range(self, namespace: str, body: Any) -> Answer:
        wanted = requests.as_list(body)[0]
        limit = wanted.get("limit", 10)
        try:
            after = int(wanted.get("cursor") or 0)
        except (TypeError, ValueError) as error:
            raise Refusal("The cursor is none of this index's") from error
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= requests.MAX_BATCH:
            raise Refusal("limit must be between 1 and 1000")
        space, prefix = self._known(namespace), wanted.get("prefix") or ""
        rows = [row for row in space.rows(after) if row.id.startswith(prefix)] if space else []
        cursor = str(rows[limit - 1].sequence) if len(rows) > limit else ""
        return {"nextCursor": cursor, "vectors": [_shown(row, wanted) for row in rows[:limit]]}

    def _info(self, namespace: str, body: Any) -> Answer:
        del namespace, body
        counts = {
            name: {"vectorCount": len(space), "pendingVectorCount": space.pending()}
            for name, space in {"": self._new(), **self._spaces}.items()
        }
        return {
            "vectorCount": sum(count["vectorCount"] for count in counts.values()),
            "pendingVectorCount": sum(count["pendingVectorCount"] for count in counts.values()),
            "indexSize": sum(size_of(row) for space in self._spaces.values() for row in space.rows()),
            "dimension": DIMENSION,
            "similarityFunction": "COSINE",
            "indexType": "HYBRID",
            "denseIndex": {
                "dimension": DIMENSION,
                "similarityFunction": "COSINE",
                "embeddingModel": self.embedder.name,
            },
            "sparseIndex": {"embeddingModel": sparse.NAME},
            "namespaces": counts,
        }

    def _list_namespaces(self, namespace: str, body: Any) -> Answer:
        del namespace, body
        return sorted({"", *self._spaces})

    # -- inside ------------------------------------------------------------------------------------------------------

    def _known(self, namespace: str) -> Namespace | None:
        return self._spaces.get(namespace)

    def _new(self) -> Namespace:
        return Namespace(DIMENSION, self.clock, lambda: self.lag_s)

    def _space(self, namespace: str) -> Namespace:
        return self._spaces.setdefault(namespace, self._new())


OPERATIONS = frozenset(
    {"upsert", "update", "delete", "reset", "delete-namespace", "fetch", "range", "info", "list-namespaces"}
)


def _asked(item: dict[str, Any], embedded: dict[str, Any]) -> tuple[Any, sparse.SparseVector | None]:
    if embedded:
        return embedded[item["data"]], sparse.query(item["data"])
    dense, words = requests.dense(item.get("vector"), DIMENSION), requests.sparse(item.get("sparseVector"))
    if dense is None and words is None:
        raise Refusal("A query needs a vector, a sparse vector or data")
    return dense, words


def _chosen(space: Namespace, body: dict[str, Any]) -> list[str]:
    if body.get("ids"):
        return requests.identifiers(body["ids"])
    test, prefix = requests.condition(body), body.get("prefix")
    return [
        row.id
        for row in space.rows()
        if (prefix and row.id.startswith(prefix)) or (test is not None and test(row.metadata or {}))
    ]


def _shown(row: Row, asked: dict[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": row.id}
    if asked.get("includeMetadata") and row.metadata is not None:
        shown["metadata"] = row.metadata
    if asked.get("includeData") and row.data is not None:
        shown["data"] = row.data
    if asked.get("includeVectors"):
        if row.dense is not None:
            shown["vector"] = [float(number) for number in row.dense]
        if row.sparse is not None:
            shown["sparseVector"] = {"indices": list(row.sparse.indices), "values": list(row.sparse.values)}
    return shown


def _merge_patch(target: Any, patch: Any) -> Any:
    """RFC 7396: null removes, objects merge, anything else replaces."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = _merge_patch(merged.get(name), value)
    return merged
