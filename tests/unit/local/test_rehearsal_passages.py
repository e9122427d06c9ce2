"""The rehearsal and documents: it quotes what answers, and knows when it does not know."""

from __future__ import annotations

from typing import Any

import pytest

from infra.local.model_server.rehearsal.reply import reply
from social_reply.answer import SCHEMA

PASSAGES = """
<passage id="k1" document="h.md" section="Lockers">
Lockers take a coin.
</passage>

<passage id="k2" document="h.md" section="Parking">
The entrance is in Mill Lane. There are forty spaces behind the building.
</passage>
"""


def asked(comment: str, before: str) -> dict[str, Any]:
    text = f"{before}\n\n<customer></customer>\n\n<comment_to_answer>\n{comment}\n</comment_to_answer>"
    answer: dict[str, Any] = reply({"messages": [{"role": "user", "content": text}]}, SCHEMA)
    return answer


def test_the_sentence_that_shares_most_words_is_quoted_and_its_passage_named() -> None:
    answer = asked("Where is the entrance of the parking?", PASSAGES)
    assert (answer["action"], answer["memory_ids"]) == ("reply", ["k2"])
    assert "The entrance is in Mill Lane." in answer["text"]


@pytest.mark.parametrize(
    ("comment", "before"),
    [
        ("How much is a lesson with a trainer?", '<knowledge found="nothing"></knowledge>'),
        ("How much is a lesson with a trainer?", PASSAGES),
    ],
)
def test_what_the_documents_do_not_hold_is_escalated_with_words_that_say_so(comment: str, before: str) -> None:
    answer = asked(comment, before)
    assert (answer["action"], answer["why"], answer["memory_ids"]) == ("escalate", "unknown_answer", [])
    assert "do not know" in answer["text"]


def test_a_passage_in_another_language_is_not_quoted_untranslated() -> None:
    answer = asked("Waar kan ik hier mijn auto parkeren, is er plek?", PASSAGES)
    assert answer["action"] == "reply"
    assert "Mill Lane" not in answer["text"]


def test_without_documents_nothing_of_them_is_said() -> None:
    assert asked("Where is the entrance?", "")["action"] == "reply"
