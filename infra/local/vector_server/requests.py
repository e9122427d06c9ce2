"""What a request may hold: the JSON bodies of the calls, checked, with the refusals that a client would meet."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .filters import FilterError, Test, compile_filter
from .sparse import SparseVector

MAX_BATCH = 1000
MAX_TOP_K = 1000
MAX_METADATA_BYTES = 48 * 1024
MAX_DATA_BYTES = 1024 * 1024
MODES = ("HYBRID", "DENSE", "SPARSE")
FUSIONS = ("RRF", "DBSF")


class Refusal(Exception):
    """A request that is not carried out."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.message, self.status = message, status


def as_list(body: Any) -> list[dict[str, Any]]:
    """Return the objects of a body that may be one object or a batch."""
    items = body if isinstance(body, list) else [body]
    if not items or not all(isinstance(item, dict) for item in items):
        raise Refusal("The body must be an object, or a list of objects that is not empty")
    if len(items) > MAX_BATCH:
        raise Refusal(f"Batch size {len(items)} exceeds the limit of {MAX_BATCH}")
    return items


def identifier(value: Any) -> str:
    """Return an id; numbers count as their text."""
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise Refusal("An id must be a string that is not empty, or a number")
    return str(value)


def identifiers(value: Any) -> list[str]:
    """Return one id or a list of ids."""
    return [identifier(one) for one in (value if isinstance(value, list) else [value])]


def dense(value: Any, dimension: int) -> NDArray[np.float32] | None:
    """Return a dense vector of the index's dimension."""
    if value is None:
        return None
    try:
        vector = np.asarray(value, np.float32)
    except (TypeError, ValueError) as error:
        raise Refusal("The vector must be a list of numbers") from error
    if vector.shape != (dimension,):
        given = vector.shape[0] if vector.ndim == 1 else vector.ndim
        raise Refusal(f"Invalid vector dimension: {given}, expected: {dimension}", 422)
    if not np.isfinite(vector).all():
        raise Refusal("The vector holds a number that is not finite")
    return vector


def sparse(value: Any) -> SparseVector | None:
    """Return a sparse vector."""
    if value is None:
        return None
    try:
        indices = tuple(int(index) for index in value["indices"])
        values = tuple(float(number) for number in value["values"])
    except (KeyError, TypeError, ValueError) as error:
        raise Refusal("A sparse vector needs indices and values") from error
    if len(indices) != len(values) or len(indices) > MAX_BATCH:
        raise Refusal("Indices and values must be of one length, at most 1000")
    return SparseVector(indices, values)


def metadata(value: Any) -> dict[str, Any] | None:
    """Return metadata: a JSON object or nothing."""
    if value is not None and not isinstance(value, dict):
        raise Refusal("Metadata must be an object")
    return value


def text(value: Any) -> str:
    """Return raw text to embed."""
    if not isinstance(value, str) or not value:
        raise Refusal("Data must be text that is not empty")
    if len(value.encode("utf-8", "replace")) > MAX_DATA_BYTES:
        raise Refusal(f"Data exceeds {MAX_DATA_BYTES} bytes")
    return value


def top_k(item: dict[str, Any]) -> int:
    """Return how many hits are wanted, 10 where nothing is said."""
    wanted = item.get("topK", 10)
    if isinstance(wanted, bool) or not isinstance(wanted, int) or not 1 <= wanted <= MAX_TOP_K:
        raise Refusal(f"topK must be between 1 and {MAX_TOP_K}")
    return wanted


def choice(item: dict[str, Any], name: str, allowed: tuple[str, ...]) -> str:
    """Return one of the allowed words, the first where nothing is said."""
    value = item.get(name) or allowed[0]
    if value not in allowed:
        raise Refusal(f"{name} must be one of {', '.join(allowed)}")
    return str(value)


def condition(item: dict[str, Any]) -> Test | None:
    """Return the compiled filter."""
    value = item.get("filter") or ""
    if not isinstance(value, str):
        raise Refusal("A filter must be text")
    try:
        return compile_filter(value)
    except FilterError as error:
        raise Refusal(str(error)) from error
