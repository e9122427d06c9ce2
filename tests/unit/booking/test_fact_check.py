"""The fact check: right drafts pass in free wording, and nothing false goes out, in five languages."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from booking.checks.check import check
from booking.prompt import record_of
from booking.when import LANGUAGES
from booking.writing import Subject, Writer
from infra.local.model_server.rehearsal.confirm import words_of
from onthoud.ports.model import ModelAnswer, ModelRequest, Usage
from onthoud.prices import Prices
from onthoud.settings import Settings
from tests.fakes.world import plenty
from tests.unit.booking.drafts import (
    CASES,
    DATA,
    STAFF_NOTES,
    WORDINGS,
    Case,
    forms,
    leaks,
    mutations,
    right_drafts,
)

SETTINGS = Settings(table="memory")


class Parrot:
    """A model that always writes the same."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.calls = 0

    def answer(self, request: ModelRequest, *, timeout_s: float) -> ModelAnswer:
        self.calls += 1
        return ModelAnswer(json.dumps({"text": self.text}), "end_turn", Usage(500, 60), request.model)


def sent(draft: str, case: Case, language: str, **changes: object) -> tuple[str, Subject]:
    """Return what goes out where the model writes `draft`, again and again."""
    facts = case.facts(language, **changes)
    about = Subject(facts.kind, language, facts.name, facts.court, facts.venue, facts.when, facts)
    return Writer(Parrot(draft), Prices.parse("haiku=1/5"), SETTINGS).write(about, plenty()).text, about


def test_right_drafts_in_free_wording_go_out_as_they_are() -> None:
    drafts = list(right_drafts())
    passed = [text for language, case, text in drafts if sent(text, case, language)[0].startswith(text)]
    print(f"right drafts: {len(passed)} of {len(drafts)} go out")
    assert len(drafts) >= 100 and len(passed) >= 0.95 * len(drafts)


def test_right_drafts_pass_where_nobody_knows_the_customers_language() -> None:
    drafts = list(right_drafts())
    passed = [text for language, case, text in drafts if not check(text, case.facts("en", language=None)).faults]
    assert len(passed) >= 0.95 * len(drafts)


def test_right_drafts_pass_beside_a_staff_note() -> None:
    drafts = list(right_drafts())
    passed = [
        text for language, case, text in drafts if not check(text, case.facts(language, staff=STAFF_NOTES)).faults
    ]
    assert len(passed) >= 0.95 * len(drafts)


def test_no_mutation_goes_out() -> None:
    tried: Counter[tuple[str, str]] = Counter()
    through = []
    for what, language, case, draft in mutations():
        tried[what, language] += 1
        # The whole way is gone by every tenth, the check by all: what has a fault is never sent (see the repair test).
        faults = check(draft, case.facts(language)).faults
        text, about = sent(draft, case, language) if tried.total() % 10 == 0 else ("", None)
        if not faults or (about is not None and text != about.plain):
            through.append((what, language, draft))
    print(f"mutations: {tried.total()}, of {len({what for what, _ in tried})} sorts; {len(through)} go out")
    assert through == []
    assert tried.total() >= 200
    assert {language for _, language in tried} == set(LANGUAGES)
    assert {what for what, _ in tried} >= {
        "hour",
        "court",
        "weekday",
        "date",
        "end",
        "name",
        "venue",
        "zone",
        "invented",
    }


def test_no_staff_note_goes_out_in_other_words() -> None:
    tried = 0
    for language, case, draft in leaks():
        tried += 1
        text, about = sent(draft, case, language, staff=STAFF_NOTES)
        assert text == about.plain, draft
    print(f"paraphrased staff notes: {tried}, none goes out")
    assert tried >= 50


def test_one_repair_then_the_plain_message() -> None:
    case = CASES[0]
    facts = case.facts("en")
    about = Subject("confirmed", "en", facts.name, facts.court, facts.venue, facts.when, facts)
    model = Parrot("Hi Ana, court 4 at 18:00.")
    written = Writer(model, Prices.parse("haiku=1/5"), SETTINGS).write(about, plenty())
    assert model.calls == 2
    assert written.text == about.plain and written.reason == "plain: court"
    assert "court!" in written.checks and "time" in written.checks


