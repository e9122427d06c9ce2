"""The booking bot on the local stack: the real template, real SDKs, real sockets.

The events of all tests are handed over together, in four drains; each test looks at its own bookings.
"""

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

INVENTED = ("Hi Ana, court 4 at 8 pm, and 20% off!", "Hi Ana, court 3. Please settle what is open.")
RIGHT = "Hi Ana, Court 61 at Onthoud Club is yours from 6 PM to 7 PM (Europe/Amsterdam). See you there!"
ORDERS = ((0, 1, 2), (2, 1, 0), (1, 2, 0))
FAILURES: tuple[dict[str, Any], ...] = ({"status": 529}, {"raw": "not json"}, {"stop_reason": "refusal", "text": ""})


class Play:
    """The stack, the events by booking, and what was asked of the model."""

    def __init__(self, stack: LocalStack) -> None:
        self.stack = stack
        self.events: dict[str, dict[str, Any]] = {}
        self._now = datetime.fromisoformat(stack.now)
        self._courts = iter(range(80, 400))

    def event(self, name: str, *, hour: int = 18, court: str = "", **changes: Any) -> dict[str, Any]:
        """Return a booking of a court that no other test uses, unless one is named; 18 is the hour at the venue."""
        start = (self._now + timedelta(days=2)).replace(hour=hour - 1, minute=0, second=0, microsecond=0)
        self.events[name] = booking(
            booking_id=name,
            starts_at=start.isoformat(),
            ends_at=(start + timedelta(hours=1)).isoformat(),
            occurred_at=self._now.isoformat(),
            venue_time_zone="Europe/Amsterdam",
            **{
                "court": court or f"Court {next(self._courts)}",
                "customer": {"id": f"customer-of-{name}", "name": "Ana"},
                **changes,
            },
        )
        return self.events[name]

    def later(self, name: str, version: int, status: str, **changes: Any) -> dict[str, Any]:
        return {**self.events[name], "version": version, "status": status, **changes}

    def deliver(self, *events: dict[str, Any]) -> None:
        for one in events:
            self.stack.send("bookings", one)
        self.stack.drain()

    def sent(self, *names: str) -> list[str]:
        return [one["text"] for one in self.stack.deliveries("confirmation") if one["in_reply_to"] in names]

    def outcomes(self, name: str) -> list[tuple[str, str]]:
        return [(one["outcome"], one["reason"]) for one in self.stack.decisions(name)]


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Play]:
    with start_stack({"OwnIds": "club"}) as stack:
        one = Play(stack)
        _customers(one, tmp_path_factory.mktemp("profiles"))
        _first(one)
        _second(one)
        _third(one)
        yield one


def _customers(play: Play, folder: Path) -> None:
    """A customer of the reply bot, linked to a mail address; staff notes; a file of profiles with a bad row."""
    stack = play.stack
    ana = {"id": "known-1", "name": "Ana", "is_self": False}
    stack.send("comments", comment("known-c", "Is court 3 free?", datetime.fromisoformat(stack.now), author=ana))
    stack.put_profile("instagram", "club", "known-1", {"language": "nl", "preferred_courts": ["Court 3"]})
    stack.cli("identities", "link", "instagram/club/known-1", "email/club/known-mail", "--reason", "same person")
    notes = [{"text": "owes for March", "visibility": "staff"}]
    stack.put_profile("email", "club", "customer-of-invented", {"notes": notes})
    file = folder / "people.csv"
    rows = [f"email,club,load-{number},P{number},da" for number in range(150)] + ["email,club,,Nobody,da"]
    file.write_text("channel,account_id,customer_id,name,language\n" + "\n".join(rows) + "\n", encoding="utf-8")
    answer = stack.cli("profiles", "load", str(file))
    assert answer["exit_code"] == 0
    assert "row 152: skipped: customer_id: missing" in answer["stdout"] and "150 profiles loaded" in answer["stdout"]


