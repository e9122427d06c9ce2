"""Prices, percentages, links, mail addresses, codes and phone numbers."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthoud.checks.extract import codes, emails, links, percents, phones, prices
from onthoud.checks.extract.addresses import same_phone
from onthoud.checks.extract.mentions import PriceMention
from onthoud.checks.extract.money import same_money
from onthoud.checks.extract.numbers import number_words, parse_chinese, parse_number


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("€25", [("25", "EUR")]),
        ("EUR 20, 25 euro, 5 euro's", [("20", "EUR"), ("25", "EUR"), ("5", "EUR")]),
        ("€ 12,50 of 12.50 euro", [("12.50", "EUR"), ("12.50", "EUR")]),
        ("1.250,00 € and $1,250.00", [("1250.00", "EUR"), ("1250.00", "USD")]),
        ("150 kr., kr. 150, 150 kroner", [("150", "KR")] * 3),
        ("DKK 150", [("150", "DKK")]),
        ("200元, 50块钱, 二十元, 每小时24欧元", [("200", "CNY"), ("50", "CNY"), ("20", "CNY"), ("24", "EUR")]),
        ("twintig euro, zwanzig Euro, twenty-five dollars", [("20", "EUR"), ("20", "EUR"), ("25", "USD")]),
        ("femogtyve kroner, vijfentwintig euro", [("25", "KR"), ("25", "EUR")]),
        ("€ 20-25", [("20", "EUR"), ("25", "EUR")]),
        ("20 tot 25 euro", [("20", "EUR"), ("25", "EUR")]),
        ("25,-", [("25", None)]),
        ("25€/hour, £5", [("25", "EUR"), ("5", "GBP")]),
        ("3块场地, for 4 people, 16 courts, 2 hours", []),
    ],
)
def test_prices_are_read(text: str, found: list[tuple[str, str | None]]) -> None:
    assert [(str(mention.amount), mention.currency) for mention in prices(text)] == found


def test_a_labelled_number_is_a_price_in_material_only() -> None:
    assert [mention.amount for mention in prices("price: 24", loose=True)] == [Decimal(24)]
    assert prices("price: 24") == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("EUR", "EUR", True), (None, "EUR", True), ("KR", "DKK", True), ("KR", "EUR", False), ("USD", "EUR", False)],
)
def test_money_is_equal_as_far_as_currencies_are_known(one: str | None, other: str, same: bool) -> None:
    assert same_money(PriceMention(0, 1, Decimal(5), one), PriceMention(0, 1, Decimal("5.00"), other)) is same
    assert not same_money(PriceMention(0, 1, Decimal(5), one), PriceMention(0, 1, Decimal(6), other))


@given(st.decimals(min_value=0, max_value=999_999, places=2))
def test_both_ways_to_write_an_amount_are_the_same(amount: Decimal) -> None:
    english = f"{amount:,.2f}"
    continental = english.translate(str.maketrans(",.", ".,"))
    assert parse_number(english) == parse_number(continental) == amount


@pytest.mark.parametrize(
    ("written", "value"), [("二十五", 25), ("十", 10), ("一百", 100), ("一百零五", 105), ("两千", 2000), ("二五", 25)]
)
def test_chinese_numerals(written: str, value: int) -> None:
    assert parse_chinese(written) == value


def test_number_words_cover_one_to_a_hundred_in_four_languages() -> None:
    words = number_words()
    assert set(words.values()) == set(range(1, 101))
    assert words["achtundneunzig"] == words["achtennegentig"] == words["otteoghalvfems"] == words["ninety-eight"] == 98
    assert words["tweeëntwintig"] == words["zweiundzwanzig"] == 22
    assert words["dreissig"] == words["dreißig"] == 30


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("20% off", ["20"]),
        ("12,5 procent", ["12.5"]),
        ("20 Prozent", ["20"]),
        ("打八折", ["20"]),
        ("八五折", ["15"]),
        ("half price", ["50"]),
        ("court 20", []),
    ],
)
def test_percentages_are_read(text: str, values: list[str]) -> None:
    assert [mention.value for mention in percents(text)] == [Decimal(value) for value in values]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see https://www.Club.nl/book.", ["club.nl/book"]),
        ("club.nl/free", ["club.nl/free"]),
        ("www.test.org", ["test.org"]),
        ("evil dot com", ["evil.com"]),
        ("evil[.]com", ["evil.com"]),
        ("hxxps://evil.com/x", ["evil.com/x"]),
        ("请访问evil.cn查看", ["evil.cn"]),
        ("bit.ly/abc", ["bit.ly/abc"]),
        ("see deals.example/x and Evil.fun/free?a=1.", ["deals.example/x", "evil.fun/free?a=1"]),
        ("and/or 2.5/hour m.b.t./t.o.v. 18.00/19.00 example only/x evil.fun", []),
        ("http://127.0.0.1/x", ["127.0.0.1/x"]),
        ("https://club.nl@evil.com/x", ["evil.com/x"]),
        ("ana@example.com", []),
        ("ok.Thanks Nice.me Hi.De so.it e.g. this", []),
    ],
)
def test_links_are_read(text: str, found: list[str]) -> None:
    assert [mention.host + mention.path for mention in links(text)] == found


def test_mail_addresses_are_read() -> None:
    assert [mention.address for mention in emails("Mail Info@Club.nl or x (at) y.org")] == ["info@club.nl", "x@y.org"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("use FREE100", ["FREE100"]),
        ("code WELCOME", ["WELCOME"]),
        ("code: 4821, pin 1234", ["4821", "1234"]),
        ("Gutscheincode „SOMMER“", ["SOMMER"]),
        ("优惠码FREE100，用SAVE20", ["FREE100", "SAVE20"]),
        ("kortingscode free10", ["FREE10"]),
        ("code of conduct, the QR code on it, MP3, COURT12, Answer A1, REPLY-7, @USER2024", []),
    ],
)
def test_codes_are_read(text: str, found: list[str]) -> None:
    assert [mention.code for mention in codes(text)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("call 06-12345678", ["0612345678"]),
        ("电话13812345678", ["13812345678"]),
        ("(555) 123-4567", ["5551234567"]),
        ("18:00-19:30, 2026-12-01, 21-19 21-17, 2014-2015, 10.00-12.00, € 1.250.000, courts 1 2 3 4 5 6 7", []),
    ],
)
def test_phone_numbers_are_read(text: str, found: list[str]) -> None:
    assert [mention.digits for mention in phones(text)] == found


def test_one_number_written_in_two_ways_is_one() -> None:
    assert same_phone("0201234567", "31201234567")
    assert not same_phone("0201234567", "0201234568")


@given(st.text())
def test_offsets_are_places_in_the_text(text: str) -> None:
    for mention in (
        *prices(text, loose=True),
        *percents(text),
        *links(text),
        *emails(text),
        *codes(text),
        *phones(text),
    ):
        assert 0 <= mention.start < mention.end <= len(text)
