"""A bucket and an index in memory, for tests of the knowledge base. The index is the local server's, without HTTP."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from infra.local.vector_server.embedder import SpellingEmbedder
from infra.local.vector_server.index import Index
from infra.local.vector_server.requests import Refusal
from onthoud.errors import NotFound, PermanentError
from onthoud.memory.knowledge.chunks import Document, Section
from onthoud.memory.knowledge.manifest import Manifests
from onthoud.memory.knowledge.records import Generation
from onthoud.memory.knowledge.sync import Synchroniser
from onthoud.ports.objects import ObjectBody, ObjectInfo
from onthoud.ports.vectors import Hit, IndexInfo, Query, Record
from onthoud.scope import Space
from tests.fakes.memory_table import MemoryTable

SPACE = Space("club", "work")
MODEL = "model-1"

Hook = Callable[[str, str], None]


class Killed(BaseException):
    """The worker is gone: nothing in it runs any more."""


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.at = datetime(2026, 11, 30, 9, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def advance(self, **span: float) -> None:
        self.at += timedelta(**span)


class IndexVectors:
    """The vector port on the local index, in process."""

    def __init__(self, hook: Hook = lambda operation, phase: None) -> None:
        self.clock = 0.0
        self.index = Index(SpellingEmbedder(), clock=lambda: self.clock)
        self.hook = hook
        self.calls = 0

    def _call(self, operation: str, namespace: str, body: object) -> object:
        self.calls += 1
        self.hook(operation, "before")
        try:
            result = self.index.call(operation, namespace, body)
        except Refusal as refusal:
            raise PermanentError(refusal.message) from refusal
        self.hook(operation, "after")
        return result

    def upsert(self, namespace: str, records: Sequence[Record]) -> None:
        rows = [{"id": one.id, "data": one.text, "metadata": dict(one.metadata)} for one in records]
        self._call("upsert-data", namespace, rows)

    def search(self, namespace: str, queries: Sequence[Query]) -> list[list[Hit]]:
        answers = []
        for one in queries:
            body = {"data": one.text, "topK": one.top_k, "includeMetadata": True, "queryMode": one.mode.value}
            hits = self._call("query-data", namespace, {**body, "filter": one.where, "weightingStrategy": "IDF"})
            answers.append([Hit(hit["id"], hit["score"], hit.get("metadata") or {}) for hit in hits])  # type: ignore[attr-defined]
        return answers

    def present(self, namespace: str, ids: Sequence[str]) -> frozenset[str]:
        rows = self._call("fetch", namespace, {"ids": list(ids)}) if ids else []
        return frozenset(row["id"] for row in rows if row)  # type: ignore[attr-defined]

    def delete(self, namespace: str, ids: Sequence[str]) -> int:
        return self._call("delete", namespace, {"ids": list(ids)})["deleted"] if ids else 0  # type: ignore[index]

    def ids(self, namespace: str) -> Iterator[str]:
        cursor = "0"
        while self._known(namespace):
            page = self._call("range", namespace, {"cursor": cursor, "limit": 1000})
            yield from (row["id"] for row in page["vectors"])  # type: ignore[index]
            cursor = page["nextCursor"]  # type: ignore[index]
            if not cursor:
                return

    def drop(self, namespace: str) -> None:
        if self._known(namespace):
            self._call("delete-namespace", namespace, None)

    def info(self) -> IndexInfo:
        info = self.index.call("info", "", None)
        return IndexInfo(info["vectorCount"], info["pendingVectorCount"], info["dimension"], MODEL, "BM25")

    def _known(self, namespace: str) -> bool:
        return namespace in self.index.call("list-namespaces", "", None)

    def everything(self) -> dict[str, set[str]]:
        """All ids by namespace, hooks aside."""
        hook, self.hook = self.hook, lambda operation, phase: None
        names = self.index.call("list-namespaces", "", None)
        found = {name: set(self.ids(name)) for name in names}
        self.hook = hook
        return {name: ids for name, ids in found.items() if ids}


class Bucket:
    """Documents by key."""

    def __init__(self) -> None:
        self.documents: dict[str, str] = {}
        self.listed: list[str] | None = None

    def list(self) -> Iterator[ObjectInfo]:
        for key in sorted(self.documents if self.listed is None else self.listed):
            yield ObjectInfo(key, etag(self.documents[key]), len(self.documents[key]))

    def get(self, key: str) -> ObjectBody:
        if key not in self.documents:
            raise NotFound("not in the bucket")
        return ObjectBody(key, etag(self.documents[key]), "text/plain", self.documents[key].encode())


def etag(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def parse(body: ObjectBody) -> Document:
    """`## heading` lines open sections; blank lines part paragraphs; `!broken` cannot be read."""
    text = body.body.decode()
    if text.startswith("!broken"):
        raise PermanentError("cannot be read")
    sections = []
    for part in ("\n" + text).split("\n## ")[0:]:
        name, _, rest = part.partition("\n") if part and not part.startswith("\n") else ("", "", part)
        blocks = tuple(block.strip() for block in rest.split("\n\n") if block.strip())
        if blocks:
            sections.append(Section((name,) if name else (), blocks))
    return Document(body.key, tuple(sections))


class Base:
    """A knowledge base in memory with everything that a test wants to reach."""

    def __init__(self) -> None:
        self.hook: Hook = lambda operation, phase: None
        self.table = MemoryTable(lambda operation, phase: self.hook(operation, phase))
        self.vectors = IndexVectors(lambda operation, phase: self.hook(operation, phase))
        self.bucket, self.clock = Bucket(), Clock()
        self.manifests = Manifests(self.table, SPACE, self.clock)

    def sync(self, generation: Generation | None = None) -> Synchroniser:
        return Synchroniser(
            self.manifests, self.vectors, self.bucket, parse, generation or Generation(MODEL), self.clock, self._sleep
        )

    def _sleep(self, seconds: float) -> None:
        self.vectors.clock += seconds

    def check(self) -> None:
        """Hold index, manifests and texts against each other: nothing missing, nothing over."""
        manifests = list(self.manifests.all())
        named: dict[str, set[str]] = {}
        for manifest in manifests:
            assert manifest.settled
            assert manifest.leased_until is None
            if manifest.ids:
                named.setdefault(manifest.namespace, set()).update(manifest.ids)
        assert self.vectors.everything() == named
        texts = {(item["document"], item["sk"].partition("#")[2]) for item in self._items("knowledge_chunk")}
        assert texts == {(manifest.document, name) for manifest in manifests for name in manifest.ids}
        assert {manifest.document: manifest.etag for manifest in manifests} == {
            key: etag(text) for key, text in self.bucket.documents.items()
        }

    def _items(self, kind: str) -> list[dict[str, str]]:
        return [item for item in self.table.all_items() if item["kind"] == kind]
