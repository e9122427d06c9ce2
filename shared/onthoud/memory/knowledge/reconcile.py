"""Bucket, manifests and index compared as a whole, and repaired."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from onthoud.errors import RetryableError
from onthoud.memory.knowledge.chunks import Chunk
from onthoud.memory.knowledge.floor import measure
from onthoud.memory.knowledge.records import Generation, Manifest
from onthoud.memory.knowledge.sync import EMBED_BATCH, Synchroniser
from onthoud.ports.vectors import Record

HELD_COUNT = 10
HELD_SHARE = 0.10
"""A listing that loses more than ten documents and more than a tenth of all is more likely wrong than meant."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What bucket and manifests say of each other."""

    changed: tuple[str, ...]
    """Documents to be synchronised: new, changed, unfinished, or of another generation."""
    missing: tuple[str, ...]
    """Documents that have a manifest and are not listed."""
    unchanged: int
    suspicious: bool
    """Whether so many are missing that no one is deleted before a person has said so."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What the comparison of index and manifests found and mended."""

    orphans: int
    """Records that no manifest names, removed."""
    restored: int
    """Chunks that the index had lost, embedded again."""
    equal: bool
    """Whether `set(index) == set(manifests)` held in the end."""


def survey(sync: Synchroniser) -> Survey:
    """Compare the bucket with the manifests.

    Raises:
        RetryableError: the listing could not be completed.
    """
    listed = {entry.key: entry.etag for entry in sync.objects.list() if entry.size and not entry.key.endswith("/")}
    known = {manifest.document: manifest for manifest in sync.manifests.all()}
    changed = [key for key, etag in listed.items() if not _in_step(known.get(key), etag, sync.namespace)]
    missing = [key for key in known if key not in listed]
    return Survey(
        tuple(changed), tuple(missing), len(listed) - len(changed), _suspicious(len(missing), len(known), len(listed))
    )


def repair(sync: Synchroniser) -> Repair:
    """Make the index hold exactly what the manifests name.

    The index is walked before the manifests are read: an id is in its manifest before it is in the index, so that an
    id that is in the index and then in no manifest belongs to nothing.
    """
    indexed = set(sync.vectors.ids(sync.namespace))
    manifests = [manifest for manifest in sync.manifests.all() if manifest.namespace or manifest.touched]
    allowed: set[str] = set()
    for manifest in manifests:
        allowed |= manifest.possible().get(sync.namespace, frozenset())
    orphans = sorted(indexed - allowed)
    sync.vectors.delete(sync.namespace, orphans)
    restored = sum(_restore(sync, manifest, indexed) for manifest in manifests if manifest.settled)
    settled = all(manifest.settled for manifest in manifests)
    named = {name for manifest in manifests if manifest.namespace == sync.namespace for name in manifest.ids}
    equal = settled and (set(sync.vectors.ids(sync.namespace)) == named if orphans or restored else indexed == named)
    return Repair(len(orphans), restored, equal)


def settle_generation(sync: Synchroniser, previous: Generation | None) -> None:
    """Make this generation the one that answers, once every document is in it, and remove the one before.

    Raises:
        RetryableError: a document is not in it yet.
    """
    for manifest in sync.manifests.all():
        if not manifest.settled or manifest.namespace != sync.namespace:
            raise RetryableError("a document is not yet indexed with the present model and chunker")
    floor = measure(sync.vectors, sync.namespace)
    state = sync.manifests.state()
    records = sync.vectors.info().records
    sync.manifests.set_state(replace(state, generation=sync.generation, floor=floor, measured_records=records))
    if previous and previous != sync.generation:
        sync.vectors.drop(previous.namespace(sync.manifests.space))


def _in_step(manifest: Manifest | None, etag: str, namespace: str) -> bool:
    return bool(manifest and manifest.settled and manifest.etag == etag and manifest.namespace == namespace)


def _suspicious(missing: int, known: int, listed: int) -> bool:
    emptied = listed == 0 and known > 1
    return emptied or (missing > HELD_COUNT and missing > HELD_SHARE * known)


def _restore(sync: Synchroniser, manifest: Manifest, indexed: set[str]) -> int:
    lost = [name for name in manifest.ids if name not in indexed] if manifest.namespace == sync.namespace else []
    # A document that was committed after the walk looks lost: the index itself is asked once more.
    there = sync.vectors.present(sync.namespace, lost) if lost else frozenset()
    lost = [name for name in lost if name not in there]
    texts = sync.manifests.passages([(manifest.document, name) for name in lost], sync.namespace)
    chunks = [Chunk(name, text.section, text.text) for name, text in texts.items()]
    for start in range(0, len(chunks), EMBED_BATCH):
        batch = chunks[start : start + EMBED_BATCH]
        sync.vectors.upsert(sync.namespace, _records(batch, manifest.title, {"document": manifest.document}))
    return len(chunks)


def _records(chunks: Iterable[Chunk], title: str, metadata: Mapping[str, str]) -> Sequence[Record]:
    return [Record(chunk.id, chunk.embedded_text(title), metadata) for chunk in chunks]
