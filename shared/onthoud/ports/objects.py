"""The objects port: a bucket of documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """One object in a listing. `etag` changes whenever its bytes do."""

    key: str
    etag: str
    size: int


@dataclass(frozen=True, slots=True)
class ObjectBody:
    """An object's bytes, as they are now."""

    key: str
    etag: str
    content_type: str
    body: bytes


class Objects(Protocol):
    """A bucket that is read, never written."""

    def list(self) -> Iterator[ObjectInfo]:
        """Walk all objects, in the order of their keys.

        Raises:
            RetryableError: the listing could not be completed; a part of one is never passed off as the whole.
        """
        ...

    def get(self, key: str) -> ObjectBody:
        """Read an object.

        Raises:
            NotFound: it is not there.
            PermanentError: it is too large to be a document.
            RetryableError: it could not be read now.
        """
        ...
