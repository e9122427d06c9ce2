"""The far end's wish to wait, in whatever form it comes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from onthoud.adapters.retry_after import retry_after_s

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Retry-After": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"RETRY-AFTER": "3600"}, 3600),
        ({"Retry-After": "-1"}, 0),
        ({"Retry-After": "Mon, 30 Nov 2026 09:01:00 GMT"}, 60),
        ({"Retry-After": "Mon, 30 Nov 2026 09:01:00 -0000"}, 60),
        ({"Retry-After": "Mon, 30 Nov 2026 08:00:00 GMT"}, 0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": ""}, None),
        ({"After": "7"}, None),
        ({}, None),
    ],
)
def test_the_wish_is_read(headers: dict[str, str], expected: float | None) -> None:
    assert retry_after_s(headers, now=NOW) == expected
