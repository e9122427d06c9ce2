"""Reads the far end's wish to wait."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite


def retry_after_s(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """Return `Retry-After` in seconds: a number or an HTTP date, whatever the case of the header's letters.

    It is the far end's wish and not capped here. None where there is no wish, or one that cannot be read.
    """
    wish = next((value for name, value in headers.items() if name.lower() == "retry-after"), None)
    if wish is None:
        return None
    try:
        seconds = float(wish)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if isfinite(seconds) else None
    try:
        until = parsedate_to_datetime(wish)
    except ValueError:
        return None
    aware = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (aware - (now or datetime.now(UTC))).total_seconds())
