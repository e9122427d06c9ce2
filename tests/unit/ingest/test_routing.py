"""Ingest: every event reaches its queue in a form that SQS takes, or quarantine under its own id."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.app import hand_over
from ingest.routing import route
from onthoud.adapters.sqs import MAX_BYTES, NewMessage, _check
from onthoud.delivery.quarantine import quarantined
from onthoud.delivery.worker import Message, Worker
from onthoud.errors import PermanentError
from onthoud.events.envelope import unwrap
from tests.fakes.world import FakeQueue, World, comment


class Strict(FakeQueue):
    """Refuses what SQS refuses."""

    def send(self, body: str, *, group: str, deduplication_id: str, attributes: Any = None, delay_s: int = 0) -> None:
        _check(NewMessage(body, group, deduplication_id))
        super().send(body, group=group, deduplication_id=deduplication_id, attributes=attributes, delay_s=delay_s)


def ingested(event: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Hand an event over; return what stands on the queue and what is in quarantine."""
    world = World()
    worker = Worker("ingest", "events", world.table, world.clock, world.settings)
    queue = Strict()
    body = json.dumps(event)
    message = Message("m-1", body)
    hand_over(unwrap(body), message, worker, {"comments": queue, "bookings": queue})
    return queue.sent, list(quarantined(world.table, world.settings.space, world.clock.now()))


def batch(*comments: Any) -> dict[str, Any]:
    return {"schema": "onthoud.comments.v1", "comments": list(comments)}


@given(st.text(st.characters(exclude_categories=()), max_size=20))
def test_any_text_reaches_the_queue_unchanged(text: str) -> None:
    event = unwrap(json.dumps(comment("c-1", text=text)))
    [routed], _ = route(event)
    _check(NewMessage(routed.body, routed.group, routed.deduplication_id))
    assert unwrap(routed.body).event == event.event


def test_an_event_that_no_queue_takes_harms_no_other_of_its_batch() -> None:
    sent, isolated = ingested(batch(comment("c-1"), comment("c-2", text="x" * MAX_BYTES), comment("c-3")))
    assert [json.loads(one["body"])["comment_id"] for one in sent] == ["c-1", "c-3"]
    assert [(one["event_id"], "larger" in one["reason"]) for one in isolated] == [("c-2", True)]


def test_a_comment_of_a_batch_without_a_schema_of_its_own_is_known_alone() -> None:
    bare = {name: value for name, value in comment("c-1").items() if name != "schema"}
    [sent], isolated = ingested(batch(bare))
    assert (unwrap(sent["body"]).event["comment_id"], isolated) == ("c-1", [])


def test_what_cannot_be_read_is_found_by_its_id_and_its_customer() -> None:
    _, [isolated] = ingested(comment("c-1", occurred_at="2026-11-30T09:00:00"))
    assert (isolated["event_id"], isolated["reason"]) == ("c-1", "occurred_at: a time without an offset")
    assert isolated["customer"].startswith("customer#main#default#instagram#")


def test_a_booking_that_cannot_be_read_is_found_by_its_id_and_its_customer() -> None:
    event = {"schema": "onthoud.booking.v1", "booking_id": 7, "channel": "email", "account_id": "club"}
    _, [isolated] = ingested({**event, "customer": {"id": 12}})
    assert (isolated["event_id"], isolated["customer"]) == ("7", "customer#main#default#email#club#12")


def test_an_id_that_no_store_takes_does_not_stop_the_quarantine() -> None:
    _, [isolated] = ingested(comment("c\ud83d"))
    assert isolated["event_id"] == "c\ufffd"


@pytest.mark.parametrize("comments", [[], None, {}])
def test_a_batch_that_is_none_is_refused_whole(comments: object) -> None:
    with pytest.raises(PermanentError, match="comments: not a list, or empty"):
        route(unwrap(json.dumps({"schema": "onthoud.comments.v1", "comments": comments})))
