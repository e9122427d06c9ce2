"""Envelopes come off up to four deep, in every mixture of SNS and EventBridge; a fifth is refused."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from onthoud.errors import PermanentError
from onthoud.events.envelope import unwrap

EVENT = {"schema": "onthoud.comment.v1", "comment_id": "c-1"}


def sns(event: Any) -> dict[str, Any]:
    return {"Type": "Notification", "MessageId": "n", "TopicArn": "arn", "Message": json.dumps(event)}


def eventbridge(event: Any) -> dict[str, Any]:
    return {"version": "0", "id": "e", "detail-type": "CommentReceived", "source": "club", "detail": event}


def wrapped(*wraps: Any) -> str:
    event: Any = EVENT
    for wrap in reversed(wraps):
        event = wrap(event)
    return json.dumps(event)


@pytest.mark.parametrize("levels", range(5))
def test_every_mixture_of_up_to_four_envelopes_comes_off(levels: int) -> None:
    for wraps in product((sns, eventbridge), repeat=levels):
        opened = unwrap(wrapped(*wraps))
        assert opened.event == EVENT
        assert opened.provenance == tuple("sns:n" if wrap is sns else "eventbridge:e" for wrap in wraps)


@pytest.mark.parametrize("last", [sns, eventbridge])
def test_a_fifth_envelope_is_refused(last: Any) -> None:
    with pytest.raises(PermanentError, match="more than 4 envelopes"):
        unwrap(wrapped(sns, eventbridge, sns, eventbridge, last))


def test_text_that_a_redrive_has_wrapped_in_json_is_read() -> None:
    assert unwrap(json.dumps(json.dumps(wrapped(sns)))).event == EVENT


def test_text_in_text_in_text_ends() -> None:
    text = json.dumps(EVENT)
    for _ in range(12):
        text = json.dumps(text)
    with pytest.raises(PermanentError, match="too deep"):
        unwrap(text)
