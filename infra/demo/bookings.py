"""Scene: a booking is confirmed, moved and cancelled, for a customer whom the reply bot already knows."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from infra.demo.scene import CLUB, Stage

NAME = "Ana"
MAIL = "ana@example.com"
PROFILE = {
    "name": NAME,
    "language": "nl",
    "preferred_courts": ["Court 3"],
    "experience_level": "advanced",
    "notes": [{"text": "always late", "visibility": "staff"}],
}
WRONG = "Hoi Ana, je boeking is bevestigd: baan 4 om 20:00 uur, met 20% korting. Kom dit keer op tijd!"


def play(stage: Stage) -> None:
    """Play the life of a booking, with its events out of order, and tell what was said."""
    stage.title("The booking bot knows the customer, and says nothing that the record does not hold")
    known = _known_customer(stage)
    stage.stack.put_profile("youtube", CLUB, known, PROFILE)
    stage.stack.cli("identities", "link", f"youtube/{CLUB}/{known}", f"email/{CLUB}/ana", "--by", "demo")
    stage.console.print(
        f"{NAME} has talked with the reply bot before; her mail address is linked to that identity, so the booking bot "
        "finds her language and her favourite court. One note is for the staff only.\n"
    )
    at = (stage.now + timedelta(days=2)).replace(hour=17, minute=0, second=0, microsecond=0)
    rows = [
        _step(stage, "confirmed, delivered twice", [_booking(stage, "demo-b1", at)] * 2),
        _step(
            stage,
            "moved: the old one's cancellation comes first",
            [
                _booking(stage, "demo-b1", at, version=2, status="cancelled"),
                _booking(stage, "demo-b2", at + timedelta(hours=1), replaces="demo-b1"),
            ],
        ),
        _step(stage, "somebody else's booking overlaps it", [_stranger(stage, at + timedelta(minutes=90))]),
        _step(
            stage,
            "cancelled; then an old confirmation comes late",
            [
                _booking(stage, "demo-b2", at + timedelta(hours=1), version=2, status="cancelled"),
                _booking(stage, "demo-b2", at + timedelta(hours=1), replaces="demo-b1"),
            ],
        ),
        _invented(stage, at + timedelta(days=1)),
    ]
    stage.table(["what happened", "what was sent"], rows)
    _figures(stage)


def _known_customer(stage: Stage) -> str:
    """Return whom the reply bot has answered most."""
    answered = Counter(one["to"] for one in stage.stack.deliveries("reply") if one["channel"] == "youtube")
    return answered.most_common(1)[0][0] if answered else "ana-1"


def _booking(stage: Stage, booking_id: str, at: datetime, **changes: Any) -> dict[str, Any]:
    return {
        "schema": "onthoud.booking.v1",
        "booking_id": booking_id,
        "version": 1,
        "status": "confirmed",
        "customer": {"id": "ana", "name": NAME},
        "channel": "email",
        "account_id": CLUB,
        "to": MAIL,
        "court": "Court 3",
        "starts_at": at.isoformat(),
        "ends_at": (at + timedelta(hours=1)).isoformat(),
        "venue": "Onthoud Club",
        "venue_time_zone": "Europe/Amsterdam",
        "occurred_at": stage.now.isoformat(),
        **changes,
    }


def _stranger(stage: Stage, at: datetime) -> dict[str, Any]:
    return _booking(stage, "demo-b3", at, customer={"id": "bo", "name": "Bo"}, to="bo@example.com")


def _step(stage: Stage, what: str, events: list[dict[str, Any]]) -> list[str]:
    """Hand events over and return what was said because of them."""
    before = len(stage.stack.deliveries("confirmation"))
    for event in events:
        stage.stack.send("bookings", event)
    stage.stack.drain()
    sent = [_flat(one["text"]) for one in stage.stack.deliveries("confirmation")[before:]]
    if sent:
        return [what, "\n".join(sent)]
    decided = stage.stack.decisions(events[-1]["booking_id"])
    why = f"{decided[-1]['outcome']}: {decided[-1]['reason']}" if decided else "undecided"
    return [what, f"nothing ({why})"]


def _invented(stage: Stage, at: datetime) -> list[str]:
    """Let the model invent things, twice."""
    stage.stack.script(*[{"match": {"purpose": "confirm"}, "json": {"text": WRONG}}] * 2)
    row = _step(stage, f"the model writes: {WRONG}", [_booking(stage, "demo-b4", at)])
    stage.stack.script()
    return row


def _flat(text: str) -> str:
    return " · ".join(line for line in text.splitlines() if line)


def _figures(stage: Stage) -> None:
    """Print what a confirmation costs, and the conflict that waits for a person."""
    decided = [one for one in stage.stack.decisions() if one["bot"] == "booking"]
    drafted = [one for one in decided if one["outcome"] == "confirmed" and one["model_calls"] == 1]
    first = drafted[0] if drafted else None
    if first is not None:
        stage.console.print(
            f"\nPer confirmation: {first['reads']} reads and {first['writes']} writes "
            f"({first['units']['read']:g} read and {first['units']['write']:g} write units), "
            f"{first['tokens']['input']} tokens in, {first['tokens']['output']} out, {first['cost_usd']:.5f} USD."
        )
    conflicts = [one for one in decided if one["outcome"] == "escalated"]
    stage.console.print(
        f"{len(conflicts)} conflict waits for a person in the alert log; "
        f"events that needed no message: {sum(one['outcome'] == 'skipped' for one in decided)}."
    )
