"""What the knowledge base holds, in the table: the truth from which the index is derived.

pk                                   sk                what
knowledge#tenant#context             state             generation, noise floor, held deletions
knowledge#tenant#context             document#<hash>   one manifest per document
knowledge-document#tenant#context#k  chunk#<id>        the text of a chunk of document k
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from onthoud import keys
from onthoud.clock import Clock, from_iso, iso
from onthoud.errors import Conflict, PermanentError, RetryableError
from onthoud.memory.knowledge.chunks import Chunk
from onthoud.memory.knowledge.records import Manifest, Passage, State
from onthoud.ports.table import AnyOf, Compare, Delete, Item, Key, Missing, Put, Table
from onthoud.privacy.registry import Store, nothing_personal
from onthoud.scope import Space

VERSION = 1
MAX_CHUNKS = 1500
"""Chunks per document, about 1.8 MB of text: with its ids three times over (held, touched, paid) a manifest stays far
from the 400 KB of an item."""
LEASE = timedelta(seconds=330)
"""How long one worker has a document for itself; longer than the function's timeout (300 s)."""
_BATCH = 100
STORES = (
    Store(
        "knowledge_document",
        holds="one manifest per document of the knowledge base: its version, its chunks' ids",
        retention="as long as the document lies in the bucket",
        erase=nothing_personal,
    ),
    Store(
        "knowledge_chunk",
        holds="the text of the operator's documents, cut into passages; nothing of any customer",
        retention="as long as the document lies in the bucket",
        erase=nothing_personal,
    ),
    Store(
        "knowledge_state",
        holds="which model and chunker the knowledge base was indexed with, and deletions that wait for a person",
        retention="as long as the stack",
        erase=nothing_personal,
    ),
)
_MOMENTS = ("paid_at", "leased_until", "updated_at", "created_at")


