"""One document into the index, or out of it: safe to be killed anywhere and to be repeated.

    1 lease     the manifest names every id that may be in the index from now on
    2 texts     the new chunks' texts go into the table
    3 embed     what the index lacks is sent to it, and noted as paid for
    4 remove    what the document no longer holds leaves the index, then the table
    5 look      the index is asked for both: all that must be there, none that must not
    6 commit    the manifest names the document's chunks, and nothing else

A crash after any step leaves a manifest that says what to clean up; the next run starts again at 1. Which version of
the document counts is decided by the bucket when a run begins, not by the event, so events may come late, twice or in
any order.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum

from onthoud.clock import Clock
from onthoud.errors import NotFound, OnthoudError, PermanentError, RetryableError
from onthoud.memory.knowledge.chunks import Chunk, Document, cut
from onthoud.memory.knowledge.manifest import Manifests
from onthoud.memory.knowledge.records import Generation, Manifest
from onthoud.ports.objects import ObjectBody, Objects
from onthoud.ports.vectors import Record, Vectors

EMBED_BATCH = 50
"""Chunks per call to the index: a crash repeats at most so many."""
LOOKS = 6
LOOK_PAUSE_S = 1.0
SETTLING = timedelta(minutes=15)
"""How long a chunk that was sent and is not seen yet is waited for, before it is sent again."""

Parse = Callable[[ObjectBody], Document]


class Action(StrEnum):
    """What a run did."""

    UNCHANGED = "unchanged"
    INDEXED = "indexed"
    DELETED = "deleted"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a document: chunks it has now, chunks that were embedded, chunks that were removed."""

    document: str
    action: Action
    chunks: int = 0
    embedded: int = 0
    removed: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a document is to be; `etag` is empty where it is to be gone."""

    etag: str = ""
    title: str = ""
    chunks: tuple[Chunk, ...] = ()
    failure: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(chunk.id for chunk in self.chunks)


@dataclass(slots=True)
class Synchroniser:
    """Brings single documents into step with the bucket.

    Args:
        manifests: the knowledge base's part of the table.
        vectors: the index.
        objects: the bucket.
        parse: turns an object into a document; raises `PermanentError` where it cannot.
        generation: the model and the chunker in force.
        clock: the clock.
        sleep: waits between looks at a lagging index, in seconds.
    """

    manifests: Manifests
    vectors: Vectors
    objects: Objects
    parse: Parse
    generation: Generation
    clock: Clock
    sleep: Callable[[float], None] = time.sleep

    @property
    def namespace(self) -> str:
        """Where this generation is indexed."""
        return self.generation.namespace(self.manifests.space)

    def document(self, key: str) -> Outcome:
        """Bring one document into step with the bucket.

        Raises:
            RetryableError: the index, the bucket or another worker is in the way; the same call may be repeated.
        """
        manifest = self.manifests.get(key)
        try:
            body = self.objects.get(key)
        except NotFound:
            return self._apply(manifest, _Wanted()) if manifest else Outcome(key, Action.UNCHANGED)
        except PermanentError as error:
            return self._apply(manifest or Manifest(key), _Wanted(etag="unreadable", failure=str(error)))
        if manifest and manifest.etag == body.etag and manifest.settled and manifest.namespace == self.namespace:
            return Outcome(key, Action.UNCHANGED, chunks=len(manifest.ids), reason=manifest.failure)
        return self._apply(manifest or Manifest(key), self._read(body))

    def _read(self, body: ObjectBody) -> _Wanted:
        try:
            document = self.parse(body)
            return _Wanted(body.etag, document.title, tuple(cut(body.key, document)))
        except PermanentError as error:
            # An old version must not go on answering for a document that was replaced, so nothing of it stays.
            return _Wanted(body.etag, failure=str(error))

    def _apply(self, manifest: Manifest, wanted: _Wanted) -> Outcome:
        manifest = self._lease(manifest, wanted)
        try:
            return self._carry_out(manifest, wanted)
        except OnthoudError:
            self._let_go(manifest.document)
            raise

    def _lease(self, manifest: Manifest, wanted: _Wanted) -> Manifest:
        touched = dict(manifest.touched)
        touched[self.namespace] = touched.get(self.namespace, frozenset()) | frozenset(wanted.ids)
        return self.manifests.lease(replace(manifest, touched=touched))

    def _carry_out(self, manifest: Manifest, wanted: _Wanted) -> Outcome:
        self.manifests.put_chunks(manifest, self._texts_to_write(manifest, wanted), self.namespace, wanted.title)
        manifest, embedded = self._embed(manifest, wanted)
        stale = self._stale(manifest, wanted)
        for place, ids in stale.items():
            self.vectors.delete(place, sorted(ids))
        gone = frozenset().union(*stale.values()) - frozenset(wanted.ids)
        self.manifests.delete_chunks(manifest.document, sorted(gone))
        self._look(wanted, stale)
        removed = len(frozenset(manifest.ids) - frozenset(wanted.ids))
        return self._commit(manifest, wanted, embedded, removed)

    def _texts_to_write(self, manifest: Manifest, wanted: _Wanted) -> list[Chunk]:
        same_place = manifest.namespace == self.namespace and manifest.title == wanted.title
        kept = frozenset(manifest.ids) if same_place else frozenset()
        return [chunk for chunk in wanted.chunks if chunk.id not in kept]

    def _embed(self, manifest: Manifest, wanted: _Wanted) -> tuple[Manifest, int]:
        there = self.vectors.present(self.namespace, wanted.ids)
        recently = manifest.paid_at is not None and self.clock.now() - manifest.paid_at < SETTLING
        waiting = manifest.paid if recently else frozenset()
        missing = [chunk for chunk in wanted.chunks if chunk.id not in there and chunk.id not in waiting]
        for batch in _batches(missing):
            self.vectors.upsert(
                self.namespace,
                [
                    Record(chunk.id, chunk.embedded_text(wanted.title), {"document": manifest.document})
                    for chunk in batch
                ],
            )
            paid = manifest.paid | frozenset(chunk.id for chunk in batch)
            manifest = self.manifests.save(replace(manifest, paid=paid, paid_at=self.clock.now()))
        return manifest, len(missing)

    def _stale(self, manifest: Manifest, wanted: _Wanted) -> dict[str, frozenset[str]]:
        keep = {self.namespace: frozenset(wanted.ids)}
        stale = {place: ids - keep.get(place, frozenset()) for place, ids in manifest.possible().items()}
        return {place: ids for place, ids in stale.items() if ids}

    def _look(self, wanted: _Wanted, stale: dict[str, frozenset[str]]) -> None:
        """Ask the index until it shows what was written; "done" is never said before."""
        for look in range(LOOKS):
            if look:
                self.sleep(LOOK_PAUSE_S)
            complete = len(self.vectors.present(self.namespace, wanted.ids)) == len(wanted.ids)
            if complete and not any(self.vectors.present(place, sorted(ids)) for place, ids in stale.items()):
                return
        raise RetryableError("the index does not show yet what was written to it")

    def _commit(self, manifest: Manifest, wanted: _Wanted, embedded: int, removed: int) -> Outcome:
        name = manifest.document
        if not wanted.etag:
            self.manifests.remove(manifest)
            return Outcome(name, Action.DELETED, removed=removed)
        self.manifests.release(
            replace(
                manifest,
                etag=wanted.etag,
                title=wanted.title,
                namespace=self.namespace,
                ids=wanted.ids,
                touched={},
                paid=frozenset(),
                paid_at=None,
                failure=wanted.failure,
            )
        )
        action = Action.UNREADABLE if wanted.failure else Action.INDEXED
        return Outcome(name, action, len(wanted.ids), embedded, removed, wanted.failure)

    def _let_go(self, document: str) -> None:
        """Give the lease back after a fault, so that the next try need not wait for its end."""
        try:
            if manifest := self.manifests.get(document):
                self.manifests.release(manifest)
        except OnthoudError:
            return  # it ends by itself


def _batches(chunks: Sequence[Chunk]) -> Iterator[Sequence[Chunk]]:
    for start in range(0, len(chunks), EMBED_BATCH):
        yield chunks[start : start + EMBED_BATCH]
