"""Platform text made plain, and text made fit to store and to compare."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthoud.text.markup import comparable, plain, storable, visible

WATCH = "http://www.youtube.com/watch?v=KQ6zr6kCPj8"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("I&#39;m a human.<br /><br />But", "I'm a human.\n\nBut"),
        (f'<a href="{WATCH}&amp;t=2m19s">2:19</a> best part', "2:19 best part"),
        ('<a rel="nofollow" class="ot-hashtag" href="https://plus.google.com/s/%23LMFAO">#LMFAO</a>', "#LMFAO"),
        ("<b>so</b> <i>good</i>", "so good"),
        ("katy &amp; co &lt;3 &quot;yes&quot;", 'katy & co <3 "yes"'),
        ('<a href="https://evil.example/x">free shoes</a>', "free shoes (https://evil.example/x)"),
        ('<a href="https://soundcloud.com/rocc-steady/wave">https://soundcloud.com/rocc...</a>', None),
        ('<a href="https://a.example/?a=1&amp;b=2">https://a.example/?a=1&amp;b=2</a>', "https://a.example/?a=1&b=2"),
        ("I <3 you, a < b && c > d", "I <3 you, a < b && c > d"),
        ("a <b && c> d", "a <b && c> d"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("https://x.example/?a=1&copy=2", "https://x.example/?a=1&copy=2"),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        ("&bogus; &", "&bogus; &"),
    ],
)
def test_youtube_html_is_read_as_a_person_sees_it(written: str, read: str | None) -> None:
    assert plain(written, "youtube") == (read or "https://soundcloud.com/rocc-steady/wave")


@pytest.mark.parametrize("channel", ["x", "X", "twitter"])
@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("fish &amp; chips &lt;3 &gt;", "fish & chips <3 >"),
        ("&amp;lt; &#39; &quot; <b>typed</b>", "&lt; &#39; &quot; <b>typed</b>"),
    ],
)
def test_x_escapes_three_characters_and_no_more(channel: str, written: str, read: str) -> None:
    assert plain(written, channel) == read


@pytest.mark.parametrize("channel", ["instagram", "facebook", "whatsapp", "email"])
@pytest.mark.parametrize("typed", ["I <3 you", "a < b && c > d", "fish &amp; chips", "<b>not bold</b>", "&#39;"])
def test_what_a_person_typed_elsewhere_is_not_mangled(channel: str, typed: str) -> None:
    assert plain(typed, channel) == typed


@given(st.text())
def test_youtube_text_is_decoded_exactly_once(typed: str) -> None:
    assert plain(html.escape(typed), "youtube") == storable(typed)


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ("a\x00b\x07c", "abc"),
        ("line\r\nline\rline\u2028line", "line\nline\nline\nline"),
        ("tab\tstays", "tab\tstays"),
        ("\ud83d\ude00", "😀"),
        ("cut \ud83d", "cut \ufffd"),
        ("مرحبا \u200fابني\u202b\u202c", "مرحبا \u200fابني\u202b\u202c"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
def test_only_what_no_store_can_hold_is_removed(raw: str, kept: str) -> None:
    assert storable(raw) == kept


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=())))
def test_storable_text_is_valid_utf8_and_stays_as_it_is(text: str) -> None:
    once = storable(text)
    once.encode("utf-8")
    assert storable(once) == once
    assert "\x00" not in once


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("FREE\u200b100", "free100"),
        ("ＦＲＥＥ１００", "free100"),
        ("Straße", "STRASSE"),
        ("a  b\n c", "a b c"),
        ("\u202eabc", "abc"),
        ("♥\ufe0f", "♥"),
    ],
)
def test_texts_that_look_alike_compare_equal(one: str, other: str) -> None:
    assert comparable(one) == comparable(other)


def test_visible_text_keeps_its_case() -> None:
    assert visible("Ｈello\u200b Åse") == "Hello Åse"