def _first(play: Play) -> None:
    """Confirmations: in the customer's words, by script, with a failing model, by the bus, unreadable."""
    life = play.event("life-1", court="Court 3", customer={"id": "known-mail", "name": "Ana"})
    invented = play.event("invented", court="Court 60", staff_note="always late")
    right = play.event("right", court="Court 61")
    failing = [play.event(f"fails-{number}", court=f"Court 7{number}") for number in range(len(FAILURES))]
    script: list[dict[str, Any]] = [
        {"match": {"purpose": "confirm", "contains": "Court 60"}, "json": {"text": text}} for text in INVENTED
    ]
    script.append({"match": {"purpose": "confirm", "contains": "Court 61"}, "text": RIGHT})
    for number, answer in enumerate(FAILURES):
        script += [answer | {"match": {"purpose": "confirm", "contains": f"Court 7{number}"}}] * 2
    play.stack.script(*script)
    play.stack.put_event("BookingChanged", play.event("bus"))
    for name in ("alone", "wait-crash", "moved-late"):
        play.stack.send("bookings", play.event(name))
    play.stack.send("bookings", {**play.event("naive"), "starts_at": "2027-12-01T18:00:00"})
    play.stack.send("bookings", play.event("gone", customer={"id": "gone-1", "name": "Gonda"}, to="gonda@example.com"))
    play.stack.send("bookings", play.event("loaded", customer={"id": "load-77"}))
    play.stack.send("bookings", play.event("clash-1", court="Court 50"))
    play.deliver(life, life, invented, right, *failing)
    play.stack.script()


def _second(play: Play) -> None:
    """Moves and cancellations, in any order; a conflict."""
    play.event("life-2", court="Court 3", hour=19, customer={"id": "known-mail", "name": "Ana"}, replaces="life-1")
    events = [play.later("life-1", 2, "cancelled"), play.events["life-2"], play.later("alone", 2, "cancelled")]
    events.append(play.event("clash-2", court="court 50", customer={"id": "bo-1", "name": "Bo"}, to="bo@example.com"))
    for order in ORDERS:
        name = f"order-{''.join(map(str, order))}"
        play.event(name)
        statuses = ("confirmed", "rescheduled", "cancelled")
        events += [play.later(name, place + 1, statuses[place]) for place in order]
    play.deliver(*events)


def _third(play: Play) -> None:
    """The end of the moved booking, with a late confirmation; crashes."""
    play.stack.faults(
        {"target": "channel", "operation": "send", "kind": "crash", "when": "before", "times": 1},
        {"target": "channel", "operation": "send", "kind": "crash", "when": "after", "after": 1, "times": 1},
        {"target": "sqs", "operation": "SendMessage", "kind": "crash", "when": "before", "times": 1},
    )
    play.deliver(
        play.event("crash-1"),
        play.event("crash-2"),
        play.later("wait-crash", 2, "cancelled"),
        play.later("life-2", 2, "cancelled"),
        play.events["life-2"],
    )
    play.stack.faults()


def test_a_booking_is_confirmed_moved_and_cancelled_for_a_customer_whom_the_reply_bot_knows(play: Play) -> None:
    confirmed, moved, cancelled = play.sent("life-1", "life-2")
    assert confirmed.startswith("Beste Ana") and "Uw boeking is bevestigd" in confirmed
    assert "favoriete baan" in confirmed and "Europe/Amsterdam" in confirmed
    assert "verplaatst" in moved and "19:00" in moved
    assert "geannuleerd" in cancelled
    first = play.stack.decisions("life-1")[0]
    print(
        f"per confirmation: {first['reads']} reads, {first['writes']} writes, {first['units']} units, "
        f"{first['tokens']} tokens, {first['cost_usd']} USD"
    )
    assert first["memory_ids"] == ["profile of instagram/club/known-1"] and first["cost_usd"] > 0
    assert first["model_calls"] == 1 and first["tokens"]["output"] > 0
    turns = play.stack.memory("email", "club", "known-mail")["turns"]
    assert sorted(turn["event_id"] for turn in turns) == ["life-1", "life-2", "life-2"]


def test_the_move_is_one_message_though_the_cancellation_came_first(play: Play) -> None:
    assert ("skipped", "replaced") in play.outcomes("life-1")
    assert len(play.sent("life-1")) == 1


def test_a_cancellation_alone_is_said_within_the_same_drain(play: Play) -> None:
    assert ["cancelled" in text for text in play.sent("alone")] == [False, True]


