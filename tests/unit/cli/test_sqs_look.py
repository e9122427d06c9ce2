"""Looking into a queue of SQS, which may say that there is nothing although there is."""

from __future__ import annotations

from typing import Any

from onthoud.adapters.sqs import SqsQueue


class FakeSqs:
    """Gives messages out only to those who wait, as SQS may while few messages lie on many servers."""

    def __init__(self, count: int) -> None:
        self.bodies = [f"body {n}" for n in range(count)]
        self.taken: list[str] = []
        self.waits: list[int] = []

    def receive_message(self, **asked: Any) -> dict[str, Any]:
        self.waits.append(asked["WaitTimeSeconds"])
        if not asked["WaitTimeSeconds"]:
            return {}
        chosen = [body for body in self.bodies if body not in self.taken][: asked["MaxNumberOfMessages"]]
        self.taken += chosen
        return {"Messages": [{"MessageId": one, "Body": one, "ReceiptHandle": one} for one in chosen]}

    def get_queue_attributes(self, **asked: Any) -> dict[str, Any]:
        visible = len(self.bodies) - len(self.taken)
        return {
            "Attributes": {
                "ApproximateNumberOfMessages": str(visible),
                "ApproximateNumberOfMessagesNotVisible": str(len(self.taken)),
            }
        }


def look(fake: Any) -> list[str]:
    return [one.body for one in SqsQueue("https://sqs/q", client=fake).receive(100, visibility_s=60)]


def test_what_a_short_look_misses_is_waited_for() -> None:
    fake = FakeSqs(13)
    assert look(fake) == fake.bodies


def test_an_empty_queue_is_not_waited_for() -> None:
    fake = FakeSqs(0)
    assert look(fake) == []
    assert fake.waits == [0]
