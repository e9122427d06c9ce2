"""The key codec: injective for every Unicode id, separators and prefixes included.

A key is a list of segments joined by `#`. Inside a segment `%` and `#` are percent-encoded, so `#` always
separates, and a trailing `#` closes every prefix: no id can be the prefix of another's partition. No Unicode
normalisation is done: look-alikes are different ids, as they are for the platforms that issued them.
"""

from __future__ import annotations

from onthoud.errors import PermanentError

SEPARATOR = "#"
MAX_PARTITION_KEY_BYTES = 2048
"""DynamoDB's limit for a partition key, in UTF-8 bytes."""
MAX_SORT_KEY_BYTES = 1024
"""DynamoDB's limit for a sort key, in UTF-8 bytes."""


def encode(segment: str) -> str:
    """Encode one id so that it cannot contain the separator.

    Raises:
        PermanentError: the id is empty, or holds a lone surrogate. A missing id is an error, never "all".
    """
    if not segment:
        raise PermanentError("a key segment is empty: a missing id never means all")
    try:
        segment.encode("utf-8")
    except UnicodeEncodeError as error:
        raise PermanentError("an id holds a lone surrogate and cannot be a key") from error
    return segment.replace("%", "%25").replace(SEPARATOR, "%23")


def decode(segment: str) -> str:
    """Return the id that `encode` was given."""
    return segment.replace("%23", SEPARATOR).replace("%25", "%")


def join(kind: str, *segments: str, limit: int = MAX_PARTITION_KEY_BYTES) -> str:
    """Build a key `kind#segment#segment`.

    Raises:
        PermanentError: a segment is empty, or the key is longer than `limit` bytes.
    """
    key = SEPARATOR.join([kind, *(encode(segment) for segment in segments)])
    if len(key.encode("utf-8")) > limit:
        raise PermanentError(f"an id is too long: the {kind} key would exceed {limit} bytes")
    return key


def split(key: str) -> list[str]:
    """Return the kind and the ids of a key; the inverse of `join`."""
    kind, *segments = key.split(SEPARATOR)
    return [kind, *(decode(segment) for segment in segments)]