class Manifests:
    """The knowledge base's part of the table."""

    def __init__(self, table: Table, space: Space, clock: Clock) -> None:
        self._table, self.space, self._clock = table, space, clock
        self._pk = keys.join("knowledge", space.tenant, space.context)

    # -- manifests ---------------------------------------------------------------------------------------------------

    def get(self, document: str) -> Manifest | None:
        """Return a document's manifest."""
        key = self._key(document)
        item = self._table.get_many([key]).get(key)
        return _manifest(item) if item else None

    def all(self) -> Iterator[Manifest]:
        """Walk all manifests."""
        after: Key | None = None
        while True:
            page = self._table.query(self._pk, prefix="document#", after=after)
            yield from (_manifest(item) for item in page.items)
            if page.next is None:
                return
            after = page.next

    def lease(self, manifest: Manifest) -> Manifest:
        """Write a manifest and keep others away from its document for a while.

        Two deliveries of one event, without the lease:

            A: cut(old bytes)                                   upsert(old) -> orphans
            B:                cut(new bytes)  upsert  delete(old)  commit

        Raises:
            RetryableError: another worker has the document now.
        """
        now = self._clock.now()
        free = AnyOf((Missing("leased_until"), Compare("leased_until", "<=", iso(now))))
        try:
            return self._write(replace(manifest, leased_until=now + LEASE), free)
        except Conflict as error:
            raise RetryableError("another worker synchronises this document") from error

    def save(self, manifest: Manifest) -> Manifest:
        """Write a leased manifest.

        Raises:
            RetryableError: the lease was lost.
        """
        try:
            return self._write(manifest)
        except Conflict as error:
            raise RetryableError("the lease on this document was lost") from error

    def release(self, manifest: Manifest) -> Manifest:
        """Write a manifest and let others at its document."""
        return self.save(replace(manifest, leased_until=None))

    def remove(self, manifest: Manifest) -> None:
        """Delete a leased manifest.

        Raises:
            RetryableError: the lease was lost.
        """
        try:
            self._table.write(Delete(self._key(manifest.document), (Compare("revision", "=", manifest.revision),)))
        except Conflict as error:
            raise RetryableError("the lease on this document was lost") from error

    def _write(self, manifest: Manifest, *conditions: AnyOf) -> Manifest:
        now = self._clock.now()
        written = replace(
            manifest, revision=manifest.revision + 1, updated_at=now, created_at=manifest.created_at or now
        )
        same = (Compare("revision", "=", manifest.revision),) if manifest.revision else (Missing("pk"),)
        when = same if not manifest.revision else (*same, *conditions)
        self._table.write(Put({**_address(self._key(manifest.document)), **_item(written, now)}, when))
        return written

    def _key(self, document: str) -> Key:
        # An object's key may be as long as a sort key and hold anything: its hash stands for it.
        return Key(self._pk, f"document#{hashlib.sha256(document.encode('utf-8')).hexdigest()[:40]}")

    # -- the texts ---------------------------------------------------------------------------------------------------

    def put_chunks(self, manifest: Manifest, chunks: Iterable[Chunk], namespace: str, title: str) -> None:
        """Store the texts of chunks."""
        for chunk in chunks:
            item: Item = {
                **_address(self._chunk_key(manifest.document, chunk.id)),
                "kind": "knowledge_chunk",
                "v": VERSION,
                "created_at": iso(self._clock.now()),
                "source": "operator",
                "document": manifest.document,
                "namespace": namespace,
                "title": title,
                "section": chunk.section,
                "text": chunk.text,
            }
            self._table.write(Put(item))

    def delete_chunks(self, document: str, ids: Iterable[str]) -> None:
        """Delete the texts of chunks."""
        for name in ids:
            self._table.write(Delete(self._chunk_key(document, name)))

    def passages(self, named: Sequence[tuple[str, str]], namespace: str) -> dict[str, Passage]:
        """Read chunks by (document, id); what is gone or of another generation is absent from the answer."""
        found: dict[str, Passage] = {}
        wanted = [self._chunk_key(document, name) for document, name in named]
        for start in range(0, len(wanted), _BATCH):
            for item in self._table.get_many(wanted[start : start + _BATCH]).values():
                if item["namespace"] == namespace:
                    name = item["sk"].partition("#")[2]
                    found[name] = Passage(name, item["document"], item["title"], item["section"], item["text"])
        return found

    def _chunk_key(self, document: str, name: str) -> Key:
        return Key(keys.join("knowledge-document", self.space.tenant, self.space.context, document), f"chunk#{name}")

    # -- the state ---------------------------------------------------------------------------------------------------

    @property
    def state_key(self) -> Key:
        """Where the state lies, for callers who read it together with something else."""
        return Key(self._pk, "state")

    def state(self) -> State:
        """Return the state of the whole."""
        return State.read(self._table.get_many([self.state_key]).get(self.state_key))

    def set_state(self, state: State) -> None:
        """Write the state of the whole."""
        item: Item = {
            **_address(self.state_key),
            "kind": "knowledge_state",
            "v": VERSION,
            "created_at": iso(self._clock.now()),
            "model": state.generation.model if state.generation else None,
            "chunker": state.generation.chunker if state.generation else None,
            "floor": None if state.floor is None else Decimal(str(round(state.floor, 6))),
            "measured_records": state.measured_records,
            "held": list(state.held),
            "reconciled_at": iso(state.reconciled_at) if state.reconciled_at else None,
        }
        self._table.write(Put(item))


def _address(key: Key) -> Item:
    """Return the key as attributes."""
    return {"pk": key.pk, "sk": key.sk}


def _item(manifest: Manifest, now: datetime) -> dict[str, Any]:
    if len(manifest.ids) > MAX_CHUNKS:
        raise PermanentError(f"the document has more than {MAX_CHUNKS} chunks: split it")
    item: dict[str, Any] = {
        "kind": "knowledge_document",
        "v": VERSION,
        "created_at": iso(manifest.created_at or now),
        "document": manifest.document,
        "etag": manifest.etag,
        "title": manifest.title,
        "namespace": manifest.namespace,
        "ids": list(manifest.ids),
        "touched": {name: sorted(ids) for name, ids in manifest.touched.items()},
        "paid": sorted(manifest.paid),
        "revision": manifest.revision,
        "failure": manifest.failure,
        "updated_at": iso(now),
    }
    if manifest.paid_at:
        item["paid_at"] = iso(manifest.paid_at)
    if manifest.leased_until:
        item["leased_until"] = iso(manifest.leased_until)
    return item


def _manifest(item: Mapping[str, Any]) -> Manifest:
    moments = {name: from_iso(item[name]) for name in _MOMENTS if item.get(name)}
    return Manifest(
        document=item["document"],
        etag=item["etag"],
        title=item["title"],
        namespace=item["namespace"],
        ids=tuple(item["ids"]),
        touched={name: frozenset(ids) for name, ids in item["touched"].items()},
        paid=frozenset(item["paid"]),
        revision=int(item["revision"]),
        failure=item.get("failure", ""),
        **moments,
    )
