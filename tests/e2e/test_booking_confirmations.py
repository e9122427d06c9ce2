"""The booking bot on the local stack: the real template, real SDKs, real sockets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from infra.local.harness import LocalStack, start_stack
from onthoud.stores import REGISTRY
from tests.e2e.events import comment
from tests.unit.booking.scene import booking

pytestmark = pytest.mark.stack


@pytest.fixture(scope="module")
def running() -> Iterator[LocalStack]:
    with start_stack({"OwnIds": "club"}) as stack:
        yield stack


@pytest.fixture
def stack(running: LocalStack) -> Iterator[LocalStack]:
    yield running
    running.script()
    running.faults()
    running.channel(read_back=True, idempotent=True)
    running.drain()


_days = iter(range(2, 365))


def event(
    stack: LocalStack, booking_id: str, *, hour: int = 17, day: int | None = None, **changes: Any
) -> dict[str, Any]:
    """Return a booking of a day that no other test uses, unless one is named."""
    day = next(_days) if day is None else day
    now = datetime.fromisoformat(stack.now)
    start = (now + timedelta(days=day)).replace(hour=hour, minute=0, second=0, microsecond=0)
    return booking(
        booking_id=booking_id,
        starts_at=start.isoformat(),
        ends_at=(start + timedelta(hours=1)).isoformat(),
        occurred_at=now.isoformat(),
        **changes,
    )


def sent(stack: LocalStack, *names: str) -> list[dict[str, Any]]:
    return [one for one in stack.deliveries("confirmation") if one["in_reply_to"] in names]


def deliver(stack: LocalStack, *events: dict[str, Any]) -> None:
    for one in events:
        stack.send("bookings", one)
    stack.drain()


def outcomes(stack: LocalStack, name: str) -> list[tuple[str, str]]:
    return [(one["outcome"], one["reason"]) for one in stack.decisions(name)]


def test_a_booking_is_confirmed_moved_and_cancelled_for_a_customer_whom_the_reply_bot_knows(stack: LocalStack) -> None:
    now = datetime.fromisoformat(stack.now)
    ana = {"id": "known-1", "name": "Ana", "is_self": False}
    stack.send("comments", comment("known-c", "Is court 3 free on Tuesday?", now, author=ana))
    stack.drain()
    stack.put_profile("instagram", "club", "known-1", {"language": "nl", "preferred_courts": ["Court 3"]})
    stack.cli("identities", "link", "instagram/club/known-1", "email/club/known-mail", "--reason", "same person")
    customer = {"id": "known-mail", "name": "Ana"}
    first = event(stack, "life-1", day=400, customer=customer)
    deliver(stack, first, first)
    [confirmed] = sent(stack, "life-1")
    assert confirmed["text"].startswith("Beste Ana") and "Uw boeking is bevestigd" in confirmed["text"]
    assert "favoriete baan" in confirmed["text"] and "Europe/Amsterdam" in confirmed["text"]
    [decision] = stack.decisions("life-1")
    assert decision["memory_ids"] == ["profile of instagram/club/known-1"] and decision["cost_usd"] > 0

    moved = event(stack, "life-2", day=400, hour=18, customer=customer, replaces="life-1")
    deliver(stack, {**first, "version": 2, "status": "cancelled"}, moved)
    assert [("verplaatst" in one["text"], one["in_reply_to"]) for one in sent(stack, "life-1", "life-2")[1:]] == [
        (True, "life-2")
    ]

    deliver(stack, {**moved, "version": 2, "status": "cancelled"}, moved)
    assert "geannuleerd" in sent(stack, "life-2")[-1]["text"] and len(sent(stack, "life-2")) == 2
    assert [turn["event_id"] for turn in stack.memory("email", "club", "known-mail")["turns"]] == [
        "life-1",
        "life-2",
        "life-2",
    ]


def test_a_cancellation_alone_is_said_within_the_same_drain(stack: LocalStack) -> None:
    one = event(stack, "alone-1")
    deliver(stack, one)
    deliver(stack, {**one, "version": 2, "status": "cancelled"})
    assert "cancelled" in sent(stack, "alone-1")[-1]["text"]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_out_of_order_versions_end_cancelled(stack: LocalStack, order: tuple[int, ...]) -> None:
    name = f"order-{''.join(map(str, order))}"
    base = event(stack, name)
    versions = [base, {**base, "version": 2, "status": "rescheduled"}, {**base, "version": 3, "status": "cancelled"}]
    deliver(stack, *(versions[place] for place in order))
    assert "cancelled" in sent(stack, name)[-1]["text"]
    keys = [one["idempotency_key"] for one in sent(stack, name)]
    assert len(keys) == len(set(keys))


def test_an_invention_never_goes_out_and_the_staff_note_never_goes_in(stack: LocalStack) -> None:
    stack.put_profile("email", "club", "ana-1", {"notes": [{"text": "owes for March", "visibility": "staff"}]})
    stack.script(
        {"match": {"purpose": "confirm"}, "json": {"text": "Hi Ana, court 4 at 8 pm, and 20% off!"}},
        {"match": {"purpose": "confirm"}, "json": {"text": "Hi Ana, court 3. Please settle what is open."}},
    )
    stack.call("DELETE", "/local/model/calls")
    deliver(stack, event(stack, "invented-1", staff_note="always late"))
    [one] = sent(stack, "invented-1")
    assert one["text"].startswith("Hello Ana,\n\nYour booking is confirmed:\n\nCourt 3\n")
    assert len(stack.model_calls()) == 2
    asked = json.dumps([call["request"] for call in stack.model_calls()])
    assert "owes" not in asked and "late" not in asked and "ana@example.com" not in asked
    stack.call("PUT", "/local/profiles/email/club/ana-1", {})


def test_a_right_draft_of_the_script_goes_out_word_for_word(stack: LocalStack) -> None:
    words = "Hi Ana, Court 3 at Onthoud Club is yours from 6 PM to 7 PM (Europe/Amsterdam). See you there!"
    stack.script({"match": {"purpose": "confirm"}, "text": words})
    deliver(stack, event(stack, "right-1", venue_time_zone="Europe/Amsterdam", hour=17, day=40))
    assert words in sent(stack, "right-1")[0]["text"]


@pytest.mark.parametrize("answer", [{"status": 529}, {"raw": "not json"}, {"stop_reason": "refusal", "text": ""}])
def test_a_model_that_fails_costs_the_words_and_not_the_confirmation(stack: LocalStack, answer: dict[str, Any]) -> None:
    name = f"fails-{next(_days)}"
    stack.script(answer, answer)
    deliver(stack, event(stack, name))
    [one] = sent(stack, name)
    assert one["text"].startswith("Hello Ana,\n\nYour booking is confirmed:")


def test_a_booking_on_the_bus_arrives(stack: LocalStack) -> None:
    stack.put_event("BookingChanged", event(stack, "bus-1"))
    stack.drain()
    assert len(sent(stack, "bus-1")) == 1


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_crash_around_the_send_costs_no_second_message(stack: LocalStack, when: str) -> None:
    stack.faults({"target": "channel", "operation": "send", "kind": "crash", "when": when, "times": 1})
    deliver(stack, event(stack, f"crash-{when}"))
    assert len(sent(stack, f"crash-{when}")) == 1


def test_a_crash_while_a_cancellation_waits_loses_it_not(stack: LocalStack) -> None:
    one = event(stack, "wait-crash")
    deliver(stack, one)
    stack.faults({"target": "sqs", "operation": "SendMessage", "kind": "crash", "when": "before", "times": 1})
    deliver(stack, {**one, "version": 2, "status": "cancelled"})
    assert ["cancelled" in message["text"] for message in sent(stack, "wait-crash")] == [False, True]


def test_a_conflict_is_an_alert_and_no_confirmation(stack: LocalStack) -> None:
    deliver(stack, event(stack, "clash-1", day=300))
    deliver(stack, event(stack, "clash-2", day=300, customer={"id": "bo-1", "name": "Bo"}, to="bo@example.com"))
    assert sent(stack, "clash-2") == []
    assert outcomes(stack, "clash-2") == [("escalated", "conflict: court_taken")]
    assert "bookings:conflict:email/club/clash-2" in stack.cli("alerts", "list")["stdout"]


def test_what_cannot_be_read_is_quarantined_with_the_field(stack: LocalStack) -> None:
    naive = {**event(stack, "naive-1"), "starts_at": "2027-12-01T18:00:00"}
    deliver(stack, naive)
    assert outcomes(stack, "naive-1") == [("quarantined", "starts_at: a time without an offset")]
    assert stack.quarantine()[-1]["queue"] == "bookings"


def test_the_message_carries_a_calendar_entry_of_the_same_instant(stack: LocalStack) -> None:
    one = event(stack, "ics-1")
    deliver(stack, one)
    start = datetime.fromisoformat(one["starts_at"])
    entries = [item for item in stack.table() if item.get("event_id") == {"S": "ics-1"} and "out" in item]
    extra = entries[0]["out"]["M"]["extra"]["M"]
    assert f"DTSTART:{start:%Y%m%dT%H%M%SZ}" in extra["attachments"]["L"][0]["M"]["content"]["S"]
    assert "Court 3" in extra["subject"]["S"] and "Europe/Amsterdam" in extra["subject"]["S"]


def test_profiles_load_on_the_stack_and_a_bad_row_is_named(stack: LocalStack, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    rows = [f"email,club,load-{number},P{number},da" for number in range(150)] + ["email,club,,Nobody,da"]
    file.write_text("channel,account_id,customer_id,name,language\n" + "\n".join(rows) + "\n", encoding="utf-8")
    answer = stack.cli("profiles", "load", str(file))
    assert answer["exit_code"] == 0
    assert "row 152: skipped: customer_id: missing" in answer["stdout"] and "150 profiles loaded" in answer["stdout"]
    deliver(stack, event(stack, "loaded-1", customer={"id": "load-77"}))
    assert sent(stack, "loaded-1")[0]["text"].startswith("Kære P77")


def test_an_erased_customers_bookings_leave_no_trace(stack: LocalStack) -> None:
    customer = {"id": "gone-1", "name": "Gonda"}
    deliver(stack, event(stack, "gone-b", customer=customer, to="gonda@example.com"))
    assert stack.cli("memory", "erase", "email/club/gone-1")["exit_code"] == 0
    left = json.dumps(stack.table())
    assert "Gonda" not in left and "gonda@example.com" not in left


def test_every_kind_of_item_is_registered(stack: LocalStack) -> None:
    kinds = {item["kind"]["S"] for item in stack.table()}
    assert kinds <= REGISTRY.kinds(), kinds - REGISTRY.kinds()


@pytest.mark.prove
def test_ten_thousand_profiles_load_on_the_stack(stack: LocalStack, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    rows = [f"email,club,many-{number},Person {number},nl" for number in range(10_000)]
    file.write_text("channel,account_id,customer_id,name,language\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert "10000 profiles loaded, 0 rows skipped." in stack.cli("profiles", "load", str(file))["stdout"]
    assert stack.memory("email", "club", "many-9999")["profile"] == {"name": "Person 9999", "language": "nl"}
