"""Personal data is found in five languages, and what only looks like it is left alone."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthoud.privacy.national_ids import is_bsn, is_chinese_id, is_german_tax_id
from onthoud.privacy.redaction import DEFAULT, Policy, Redactor

EVERYTHING = Redactor("email=redact,phone=redact,card=redact,iban=redact,national_id=redact")


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("mail me at ana@example.com.", "mail me at [email]."),
        ("Ana.P+x@sub.example.co.uk!", "[email]!"),
        ("请联系ana@example.com谢谢", "请联系[email]谢谢"),
        ("ana (at) example.com", "[email]"),
        ("ana＠example.com", "[email]"),
        ("用户@例子.公司", "[email]"),
        ("Bel me op 06-12345678", "Bel me op [phone]"),
        ("bel 0612345678 of 06 12 34 56 79", "bel [phone] of [phone]"),
        ("+31 6 12345678", "[phone]"),
        ("ring til mig på 20304050", "ring til mig på [phone]"),
        ("ring på 20 30 40 50", "ring på [phone]"),
        ("+45 20 30 40 50", "[phone]"),
        ("Ruf mich an: 0171 1234567", "Ruf mich an: [phone]"),
        ("+49 (0)171 1234567", "[phone]"),
        ("call 020 7946 0958", "call [phone]"),
        ("whatsapp +1 415 555 2671", "whatsapp [phone]"),
        ("我的电话13812345678", "我的电话[phone]"),
        ("手机：138 1234 5678", "手机：[phone]"),
        ("۰۶۱۲۳۴۵۶۷۸ bel", "[phone] bel"),
        ("card 4111 1111 1111 1111 exp 12/27", "card [card] exp 12/27"),
        ("4111-1111-1111-1111", "[card]"),
        ("5500000000000004", "[card]"),
        ("NL91 ABNA 0417 1643 00 is mijn rekening", "[iban] is mijn rekening"),
        ("nl91abna0417164300", "[iban]"),
        ("DE89370400440532013000", "[iban]"),
        ("DK50 0040 0440 1162 43", "[iban]"),
        ("mijn BSN is 111222333", "mijn BSN is [national-id]"),
        ("CPR 010190-1234", "CPR [national-id]"),
        ("身份证11010519491231002X", "身份证[national-id]"),
        ("IdNr 65 929 970 489", "IdNr [national-id]"),
        ("ana@example.com en bob@example.org, bel 0612345678", "[email] en [email], bel [phone]"),
    ],
)
def test_personal_data_is_replaced(text: str, stored: str) -> None:
    assert EVERYTHING.redact(text).text == stored


@pytest.mark.parametrize(
    "text",
    [
        # English
        "18:00-19:30 on court 3, 4 players, 90 minutes",
        "2014-2015 and 2014 2015, from 2010 to 2020",
        "21-19 21-17, then 11-9, 9-11, 11-7 and 6-4 6-3 7-5",
        "order 20304050 and booking no. 20304050, #20304050",
        "2.000.000.000 views, 1,234,567,890 views, 123456789 likes",
        "I give it 10/10 at 3:46, DUPR 3.5 - 4.25",
        "courts 1 2 3 4 5 6 7 8",
        "2026-12-01T18:00:00+01:00 or 20261201",
        "https://www.youtube.com/watch?v=12345678901",
        "I@home, @ana see you",
        # Dutch
        "bestelling nr 20304050, factuur 20304050",
        "baan 3 van 18.00 tot 19.30 uur op 24-12-2026",
        "€ 1.250.000 of 12,50 euro",
        # Danish
        "ordre 20304050, kl. 18.00-19.30, d. 24.12.2026",
        "1.000.000 kr. og 24.12.2026",
        # German
        "Bestellnummer: 20304050, Rechnung Nr. 20304050",
        "am 24.12.2026 von 18.00 bis 19.30 Uhr, 11/12/2026 - 13/12/2026",
        # Chinese
        "订单号20304050，订单号：20304050",
        "2026年12月1日18:00，12月1日，3号场，比分21-19 21-17",
        # ids of the platforms
        "18000000000000011 17841400000000001 17900000000000005",
        "z12pgdhovmrktzm3i23es5d5junftft3f LZQPQhLyRh80UYxNuaDWhIGQYNQ96IuCg-AYWqNPjpU viewer-1-001",
    ],
)
def test_dates_scores_prices_orders_and_ids_are_left_alone(text: str) -> None:
    assert EVERYTHING.redact(text).text == text
    assert dict(EVERYTHING.redact(text).found) == {}


@pytest.mark.parametrize(
    "text",
    [
        "4111 1111 1111 1112",
        "1234567890123452",
        "NL91 ABNA 0417 1643 01",
        "XX91ABNA0417164300",
        "ana@",
        "@ana.com",
        "a@b",
    ],
)
def test_wrong_check_digits_and_half_addresses_are_not_personal_data(text: str) -> None:
    assert Redactor("phone=keep").redact(text).text == text


PIECES = st.sampled_from(
    [
        "ana@example.com",
        "0612345678",
        "+45 20 30 40 50",
        "4111 1111 1111 1111",
        "NL91 ABNA 0417 1643 00",
        "010190-1234",
        "BSN 111222333",
        "tel",
        "order",
        " ",
        "-",
        "2",
        "20304050",
        "@",
        ".",
        "(at)",
        "[email]",
        "电话",
        "x",
    ]
)


@given(st.lists(PIECES, max_size=8).map("".join) | st.text(max_size=60))
def test_redaction_is_idempotent(text: str) -> None:
    once = EVERYTHING.redact(text)
    again = EVERYTHING.redact(once.text)
    assert again.text == once.text
    assert not again.found


@given(st.text(alphabet=st.characters(exclude_categories=["Nd"], exclude_characters="@＠[]()")))
def test_text_without_digits_and_at_signs_is_untouched(text: str) -> None:
    assert EVERYTHING.redact(text).text == text


def test_what_was_found_is_counted_by_kind() -> None:
    assert dict(EVERYTHING.redact("a@example.com b@example.com 0612345678").found) == {"email": 2, "phone": 1}


def test_tagged_data_stays_and_is_counted() -> None:
    redacted = Redactor("iban=tag").redact("NL91ABNA0417164300, ana@example.com")
    assert redacted.text == "NL91ABNA0417164300, [email]"
    assert dict(redacted.found) == {"iban": 1, "email": 1}


def test_kept_data_is_not_looked_for() -> None:
    redacted = Redactor("email=keep").redact("ana@example.com")
    assert redacted.text == "ana@example.com"
    assert dict(redacted.found) == {}


def test_a_tagged_iban_is_no_phone_number() -> None:
    assert dict(Redactor("iban=tag").redact("DK50 0040 0440 1162 43").found) == {"iban": 1}


def test_a_setting_names_what_differs_from_the_default() -> None:
    assert Policy.parse("").actions == DEFAULT
    assert Policy.parse(" iban = tag ").actions == {**DEFAULT, "iban": "tag"}


@pytest.mark.parametrize("setting", ["mail=redact", "email=hide", "email"])
def test_an_unknown_kind_or_action_is_an_error_that_lists_the_known(setting: str) -> None:
    with pytest.raises(ValueError, match="known are"):
        Policy.parse(setting)


def test_clean_returns_the_text_alone() -> None:
    assert EVERYTHING.clean("bel 0612345678") == "bel [phone]"


def test_check_digits_of_national_ids() -> None:
    assert is_bsn("111222333")
    assert not is_bsn("111222334")
    assert not is_bsn("000000000")
    assert is_german_tax_id("65929970489")
    assert not is_german_tax_id("65929970488")
    assert is_chinese_id("11010519491231002X")
    assert not is_chinese_id("110105194912310021")


def test_a_bare_number_of_nine_digits_is_no_bsn() -> None:
    assert EVERYTHING.redact("111222333 likes").text == "111222333 likes"


@pytest.mark.parametrize("piece", ["1", "1 ", "1/", "1.", "a@", "@", "NL91", "(at)", "+1 "])
def test_no_text_takes_long_to_redact(piece: str) -> None:
    started = time.process_time()
    EVERYTHING.redact((piece * 2048)[:2048])
    assert time.process_time() - started < 3
