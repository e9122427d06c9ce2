"""The rehearsal model is right for every bot: its answers pass the very checks that the bots make."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from booking.checks.check import check
from booking.checks.facts import Facts
from booking.prompt import LANGUAGE_NAMES
from booking.prompt import SCHEMA as CONFIRM
from booking.prompt import request as confirm_request
from booking.when import describe, style_of
from daily_brief.phrasing import SCHEMA as BRIEF
from daily_brief.phrasing import Draft, read_answer
from daily_brief.phrasing import prompt as brief_prompt
from infra.local.model_server.answers import rehearsed
from infra.local.model_server.rehearsal import rehearse, worded
from infra.local.model_server.rehearsal.language import detect
from infra.local.model_server.rehearsal.spam import is_plainly_spam
from onthoud.checks.grounds import Grounds
from onthoud.checks.reply import check_reply
from onthoud.ports.model import ModelRequest
from onthoud.settings import Settings
from onthoud.text.quoting import quoted
from social_reply.answer import SCHEMA as REPLY
from social_reply.answer import Answer
from social_reply.prompt import instructions

COMMENTS = {
    "en": "Do you have lights on court 3? I would love to play with my friends",
    "nl": "Zijn er nog banen vrij? Ik kom graag met mijn vrouw langs",
    "da": "Er der stadig ledige baner? Jeg vil gerne spille med min søn",
    "de": "Gibt es noch freie Plätze? Ich würde gerne mit meiner Tochter spielen",
    "zh": "请问三号场地晚上有灯光吗？我想和朋友一起去打球",
}


def asked(comment: str, *earlier: dict[str, str], answered: bool = False, default: str = "en") -> dict[str, Any]:
    customer = quoted(
        "customer", "Ana", answered_before="yes" if answered else "no", replies=int(answered), default_language=default
    )
    last = f"{customer}\n\n{quoted('comment_to_answer', comment, at='2026-11-29T10:00')}"
    return {"model": "claude-opus-5-5", "messages": [*earlier, {"role": "user", "content": last}]}


def before(words: str) -> tuple[dict[str, str], dict[str, str]]:
    comment = quoted("comment", words, id="t1", at="2026-11-20T10:00")
    return {"role": "user", "content": comment}, {"role": "assistant", "content": "Yes, we do."}


def reply_to(request: dict[str, Any]) -> Answer:
    return Answer.model_validate(rehearse("reply", request, REPLY))


@pytest.mark.parametrize(
    ("language", "answered", "shown"), list(itertools.product(COMMENTS, (False, True), (False, True)))
)
def test_a_reply_passes_every_check(language: str, answered: bool, shown: bool) -> None:
    comment = COMMENTS[language]
    earlier = before("we love the new courts") if shown else ()
    answer = reply_to(asked(comment, *earlier, answered=answered))
    assert (answer.action, answer.language) == ("reply", language)
    grounds = Grounds(
        operator_text=instructions(),
        record_text="",
        earlier_replies=("Yes, we do.",) if shown else (),
        shared_past=shown,
        answered_before=answered,
        customer_text=comment,
    )
    assert check_reply(answer.text, grounds, channel="instagram", language=language) == []
    assert len(answer.text) < 280


def test_history_is_seen_in_the_reply() -> None:
    first = reply_to(asked(COMMENTS["en"]))
    again = reply_to(asked(COMMENTS["en"], *before("we love the new courts"), answered=True))
    assert "this is the club's assistant" in first.text
    assert "this is the club's assistant" not in again.text
    assert "Good to hear from you again" in again.text
    assert "we love the new courts" in again.text
    assert again.memory_ids == ["t1"]


@pytest.mark.parametrize("words", ["call +31 6 1234 5678 now", "see www.example.com", "only 5€ each", "🎾🎾", "hi"])
def test_earlier_words_with_figures_or_links_are_not_repeated(words: str) -> None:
    again = reply_to(asked(COMMENTS["en"], *before(words), answered=True))
    assert words.split()[0] not in again.text
    assert again.memory_ids == []


def test_a_repaired_request_is_answered_by_its_comment() -> None:
    request = asked(COMMENTS["nl"])
    repaired = {**request, "messages": [*request["messages"], {"role": "user", "content": "Write it again."}]}
    assert reply_to(repaired).language == "nl"


def test_a_text_that_speaks_no_language_is_answered_in_the_default_one() -> None:
    assert reply_to(asked("🎾 3-2", default="nl")).language == "nl"
    assert reply_to(asked("Привет, как дела сегодня?")).language == "en"  # one that the rehearsal has no words for


@pytest.mark.parametrize(
    "spam",
    [
        "Check out my channel!!",
        "please SUBSCRIBE to me",
        "http://bit.ly/abc",
        "earn 500$ a day from home",
        "follow me on instagram",
        "free robux here www.example.com/?id=7",
    ],
)
def test_plain_spam_is_skipped(spam: str) -> None:
    assert is_plainly_spam(spam)
    answer = reply_to(asked(spam))
    assert (answer.action, answer.text, answer.why) == ("skip", "", "spam")


@pytest.mark.parametrize(
    "comment",
    [
        *COMMENTS.values(),
        "Can you check my booking?",
        "Is www.example.com your site?",
        "I watched this video on your page, do you sell paddles?",
        "I would like to subscribe to your newsletter",
        "please help, I lost my bag",
        "I like this song",
    ],
)
def test_everything_else_is_answered(comment: str) -> None:
    assert not is_plainly_spam(comment)
    assert reply_to(asked(comment)).action == "reply"


@pytest.mark.parametrize(
    ("text", "language"), [("Leuk!", "nl"), ("Super toll", "de"), ("谢谢", "zh"), ("nice one", "en")]
)
def test_short_texts_have_a_language_too(text: str, language: str) -> None:
    assert detect(text) == language


def messages_of(request: ModelRequest) -> dict[str, Any]:
    messages = [{"role": message.role, "content": message.text} for message in request.messages]
    return {"model": request.model, "system": request.system, "messages": messages}


@pytest.mark.parametrize(
    ("language", "kind", "zone", "preferred"),
    list(
        itertools.product(
            LANGUAGE_NAMES,
            ("confirmed", "moved"),
            ("Europe/Amsterdam", "America/Phoenix", "Asia/Shanghai"),
            (False, True),
        )
    ),
)
def test_a_confirmation_passes_the_fact_check(language: str, kind: Any, zone: str, preferred: bool) -> None:
    place = ZoneInfo(zone)
    start, end = (datetime(2026, 12, 1, hour, tzinfo=UTC).astimezone(place) for hour in (17, 19))
    facts = Facts(
        kind=kind,
        language=language,
        name="Ana",
        court="Court 3",
        venue="Onthoud Club",
        when=describe(start, end, place, style_of(language)),
        now=datetime(2026, 11, 30, tzinfo=UTC),
        preferred=preferred,
    )
    request = confirm_request(facts, language, Settings(table="memory"))
    plain = rehearse("confirm", messages_of(request), CONFIRM)["text"]
    verdict = check(plain, facts)
    assert (verdict.faults, verdict.missing) == ((), ())
    assert "Court 3" in plain


def test_a_brief_has_every_item_once_and_in_order() -> None:
    drafts = [Draft(f"n{place}", "NEW", "mail", f"Line {place} & more", "an excerpt") for place in (2, 1, 3)]
    request = {"messages": [{"role": "user", "content": brief_prompt(drafts, ["old news"])}]}
    message = rehearsed(
        {"model": "m", "output_config": {"format": {"type": "json_schema", "schema": BRIEF}}, **request}, "brief"
    )
    items, checks = read_answer(message["content"][0]["text"], message["stop_reason"], drafts)
    assert ([item.id for item in items], checks) == (["n2", "n1", "n3"], ["ids"])
    assert {item.text for item in items} == {""}
    scripted = worded("brief", request, BRIEF, "an excerpt")
    assert [item["text"] for item in scripted["items"]] == ["an excerpt", "", ""]


def test_a_brief_without_items_is_empty() -> None:
    assert rehearse("brief", {"messages": [{"role": "user", "content": "nothing"}]}, BRIEF) == {"items": []}


def test_nothing_is_learned_in_a_rehearsal() -> None:
    schema = {
        "type": "object",
        "properties": {"facts": {"type": "array", "items": {"type": "string"}}, "topic": {"type": "string"}},
        "required": ["facts", "topic"],
        "additionalProperties": False,
    }
    assert rehearse("extract", {"messages": [{"role": "user", "content": "x"}]}, schema) == {"facts": [], "topic": ""}


def test_a_rehearsal_says_that_it_is_one() -> None:
    assert rehearsed(asked(COMMENTS["en"]), "reply")["id"].startswith("msg_rehearsal_")
