"""The script's own rules: what it takes, and which entry a call gets."""

from __future__ import annotations

from typing import Any

import pytest

from infra.local.model_server.calls import CallLog
from infra.local.model_server.script import Script
from onthoud.clock import SystemClock


def taken(script: Script, purpose: str = "reply", words: str = "") -> Any:
    entry = script.take(purpose, words)
    return None if entry is None else entry.answer.get("text")


def test_answers_are_given_in_order_and_then_no_more() -> None:
    script = Script()
    assert not script.is_set
    script.replace([{"text": "a"}, {"text": "b"}], "rehearse")
    assert script.is_set
    assert [taken(script) for _ in range(3)] == ["a", "b", None]
    assert not script.is_set


def test_a_new_script_replaces_the_old_one() -> None:
    script = Script()
    script.replace([{"text": "a"}])
    script.replace([{"text": "b"}])
    assert [taken(script), taken(script)] == ["b", None]
    script.replace([{"text": "a"}])
    script.replace([])
    assert not script.is_set


def test_the_first_fitting_entry_is_taken_and_the_others_wait() -> None:
    script = Script()
    script.replace(
        [
            {"text": "brief", "match": {"purpose": "brief"}},
            {"text": "court", "match": {"purpose": "reply", "contains": "court 3"}},
            {"text": "any"},
        ]
    )
    assert taken(script, "reply", "about court 4") == "any"
    assert taken(script, "reply", "about court 4") is None
    assert taken(script, "reply", "about court 3") == "court"
    assert taken(script, "confirm", "court 3") is None
    assert taken(script, "brief") == "brief"
    assert not script.is_set


@pytest.mark.parametrize(
    "quoted", ["a < b & c", "a &lt; b &amp; c", 'said "hé"', 'said \\"hé\\"', 'said \\"h\\u00e9\\"']
)
def test_words_are_found_however_the_prompt_quotes_them(quoted: str) -> None:
    script = Script()
    wanted = "a < b & c" if quoted.startswith("a") else 'said "hé"'
    script.replace([{"text": "found", "match": {"contains": wanted}}])
    assert taken(script, "reply", f"before {quoted} after") == "found"


@pytest.mark.parametrize(
    ("responses", "words"),
    [
        ("text", "not a list"),
        ({"text": "a"}, "not a list"),
        (["a"], r"responses\[0\] is not an object"),
        ([{}], "exactly one of"),
        ([{"text": "a", "json": {}}], "exactly one of"),
        ([{"text": 7}], "text is not text"),
        ([{"json": [1]}], "json is not an object"),
        ([{"status": 200}], "error status"),
        ([{"status": "529"}], "error status"),
        ([{"tool": {"name": "a"}}], "name and input"),
        ([{"text": "a", "delay_s": -1}], "delay_s"),
        ([{"text": "a", "delay_s": "1"}], "delay_s"),
        ([{"text": "a", "match": "reply"}], "match is not an object"),
        ([{"text": "a", "match": {"purpose": 1}}], "match.purpose"),
        ([{"text": "a"}, {"stop_reason": 1}], r"responses\[1\]"),
    ],
)
def test_a_wrong_script_is_refused_and_the_old_one_stays(responses: Any, words: str) -> None:
    script = Script()
    script.replace([{"text": "old"}])
    with pytest.raises(ValueError, match=words):
        script.replace(responses)
    assert taken(script) == "old"


def test_what_follows_a_script_is_the_rehearsal_and_nothing_else() -> None:
    script = Script()
    script.replace([{"text": "a"}], None)
    with pytest.raises(ValueError, match="rehearse"):
        script.replace([{"text": "a"}], "repeat")


def test_unknown_fields_are_ignored() -> None:
    script = Script()
    script.replace([{"text": "a", "mood": "warm", "match": {"account": "club"}}])
    assert taken(script) == "a"


def test_the_log_keeps_the_newest_calls_as_they_were() -> None:
    log, now = CallLog(keep=2), SystemClock().now()
    for number in range(3):
        log.add(now, "reply", f'{{"n": {number}, "text": "é🎾"}}'.encode(), b'{"id": "m"}')
    assert [call["request"]["n"] for call in log.list()] == [1, 2]
    assert log.list()[0]["request"]["text"] == "é🎾"
    assert set(log.list()[0]) == {"at", "purpose", "request", "response"}
    log.clear()
    assert len(log) == 0


def test_the_log_shows_what_was_no_json_as_text() -> None:
    log = CallLog()
    log.add(SystemClock().now(), "reply", b"{", b"\xff")
    assert log.list()[0]["request"] == "{"