@pytest.mark.parametrize("order", ORDERS)
def test_out_of_order_versions_end_cancelled(play: Play, order: tuple[int, ...]) -> None:
    texts = play.sent(f"order-{''.join(map(str, order))}")
    assert "cancelled" in texts[-1] and "confirmed" not in texts[-1]
    assert len(texts) == len(set(texts))


def test_an_invention_never_goes_out_and_the_staff_note_never_goes_in(play: Play) -> None:
    [text] = play.sent("invented")
    assert text.startswith("Hello Ana,\n\nYour booking is confirmed:\n\nCourt 60\n")
    asked = json.dumps([call["request"] for call in play.stack.model_calls() if call["purpose"] == "confirm"])
    assert asked.count("Court 60") >= 2
    for hidden in ("owes", "late", "ana@example.com", "customer-of"):
        assert hidden not in asked


def test_a_right_draft_of_the_script_goes_out_word_for_word(play: Play) -> None:
    [text] = play.sent("right")
    assert text.startswith(RIGHT)


@pytest.mark.parametrize("number", range(len(FAILURES)))
def test_a_model_that_fails_costs_the_words_and_not_the_confirmation(play: Play, number: int) -> None:
    [text] = play.sent(f"fails-{number}")
    assert text.startswith(f"Hello Ana,\n\nYour booking is confirmed:\n\nCourt 7{number}\n")


def test_a_booking_on_the_bus_arrives(play: Play) -> None:
    assert len(play.sent("bus")) == 1


def test_crashes_around_the_send_cost_no_second_message(play: Play) -> None:
    assert len(play.sent("crash-1")) == len(play.sent("crash-2")) == 1


def test_a_crash_while_a_cancellation_waits_loses_it_not(play: Play) -> None:
    assert ["cancelled" in text for text in play.sent("wait-crash")] == [False, True]


def test_a_conflict_is_an_alert_and_no_confirmation(play: Play) -> None:
    assert play.sent("clash-2") == []
    assert play.outcomes("clash-2") == [("escalated", "conflict: court_taken")]
    assert "bookings:conflict:email/club/clash-2" in play.stack.cli("alerts", "list")["stdout"]


def test_what_cannot_be_read_is_quarantined_with_the_field(play: Play) -> None:
    assert play.outcomes("naive") == [("quarantined", "starts_at: a time without an offset")]
    assert [one["queue"] for one in play.stack.quarantine()] == ["bookings"]


def test_the_message_carries_a_calendar_entry_of_the_same_instant(play: Play) -> None:
    start = datetime.fromisoformat(play.events["bus"]["starts_at"])
    entries = [item for item in play.stack.table() if item.get("event_id") == {"S": "bus"} and "out" in item]
    extra = entries[0]["out"]["M"]["extra"]["M"]
    assert f"DTSTART:{start:%Y%m%dT%H%M%SZ}" in extra["attachments"]["L"][0]["M"]["content"]["S"]
    assert "6:00 PM" in extra["subject"]["S"] and "Europe/Amsterdam" in extra["subject"]["S"]


def test_a_loaded_profile_is_used(play: Play) -> None:
    assert play.sent("loaded")[0].startswith("Kære P77")


def test_an_erased_customers_bookings_leave_no_trace(play: Play) -> None:
    assert len(play.sent("gone")) == 1
    assert play.stack.cli("memory", "erase", "email/club/gone-1")["exit_code"] == 0
    left = json.dumps(play.stack.table())
    assert "Gonda" not in left and "gonda@example.com" not in left


def test_every_kind_of_item_is_registered(play: Play) -> None:
    kinds = {item["kind"]["S"] for item in play.stack.table()}
    assert kinds <= REGISTRY.kinds(), kinds - REGISTRY.kinds()


@pytest.mark.prove
@pytest.mark.timeout(900)
def test_ten_thousand_profiles_load_on_the_stack(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    rows = [f"email,club,many-{number},Person {number},nl" for number in range(10_000)]
    file.write_text("channel,account_id,customer_id,name,language\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert "10000 profiles loaded, 0 rows skipped." in play.stack.cli("profiles", "load", str(file))["stdout"]
    assert play.stack.memory("email", "club", "many-9999")["profile"] == {"name": "Person 9999", "language": "nl"}
