"""The vector port: an index of text records in namespaces. It is derived and may lag; the table holds the truth."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from onthoud import keys

MAX_BATCH = 1000
"""The most records that one call may carry (Upstash's limit)."""
MAX_METADATA_BYTES = 48 * 1024
"""Upstash's limit for one record's metadata."""


class Mode(StrEnum):
    """Which half of a hybrid index answers."""

    DENSE = "DENSE"
    """By meaning, across languages."""
    SPARSE = "SPARSE"
    """By words (BM25), weighted by how rare they are."""
    HYBRID = "HYBRID"
    """Both, fused by the server."""


@dataclass(frozen=True, slots=True)
class Record:
    """What is indexed. The index embeds `text`; what is not to be embedded (speaker, time) goes into `metadata`."""

    id: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Query:
    """One question to the index. `where` is Upstash's filter language, written by code only."""

    text: str
    mode: Mode = Mode.HYBRID
    top_k: int = 50
    where: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that the index names. It may be gone or stale: it counts only once the table confirms it."""

    id: str
    score: float
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What the index says of itself; `pending` records are accepted and not yet searchable."""

    records: int
    pending: int
    dimension: int
    dense_model: str
    sparse_model: str

    @property
    def hybrid(self) -> bool:
        """Whether the index has a sparse half."""
        return bool(self.sparse_model)


class Vectors(Protocol):
    """A vector index. All calls may be repeated: ids decide, a second upsert of a record changes nothing.

    Every method raises `RetryableError` where the index is unreachable, overloaded, out of its quota or refuses its
    token, and `PermanentError` where it refuses the call itself.
    """

    def upsert(self, namespace: str, records: Sequence[Record]) -> None:
        """Embed and store records, at most `MAX_BATCH`."""
        ...

    def search(self, namespace: str, queries: Sequence[Query]) -> list[list[Hit]]:
        """Answer all queries in one round trip, best hits first."""
        ...

    def present(self, namespace: str, ids: Sequence[str]) -> frozenset[str]:
        """Return those of the ids that the index holds."""
        ...

    def delete(self, namespace: str, ids: Sequence[str]) -> int:
        """Remove records; return how many were there."""
        ...

    def ids(self, namespace: str) -> Iterator[str]:
        """Walk all ids of a namespace."""
        ...

    def drop(self, namespace: str) -> None:
        """Remove a namespace and all that is in it; one that is not there is no error."""
        ...

    def info(self) -> IndexInfo:
        """Describe the index."""
        ...


def namespace(kind: str, *parts: str) -> str:
    """Return a namespace for a scope: `kind` and a hash over its parts, in `[A-Za-z0-9_-]` only.

    The client puts a namespace into the URL as it is: an id such as `a#b`, `../b` or `x?all` would reach another
    namespace, or all of them. A hash is inert, and injective for every id (160 bits).
    """
    digest = hashlib.sha256(keys.join(kind, *parts).encode("utf-8")).digest()[:20]
    return f"{kind}_{base64.b32encode(digest).decode().lower()}"
