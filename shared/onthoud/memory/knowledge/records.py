"""What the knowledge base knows of its documents and of itself, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from onthoud.clock import from_iso
from onthoud.memory.knowledge.chunks import CHUNKER_VERSION
from onthoud.ports.vectors import namespace
from onthoud.scope import Space


@dataclass(frozen=True, slots=True)
class Generation:
    """Which model and chunker an index was made with; a namespace belongs to exactly one."""

    model: str
    chunker: str = CHUNKER_VERSION

    def namespace(self, space: Space) -> str:
        """Return the namespace of this generation."""
        return namespace("knowledge", space.tenant, space.context, self.model, self.chunker)


@dataclass(frozen=True, slots=True)
class Manifest:
    """One document.

    Attributes:
        document: the object's key in the bucket.
        etag: the version of the object that `ids` stand for; empty until one was indexed whole.
        title: the document's title.
        namespace: where `ids` are indexed.
        ids: the chunks in the order of the document.
        touched: namespace to ids that an unfinished synchronisation may have put there.
        paid: ids of `touched` that were sent to be embedded, at `paid_at`.
        revision: grows with every write; the condition of the next one.
        leased_until: until when one worker has the document for itself.
        failure: why the document cannot be indexed, empty when it could.
        updated_at: when it was last written.
        created_at: when it was first written.
    """

    document: str
    etag: str = ""
    title: str = ""
    namespace: str = ""
    ids: tuple[str, ...] = ()
    touched: Mapping[str, frozenset[str]] = field(default_factory=dict)
    paid: frozenset[str] = frozenset()
    paid_at: datetime | None = None
    revision: int = 0
    leased_until: datetime | None = None
    failure: str = ""
    updated_at: datetime | None = None
    created_at: datetime | None = None

    @property
    def settled(self) -> bool:
        """Whether no synchronisation is unfinished."""
        return not self.touched and bool(self.etag)

    def possible(self) -> dict[str, frozenset[str]]:
        """Return, per namespace, every id that may be in the index for this document."""
        places = {name: frozenset(ids) for name, ids in self.touched.items()}
        if self.namespace:
            places[self.namespace] = places.get(self.namespace, frozenset()) | frozenset(self.ids)
        return places


@dataclass(frozen=True, slots=True)
class State:
    """The knowledge base as a whole.

    Attributes:
        generation: what the whole base is indexed with; None before the first document.
        floor: the dense score that questions about nothing reach; None before it was measured.
        measured_records: how many records the index held when it was.
        held: documents that a listing misses and that are kept until a person decides.
        reconciled_at: when index, manifests and bucket were last compared.
    """

    generation: Generation | None = None
    floor: float | None = None
    measured_records: int = 0
    held: tuple[str, ...] = ()
    reconciled_at: datetime | None = None

    @classmethod
    def read(cls, item: Mapping[str, Any] | None) -> State:
        """Read the state's item; without one, nothing was ever indexed."""
        if item is None:
            return cls()
        at = item.get("reconciled_at")
        return cls(
            Generation(item["model"], item["chunker"]) if item.get("model") else None,
            float(item["floor"]) if item.get("floor") is not None else None,
            int(item.get("measured_records", 0)),
            tuple(item.get("held", ())),
            from_iso(at) if at else None,
        )


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as it is read back: `document` and `section` are its source.

    `score` is its fused relevance (0 to 1), `likeness` the index's dense score.
    """

    id: str
    document: str
    title: str
    section: str
    text: str
    score: float = 0.0
    likeness: float = 0.0

    @property
    def memory_id(self) -> str:
        """The id by which decisions name it: document and section, then the chunk."""
        return f"passage:{self.document}#{self.section}:{self.id}"
