"""Slack and mail: what is made of the text, and what their answers mean."""

from __future__ import annotations

from typing import Any

import pytest
import urllib3
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

from onthoud.adapters.ses import SesChannel
from onthoud.adapters.slack import BLOCKS, SECTION_CHARS, SlackChannel, sections, split_for_slack
from onthoud.errors import RetryableError
from onthoud.ports.channel import FailureClass, Outgoing, SendError
from onthoud.text.brief_markup import to_html, to_plain, to_slack

TEXT = (
    "# Daily brief: today\n\n## Today\n- 09:00 Team\n\n"
    "## What changed\n- **NEW** mail: <b>Hi</b> & *bye* @channel\n\n1 open"
)
MESSAGE = Outgoing(
    kind="brief",
    channel="slack",
    account_id="daily-brief-slack",
    to="operator",
    in_reply_to="daily-brief/2026-11-30",
    text=TEXT,
    idempotency_key="key-1",
    extra={"subject": "Daily brief"},
)


class FixedSecrets:
    def get(self, name: str, *, fresh: bool = False) -> str:
        return "https://hooks.example.com/T/B/x"


class FakePool:
    def __init__(self, answer: int | Exception) -> None:
        self.answer, self.bodies = answer, list[bytes]()

    def request(self, method: str, url: str, **sent: Any) -> Any:
        self.bodies.append(sent["body"])
        if isinstance(self.answer, Exception):
            raise self.answer
        return urllib3.HTTPResponse(b"", status=self.answer, headers={"Retry-After": "7"}, preload_content=True)


def slack(answer: int | Exception) -> tuple[SlackChannel, FakePool]:
    pool = FakePool(answer)
    return SlackChannel(FixedSecrets(), "/slack", pool=pool), pool  # type: ignore[arg-type]


@pytest.mark.parametrize("length", [10, 2_999, 3_000, 3_001, 60_000])
def test_no_section_is_longer_and_no_message_has_more_blocks_than_slack_takes(length: int) -> None:
    text = "\n".join(["# T", "- " + "x" * length, *(f"- line {n} " + "y" * 400 for n in range(600))])
    parts = split_for_slack(text)
    assert all(len(sections(part)) <= BLOCKS for part in parts)
    assert all(len(section) <= SECTION_CHARS for part in parts for section in sections(part))
    assert "\n".join(parts) == text


def test_an_ordinary_brief_is_one_message() -> None:
    assert split_for_slack(TEXT) == (TEXT,)


def test_slack_markup_from_outside_is_shown_as_characters() -> None:
    line = to_slack(TEXT)[4]
    assert line.startswith("• *NEW* mail: &lt;b&gt;Hi&lt;/b&gt; &amp; ")
    assert "*bye*" not in line


def test_html_from_outside_is_shown_as_characters() -> None:
    html = to_html(TEXT)
    assert "<li><strong>NEW</strong> mail: &lt;b&gt;Hi&lt;/b&gt; &amp; *bye* @channel</li>" in html
    assert html.count("<ul>") == html.count("</ul>") == 2


def test_plain_text_has_no_marks() -> None:
    assert to_plain(TEXT).startswith("Daily brief: today\n\nToday\n- 09:00 Team\n\nWhat changed\n- NEW mail: ")


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (429, FailureClass.TRANSIENT),
        (400, FailureClass.POLICY),
        (403, FailureClass.AUTH),
        (404, FailureClass.AUTH),
        (410, FailureClass.AUTH),
        (500, FailureClass.AMBIGUOUS),
        (urllib3.exceptions.ReadTimeoutError(None, "", ""), FailureClass.AMBIGUOUS),  # type: ignore[arg-type]
        (urllib3.exceptions.ProtocolError("reset"), FailureClass.AMBIGUOUS),
        (urllib3.exceptions.NewConnectionError(None, "refused"), FailureClass.TRANSIENT),  # type: ignore[arg-type]
    ],
)
def test_what_slacks_answer_means(answer: int | Exception, failure: FailureClass) -> None:
    channel, _ = slack(answer)
    with pytest.raises(SendError) as raised:
        channel.send(MESSAGE, timeout_s=5)
    assert raised.value.failure is failure
    assert "hooks.example.com" not in str(raised.value)


def test_slack_is_sent_once_and_can_be_asked_nothing() -> None:
    channel, pool = slack(200)
    channel.send(MESSAGE, timeout_s=5)
    assert len(pool.bodies) == 1
    assert (channel.can_read_back, channel.is_idempotent) == (False, False)
    with pytest.raises(SendError):
        channel.find_own_reply(MESSAGE, timeout_s=5)


def test_an_address_that_cannot_be_read_is_tried_again() -> None:
    class Broken:
        def get(self, name: str, *, fresh: bool = False) -> str:
            raise RetryableError("throttled")

    with pytest.raises(SendError) as raised:
        SlackChannel(Broken(), "/slack").send(MESSAGE, timeout_s=5)
    assert raised.value.failure is FailureClass.TRANSIENT


class FakeSes:
    def __init__(self, error: Exception | None = None) -> None:
        self.error, self.sent = error, list[dict[str, Any]]()

    def send_email(self, **request: Any) -> dict[str, str]:
        self.sent.append(request)
        if self.error is not None:
            raise self.error
        return {"MessageId": "m-1"}


def test_a_mail_has_subject_plain_text_and_html() -> None:
    ses = FakeSes()
    receipt = SesChannel("a@example.com", ["b@example.com"], client=ses).send(MESSAGE, timeout_s=10)  # type: ignore[arg-type]
    simple = ses.sent[0]["Content"]["Simple"]
    assert receipt.platform_id == "m-1"
    assert simple["Subject"]["Data"] == "Daily brief"
    assert simple["Body"]["Text"]["Data"] == to_plain(TEXT)
    assert simple["Body"]["Html"]["Data"] == to_html(TEXT)


def refused(code: str, status: int = 400) -> ClientError:
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}, "SendEmail")  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (refused("TooManyRequestsException", 429), FailureClass.TRANSIENT),
        (refused("MessageRejected"), FailureClass.POLICY),
        (refused("AccessDeniedException", 403), FailureClass.AUTH),
        (refused("InternalFailure", 500), FailureClass.AMBIGUOUS),
        (ReadTimeoutError(endpoint_url="x"), FailureClass.AMBIGUOUS),
        (EndpointConnectionError(endpoint_url="x"), FailureClass.TRANSIENT),
    ],
)
def test_what_the_answer_of_ses_means(error: Exception, failure: FailureClass) -> None:
    channel = SesChannel("a@example.com", ["b@example.com"], client=FakeSes(error))  # type: ignore[arg-type]
    with pytest.raises(SendError) as raised:
        channel.send(MESSAGE, timeout_s=10)
    assert raised.value.failure is failure


def test_with_too_little_time_a_mail_is_not_begun() -> None:
    ses = FakeSes()
    with pytest.raises(SendError):
        SesChannel("a@example.com", ["b@example.com"], client=ses).send(MESSAGE, timeout_s=3)  # type: ignore[arg-type]
    assert ses.sent == []
