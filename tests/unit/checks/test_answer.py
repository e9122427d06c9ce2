"""The model's answer: whole and of the right shape, or refused with the reason."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from onthoud.checks.answer import FINISHED, Accepted, Rejected, parse_answer
from onthoud.checks.failure import Failure
from onthoud.checks.repair import advice
from onthoud.checks.reply import CHECK_NAMES
from onthoud.ports.model import ModelAnswer, Usage


class Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")

    action: str
    text: str = ""


GOOD = '{"action": "reply", "text": "first { to last } ok"}'


def answer(text: str, stop_reason: str = "end_turn") -> ModelAnswer:
    return ModelAnswer(text, stop_reason, Usage(), "a-model")


def reasons(text: str, stop_reason: str = "end_turn") -> tuple[Failure, ...]:
    parsed = parse_answer(answer(text, stop_reason), Shape)
    assert isinstance(parsed, Rejected)
    return parsed.failures


@pytest.mark.parametrize("stop_reason", sorted(FINISHED))
@pytest.mark.parametrize("text", [GOOD, f"\n {GOOD} \n", f"```json\n{GOOD}\n```"])
def test_a_whole_answer_is_accepted(text: str, stop_reason: str) -> None:
    parsed = parse_answer(answer(text, stop_reason), Shape)
    assert parsed == Accepted(Shape(action="reply", text="first { to last } ok"))


@pytest.mark.parametrize("text", [GOOD, "", '{"action": "re', "null"])
@pytest.mark.parametrize(
    ("stop_reason", "reason"),
    [
        ("max_tokens", "max-tokens"),
        ("refusal", "refusal"),
        ("pause_turn", "pause-turn"),
        ("model_context_window_exceeded", "model-context-window-exceeded"),
        ("something new", "unknown-stop-reason"),
        ("", "unknown-stop-reason"),
    ],
)
def test_an_unfinished_answer_is_refused_whatever_it_holds(text: str, stop_reason: str, reason: str) -> None:
    assert reasons(text, stop_reason) == (Failure("answer", reason),)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("```json\n\n```", "empty"),
        ("null", "null"),
        ("not json", "malformed"),
        (GOOD[:-1], "malformed"),
        (f"Here it is: {GOOD}", "malformed"),
        (f"{GOOD} Hope that helps {{:}}", "malformed"),
        (GOOD + GOOD, "malformed"),
        ('{"action": "skip", "action": "reply"}', "malformed"),
        ('{"action": NaN}', "malformed"),
        ("[" * 100_000, "malformed"),
        ("[]", "wrong-shape"),
        ('"reply"', "wrong-shape"),
        ("{}", "wrong-shape"),
        ('{"action": null}', "wrong-shape"),
        ('{"action": "reply", "text": 3}', "wrong-shape"),
        ('{"action": "reply", "extra": 1}', "wrong-shape"),
    ],
)
def test_what_is_no_answer_is_refused_with_the_reason(text: str, reason: str) -> None:
    assert reasons(text) == (Failure("answer", reason),)


@given(st.text(), st.text())
def test_prose_around_an_answer_never_changes_it(before: str, after: str) -> None:
    parsed = parse_answer(answer(before + GOOD + after), Shape)
    assert isinstance(parsed, Rejected) or parsed.value == Shape(action="reply", text="first { to last } ok")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_json_is_accepted_or_refused(value: object) -> None:
    assert isinstance(parse_answer(answer(json.dumps(value)), Shape), Accepted | Rejected)


def test_advice_is_one_fixed_line_per_check() -> None:
    lines = advice([Failure("times", "ungrounded"), Failure("times", "other"), Failure("answer", "null")]).split("\n")
    assert len(lines) == 2
    assert all(len(advice([Failure(name, "x")])) > 20 for name in (*CHECK_NAMES, "answer", "a check of tomorrow"))
    assert len({advice([Failure(name, "x")]) for name in CHECK_NAMES}) == len(CHECK_NAMES)
