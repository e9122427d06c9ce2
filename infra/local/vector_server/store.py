"""One namespace of the index in memory: exact dense search, BM25 postings, metadata, delayed visibility."""

from __future__ import annotations

import json
import math
from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .filters import Test
from .fusion import Scored
from .sparse import SparseVector

Dense = NDArray[np.float32]

_COMPACT_FROM = 1024
"""Dead rows below this number are never worth a rebuild."""


@dataclass(slots=True)
class Row:
    """One stored record. `sequence` grows with every write and orders a walk."""

    id: str
    sequence: int
    dense: Dense | None
    sparse: SparseVector | None
    metadata: dict[str, Any] | None
    data: str | None


@dataclass(slots=True)
class Namespace:
    """Rows by id, a matrix of unit vectors, and postings per sparse dimension.

    A row is never changed: a write appends a new row and strikes out the old one; struck-out rows are cleared away
    when they are the larger part. Every write waits `lag_s` seconds until it can be seen, as in the real index.
    """

    dimension: int
    clock: Callable[[], float]
    lag_s: Callable[[], float]
    _rows: list[Row | None] = field(default_factory=list)
    _at: dict[str, int] = field(default_factory=dict)
    _matrix: Dense = field(init=False)
    _live: NDArray[np.bool_] = field(init=False)
    _postings: dict[int, tuple[array[int], array[float]]] = field(default_factory=dict)
    _frequency: dict[int, int] = field(default_factory=dict)
    _sparse_rows: int = 0
    _sequence: int = 0
    _waiting: deque[tuple[float, Callable[[], None]]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self._matrix = np.zeros((256, self.dimension), np.float32)
        self._live = np.zeros(256, np.bool_)

    # -- writes ------------------------------------------------------------------------------------------------------

    def put(self, rows: Iterable[Row]) -> None:
        """Store rows, once their lag is over."""
        batch = list(rows)

        def write() -> None:
            for row in batch:
                self._put(row)

        self._later(write)

    def delete(self, ids: Iterable[str]) -> int:
        """Remove rows, once the lag is over; return how many there are to remove."""
        self._settle()
        known = [name for name in ids if name in self._at]

        def write() -> None:
            for name in known:
                self._strike(name)

        self._later(write)
        return len(known)

    def pending(self) -> int:
        """Return how many writes cannot be seen yet."""
        self._settle()
        return len(self._waiting)

    # -- reads -------------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        self._settle()
        return len(self._at)

    def get(self, name: str) -> Row | None:
        """Return a row."""
        self._settle()
        at = self._at.get(name)
        return self._rows[at] if at is not None else None

    def rows(self, after: int = 0) -> Iterator[Row]:
        """Walk the rows written after a sequence number, oldest first."""
        self._settle()
        live = [row for row in self._rows if row is not None]
        yield from live[bisect_right(live, after, key=lambda row: row.sequence) :]

    def near(self, vector: Dense, top_k: int, test: Test | None) -> Scored:
        """Return the rows nearest to a vector, scored `(1 + cosine) / 2`."""
        self._settle()
        if not self._at:
            return []
        length = float(np.linalg.norm(vector)) or 1.0
        scores = self._matrix[: len(self._rows)] @ (vector / np.float32(length))
        scores = np.where(self._live[: len(self._rows)], (scores + np.float32(1)) / np.float32(2), np.float32(-1))
        return self._best(scores, top_k, test, floor=-0.5)

    def matching(self, vector: SparseVector, top_k: int, test: Test | None, *, idf: bool) -> Scored:
        """Return the rows with the largest inner product with a sparse vector."""
        self._settle()
        scores = np.zeros(len(self._rows), np.float32)
        for index, value in zip(vector.indices, vector.values, strict=True):
            if index in self._postings:
                rows, values = self._postings[index]
                # The arrays are copied: a view would forbid their growth while a search runs.
                scores[np.array(rows, np.int64)] += np.array(values, np.float32) * (
                    value * (self._idf(index) if idf else 1.0)
                )
        scores = np.where(self._live[: len(self._rows)], scores, np.float32(0))
        return self._best(scores, top_k, test, floor=0.0)

    def row_at(self, at: int) -> Row:
        """Return the row of a search result."""
        row = self._rows[at]
        if row is None:
            raise LookupError("the row was struck out")
        return row

    # -- inside ------------------------------------------------------------------------------------------------------

    def _later(self, write: Callable[[], None]) -> None:
        self._waiting.append((self.clock() + self.lag_s(), write))
        self._settle()

    def _settle(self) -> None:
        now = self.clock()
        while self._waiting and self._waiting[0][0] <= now:
            self._waiting.popleft()[1]()

    def _put(self, row: Row) -> None:
        self._strike(row.id)
        self._sequence += 1
        row.sequence = self._sequence
        at = len(self._rows)
        self._rows.append(row)
        self._at[row.id] = at
        if at >= len(self._matrix):
            self._matrix = np.concatenate([self._matrix, np.zeros_like(self._matrix)])
            self._live = np.concatenate([self._live, np.zeros_like(self._live)])
        self._live[at] = True
        if row.dense is not None:
            length = float(np.linalg.norm(row.dense)) or 1.0
            self._matrix[at] = row.dense / np.float32(length)
        if row.sparse is not None:
            self._post(at, row.sparse)

    def _post(self, at: int, sparse: SparseVector) -> None:
        self._sparse_rows += 1
        for index, value in zip(sparse.indices, sparse.values, strict=True):
            rows, values = self._postings.setdefault(index, (array("q"), array("d")))
            rows.append(at)
            values.append(value)
            self._frequency[index] = self._frequency.get(index, 0) + 1

    def _strike(self, name: str) -> None:
        at = self._at.pop(name, None)
        if at is None:
            return
        row = self._rows[at]
        self._rows[at] = None
        self._live[at] = False
        if row is not None and row.sparse is not None:
            self._sparse_rows -= 1
            for index in row.sparse.indices:
                self._frequency[index] -= 1
        if self._holes() > max(_COMPACT_FROM, len(self._at)):
            self._compact()

    def _holes(self) -> int:
        return len(self._rows) - len(self._at)

    def _compact(self) -> None:
        live = [(at, row) for at, row in enumerate(self._rows) if row is not None]
        self._matrix[: len(live)] = self._matrix[[at for at, _ in live]]
        self._live[:] = False
        self._live[: len(live)] = True
        self._rows = [row for _, row in live]
        self._at = {row.id: at for at, (_, row) in enumerate(live)}
        self._postings.clear()
        self._frequency.clear()
        self._sparse_rows = 0
        for at, (_, row) in enumerate(live):
            if row.sparse is not None:
                self._post(at, row.sparse)

    def _idf(self, index: int) -> float:
        """`ln((N - n + 0.5) / (n + 0.5) + 1)`, as the SDK documents it."""
        holders = self._frequency.get(index, 0)
        return math.log((self._sparse_rows - holders + 0.5) / (holders + 0.5) + 1)

    def _best(self, scores: NDArray[np.float32], top_k: int, test: Test | None, *, floor: float) -> Scored:
        if test is None:
            count = min(top_k, len(scores))
            chosen = np.argpartition(-scores, count - 1)[:count] if count else np.empty(0, np.int64)
            order = chosen[np.argsort(-scores[chosen], kind="stable")]
            return [(int(at), float(scores[at])) for at in order if scores[at] > floor]
        found: Scored = []
        for at in np.argsort(-scores, kind="stable"):
            if len(found) == top_k or scores[at] <= floor:
                break
            row = self._rows[at]
            if row is not None and test(row.metadata or {}):
                found.append((int(at), float(scores[at])))
        return found


def size_of(row: Row) -> int:
    """Return roughly how many bytes a row takes, for `indexSize`."""
    dense = 0 if row.dense is None else row.dense.nbytes
    sparse = 0 if row.sparse is None else 8 * len(row.sparse.indices)
    return dense + sparse + len(json.dumps(row.metadata)) + len(row.data or "")