def test_what_a_right_draft_leaves_unsaid_is_added_by_code() -> None:
    text, _ = sent("Hi Ana, your booking is confirmed. See you then!", CASES[0], "en")
    assert text.startswith("Hi Ana, your booking is confirmed. See you then!\n\n")
    assert text.endswith("Court 3\nTuesday, December 1, 2026\n6:00 PM – 7:00 PM (Europe/Amsterdam, CET)\nOnthoud Club")
    whole = WORDINGS["en"][0].format(**forms(CASES[0], "en"))
    assert sent(whole, CASES[0], "en")[0] == whole


HELLO = {
    "en": "Hi Ana, your booking is confirmed ",
    "nl": "Hoi Ana, je boeking is bevestigd ",
    "de": "Hallo Ana, Ihre Buchung ist bestätigt ",
    "da": "Hej Ana, din booking er bekræftet ",
    "zh": "Ana，您好，您的预订已确认，",
}
MONDAY = {"now": CASES[0].moment("2026-11-30T12:00")}


@pytest.mark.parametrize(("language", "form"), [(one, form) for one in LANGUAGES for form in DATA["right_forms"][one]])
def test_any_common_form_of_the_truth_is_understood(language: str, form: str) -> None:
    assert check(f"{HELLO[language]}{form}.", CASES[0].facts(language, **MONDAY)).faults == ()


@pytest.mark.parametrize(("language", "form"), [(one, form) for one in LANGUAGES for form in DATA["wrong_forms"][one]])
def test_any_common_form_of_an_untruth_is_seen(language: str, form: str) -> None:
    assert check(f"{HELLO[language]}{form}.", CASES[0].facts(language, **MONDAY)).faults != ()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["confirmed", "moved"])
def test_our_own_plain_messages_pass_their_own_check(language: str, kind: str) -> None:
    for case in CASES:
        facts = case.facts(language, kind=kind, staff=STAFF_NOTES)
        about = Subject(facts.kind, language, facts.name, facts.court, facts.venue, facts.when, facts)
        verdict = check(about.plain, facts)
        assert verdict.faults == () and verdict.missing == ()


@pytest.mark.parametrize(
    "draft",
    [
        "Hi Ana, court ４ at 18:00.",
        "Hi Ana, court 3 at 1９:00.",
        "Hi Ana, your booking is con​firmed; dis​count fif​ty percent.",
        "Hi Ana, your booking is confirmed: court ③, no, ④.",
        "",
        "   ",
        "x" * 2000,
        "Hallo Ana, Ihre Buchung ist bestätigt. Wir freuen uns auf Sie und wünschen Ihnen viel Spaß beim Spielen.",
    ],
)
def test_disguised_empty_overlong_and_foreign_drafts_are_refused(draft: str) -> None:
    assert check(draft, CASES[0].facts("en")).faults


def test_a_move_must_read_as_a_move_and_a_confirmation_not() -> None:
    facts = CASES[0].facts("en")
    moved = "Hi Ana, your booking has been moved to Court 3 at 18:00."
    assert check(moved, facts).faults == ("status",)
    assert check(moved, CASES[0].facts("en", kind="moved")).faults == ()
    assert check("Hi Ana, see you on Court 3.", CASES[0].facts("en", kind="moved")).faults == ("status",)


def test_tastes_and_levels_only_as_the_profile_has_them() -> None:
    taste = "Hi Ana, confirmed: your favourite court, Court 3."
    level = "Hi Ana, confirmed: a game for an advanced player on Court 3."
    assert check(taste, CASES[0].facts("en")).faults == ("preference",)
    assert check(taste, CASES[0].facts("en", preferred=True)).faults == ()
    assert check(level, CASES[0].facts("en", level="beginner")).faults == ("level",)
    assert check(level, CASES[0].facts("en", level="advanced")).faults == ()
    assert check("Welcome back, Ana! Court 3 is booked.", CASES[0].facts("en")).faults == ("shared_past",)
    assert check("Welcome back, Ana! Court 3 is booked.", CASES[0].facts("en", returning=True)).faults == ()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preferred", [True, False])
def test_the_rehearsal_models_drafts_are_right(language: str, preferred: bool) -> None:
    for case in CASES:
        for notes in ((), STAFF_NOTES):
            facts = case.facts(language, preferred=preferred, staff=notes, public=("left-handed",), returning=True)
            verdict = check(words_of(record_of(facts, language)), facts)
            assert verdict.faults == () and verdict.missing == ()
