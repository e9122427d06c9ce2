"""The language of a text, and the silence when unsure."""

from __future__ import annotations

import time

import pytest

from onthoud.text.language import language_hint, own_words, plausible, script_of


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("nl", "Hoi, is baan 3 vanavond nog vrij?"),
        ("nl", "Mag ik mijn hond meenemen?"),
        ("da", "Er bane 3 ledig i aften?"),
        ("da", "Må jeg tage min hund med?"),
        ("de", "Ist Platz 3 heute Abend noch frei?"),
        ("de", "Darf ich meinen Hund mitbringen?"),
        ("en", "Is court 3 free tonight?"),
        ("en", "May I bring my dog with me?"),
        ("zh", "三号场今晚还有空吗？"),
        ("zh", "Ana，三号场有灯吗"),
        ("es", "Hola, ¿abren hoy?"),
        ("fr", "Bonjour, est-ce que le court est libre pour nous ?"),
        ("no", "Hvor mye koster det, og kan vi leie noe?"),
        ("sv", "Vad kostar det att hyra en bana hos er?"),
        ("ja", "今晩コートは空いていますか"),
        ("ko", "오늘 밤 코트 비어 있나요"),
    ],
)
def test_plain_sentences_are_recognised(language: str, text: str) -> None:
    assert language_hint(text) == language


@pytest.mark.parametrize(
    "text",
    ["", "lol", "🔥🔥", "12:30", "Katy Perry", "@ana #padel", "https://de.wikipedia.org/wiki/der", "Padel!"],
)
def test_no_hint_without_evidence(text: str) -> None:
    assert language_hint(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Great clinic yesterday, thanks!\n\nMit freundlichen Grüßen\nHans Müller\nWir sind die Firma und das Team",
        "> Können wir das heute Abend noch machen, ich bin mir nicht sicher und wir sind auch zu zweit\nYes, thank you",
        "Is the court free tonight?\n-- \nHans Müller, der und die das ist nicht für dich",
        "Can we come at six?\nVon meinem iPhone gesendet",
        "Thanks, see you then!\nAm 3. Mai 2026 schrieb Hans:\n> Das ist ja nicht so schön",
    ],
)
def test_a_signature_or_a_quotation_does_not_set_the_language(text: str) -> None:
    assert language_hint(text) == "en"


def test_own_words_are_without_mentions_and_addresses() -> None:
    assert own_words("@der_hans see https://die.de/das #und").split() == ["see"]


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("Latn", "hello"),
        ("Hani", "你好"),
        ("Jpan", "こんにちは世界"),
        ("Arab", "مرحبا"),
        ("Hebr", "שלום"),
        ("Cyrl", "привет"),
        ("Hang", "안녕"),
        (None, "123 🔥"),
    ],
)
def test_scripts(script: str | None, text: str) -> None:
    assert script_of(text) == script


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("nl", "Of course, you are very welcome to bring your dog with you!"),
        ("en", "Natuurlijk, je bent van harte welkom bij ons op de club!"),
        ("da", "Natürlich kannst du deinen Hund mitbringen, wir freuen uns!"),
        ("de", "Selvfølgelig må du gerne tage din hund med, vi glæder os!"),
        ("zh", "Of course, you are very welcome to bring your dog."),
        ("en", "当然可以，欢迎您带狗狗来玩，我们很高兴。"),
        ("en-GB", "Natürlich, wir haben jeden Tag geöffnet und freuen uns auf dich."),
    ],
)
def test_a_reply_in_another_language_is_implausible(language: str, text: str) -> None:
    assert not plausible(language, text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("nl", "Top!"),
        ("nl", "Super, tot snel!"),
        ("en", "See you at Café Müller, Ana!"),
        ("da", "Velkommen, vi ses!"),
        ("no", "Velkommen, vi glæder os til at se dig og din hund her!"),
        ("zh", "Ana，欢迎！"),
        ("zh", "OK 👍"),
        ("it", "Of course, you are very welcome to bring your dog with you!"),
        ("he", "Thank you for your message, we are happy to help you."),
        ("", "Of course, you are very welcome!"),
        ("xx-unknown", "Natuurlijk, je bent van harte welkom!"),
    ],
)
def test_a_reply_that_may_be_right_passes(language: str, text: str) -> None:
    assert plausible(language, text)


@pytest.mark.parametrize("piece", ["@", "a@", "a@a.", "ab-", "> ", "on ", "a."])
def test_no_text_takes_long_to_judge(piece: str) -> None:
    started = time.process_time()
    language_hint((piece * 4096)[:4096])
    assert time.process_time() - started < 1
