"""Comments at the edge: what names no instant or no id is refused with a reason; what is merely odd costs no answer."""

from __future__ import annotations

from typing import Any

import pytest

from onthoud.clock import iso
from onthoud.events.comment import Comment, Unreadable, comments_of


def read(**changes: Any) -> Comment | Unreadable:
    event = {
        "schema": "onthoud.comment.v1",
        "comment_id": "c-1",
        "channel": "instagram",
        "account_id": "club",
        "author": {"id": "ana"},
        "text": "Lights?",
        "occurred_at": "2026-11-30T09:00:00Z",
    }
    return comments_of({**event, **changes})[0]


def comment(**changes: Any) -> Comment:
    found = read(**changes)
    assert isinstance(found, Comment), found
    return found


@pytest.mark.parametrize(
    ("moment", "reason"),
    [
        ("2026-11-30T09:00:00", "a time without an offset"),
        ("2026-11-30", "a time without an offset"),
        (1_790_000_000, "not an ISO 8601 time with an offset"),
        ("1790000000", "not an ISO 8601 time with an offset"),
        ("-17.9", "not an ISO 8601 time with an offset"),
        (True, "not an ISO 8601 time with an offset"),
        ("soon", "not an ISO 8601 time with an offset"),
        ("0001-01-01T00:00:00+14:00", "not a year of this age"),
        ("9999-12-31T23:59:59-12:00", "not a year of this age"),
    ],
)
def test_a_time_that_names_no_usable_instant_is_refused(moment: object, reason: str) -> None:
    found = read(occurred_at=moment)
    assert isinstance(found, Unreadable)
    assert found.reason == f"occurred_at: {reason}"


@pytest.mark.parametrize("leap", ["2026-12-31T23:59:60Z", "2027-01-01T00:59:60.5+01:00"])
def test_a_leap_second_is_the_last_instant_of_its_minute(leap: str) -> None:
    assert iso(comment(occurred_at=leap).occurred_at) == "2026-12-31T23:59:59.999999Z"


@pytest.mark.parametrize(
    ("given", "understood"),
    [("n" * 501, "n" * 500), ("A\ud83d", "A\ufffd"), (None, None), ({"first": "Ana"}, None), (5, None)],
)
def test_an_odd_name_costs_no_answer(given: object, understood: str | None) -> None:
    author = comment(author={"id": "ana", "name": given, "is_self": None}).author
    assert author is not None
    assert (author.name, author.is_self) == (understood, False)


@pytest.mark.parametrize(
    ("given", "understood"),
    [
        (None, []),
        ("a picture", []),
        ([None], [("file", None, None)]),
        ([{"url": "https://a.example/1"}], [("file", "https://a.example/1", None)]),
        ([{"type": None, "url": None, "bytes": None}], [("file", None, None)]),
        ([{"type": "image", "url": "https://a.example/" + "x" * 3000}], [("image", None, None)]),
        (
            [{"type": "gif", "bytes": 12.5}, {"type": "image", "bytes": -1}],
            [("gif", None, None), ("image", None, None)],
        ),
        ([{"type": "image", "bytes": 120_000}], [("image", None, 120_000)]),
    ],
)
def test_an_odd_attachment_costs_no_answer(given: object, understood: list[tuple[Any, ...]]) -> None:
    assert [(one.type, one.url, one.bytes) for one in comment(attachments=given).attachments] == understood


def test_an_id_with_a_lone_surrogate_is_refused_by_name() -> None:
    found = read(comment_id="c\ud83d")
    assert isinstance(found, Unreadable)
    assert found.reason == "comment_id: not valid Unicode (a lone surrogate)"
