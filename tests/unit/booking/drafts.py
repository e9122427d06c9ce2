"""Drafts as a model may write them: right ones in free wording, and mutations of them that must never go out."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from zoneinfo import ZoneInfo

from booking.checks.facts import Facts
from booking.when import LANGUAGES, STYLES, clock_name, describe, style_of

NOW = datetime(2026, 11, 25, 10, tzinfo=UTC)


@dataclass(frozen=True)
class Case:
    """A record: what is true."""

    name: str
    number: int
    venue: str
    zone: str
    start: str
    end: str

    def facts(self, language: str, /, **changes: object) -> Facts:
        zone = ZoneInfo(self.zone)
        when = describe(self.moment(self.start), self.moment(self.end), zone, style_of(language))
        facts = Facts(
            kind="confirmed", name=self.name, court=f"Court {self.number}", venue=self.venue, when=when, now=NOW,
            language=language,
        )  # fmt: skip
        return replace(facts, **changes)  # type: ignore[arg-type]

    def moment(self, text: str) -> datetime:
        return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(self.zone))


CASES = (
    Case("Ana", 3, "Onthoud Club", "Europe/Amsterdam", "2026-12-01T18:00", "2026-12-01T19:00"),
    Case("Li Wei", 12, "Desert Padel", "America/Phoenix", "2027-03-06T09:30", "2027-03-06T11:00"),
    Case("Søren Müller", 1, "Riverside", "Europe/London", "2027-07-16T20:15", "2027-07-16T21:45"),
)

DATA = tomllib.loads(Path(__file__).with_name("drafts.toml").read_text("utf-8"))
WORDINGS: dict[str, list[str]] = DATA["wordings"]
STAFF_NOTES = ("always late, and owes us for last month", "argued with the coach; bad knee")


def forms(case: Case, language: str) -> dict[str, object]:
    """Return everything a wording may ask for."""
    start, end = case.moment(case.start), case.moment(case.end)
    style = STYLES[language]
    return {
        "name": case.name, "n": case.number, "venue": case.venue, "zone": case.zone, "abbr": clock_name(start),
        "weekday": style.weekdays[start.weekday()], "month": style.months[start.month - 1], "d": start.day,
        "m": start.month, "year": start.year, "th": _th(start.day), "iso": start.date().isoformat(),
        "dmy": f"{start.day}-{start.month}-{start.year}", "dmy_dot": f"{start:%d.%m.%Y}",
        "date_gb": f"{start.day} {style.months[start.month - 1]}",
        "wd": _short_day(start, language), "mon": _short_month(start, language),
        "a": f"{start:%H:%M}", "b": f"{end:%H:%M}", "adot": f"{start:%H.%M}", "bdot": f"{end:%H.%M}",
        "a12": _twelve(start), "b12": _twelve(end), "azh": _han(start), "bzh": _han(end),
        "length": int((end - start).total_seconds() // 60),
    }  # fmt: skip


def _th(day: int) -> str:
    return "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _short_day(moment: datetime, language: str) -> str:
    names = {
        "nl": ["ma", "di", "wo", "do", "vr", "za", "zo"],
        "zh": ["周一", "周二", "周三", "周四", "周五", "周六", "周日"],
    }
    return names.get(language, [""] * 7)[moment.weekday()]


def _short_month(moment: datetime, language: str) -> str:
    short = {"nl": {3: "mrt"}, "de": {3: "Mrz"}}.get(language, {})
    return short.get(moment.month) or STYLES[language].months[moment.month - 1][:3]


def _twelve(moment: datetime) -> str:
    return f"{moment.hour % 12 or 12}:{moment.minute:02d} {'AM' if moment.hour < 12 else 'PM'}"


def _han(moment: datetime) -> str:
    part = "上午" if moment.hour < 12 else "下午" if moment.hour < 18 else "晚上"
    minute = {0: "", 30: "半"}.get(moment.minute, f"{moment.minute}分")
    return f"{part}{'零一二三四五六七八九十'[moment.hour % 12] if moment.hour % 12 <= 10 else '十一'}点{minute}"


def right_drafts() -> Iterator[tuple[str, Case, str]]:
    """Yield (language, record, draft) for drafts in which everything is true."""
    for language in LANGUAGES:
        for case in CASES:
            values = forms(case, language)
            for wording in WORDINGS[language]:
                yield language, case, wording.format(**values)
        for draft in DATA["right"][language]:
            yield language, CASES[0], draft


def mutations() -> Iterator[tuple[str, str, Case, str]]:
    """Yield (what was done, language, record, draft) for drafts in which one thing is wrong."""
    for language, case, wording in product(LANGUAGES, CASES, range(len(WORDINGS["en"]))):
        truth = forms(case, language)
        right = WORDINGS[language][wording].format(**truth)
        for what, false in _changed(case, language):
            wrong = WORDINGS[language][wording].format(**{**truth, **false})
            if wrong != right:
                yield what, language, case, wrong
    for language in LANGUAGES:
        case = CASES[0]
        for draft in DATA["wrong"][language]:
            yield "written", language, case, draft
        for position, sentence in enumerate(DATA["invented"][language]):
            right = WORDINGS[language][position % 8].format(**forms(case, language))
            yield "invented", language, case, f"{right} {sentence}"


def leaks() -> Iterator[tuple[str, Case, str]]:
    """Yield (language, record, draft) for drafts that say what only the staff may know."""
    for language in LANGUAGES:
        for position, sentence in enumerate(DATA["leaked"][language]):
            case = CASES[position % len(CASES)]
            right = WORDINGS[language][position % 8].format(**forms(case, language))
            yield language, case, f"{right} {sentence}"


def _changed(case: Case, language: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield what is said falsely: the forms of another hour, day, court, name, venue or zone."""
    hour = replace(case, start=_shift(case.start, hours=1), end=_shift(case.end, hours=1))
    day = replace(case, start=_shift(case.start, days=1), end=_shift(case.end, days=1))
    longer = replace(case, end=_shift(case.end, minutes=30))
    half_day = replace(case, start=_shift(case.start, hours=12), end=_shift(case.end, hours=12))
    times = ("a", "b", "adot", "bdot", "a12", "b12", "azh", "bzh")
    dates = ("d", "m", "month", "mon", "iso", "dmy", "dmy_dot", "date_gb", "th")
    for what, other, names in (
        ("hour", hour, times),
        ("half of the day", half_day, ("a12", "b12")),
        ("end", longer, ("b", "bdot", "b12", "bzh", "length")),
        ("date", day, dates),
        ("weekday", day, ("weekday", "wd")),
        ("court", replace(case, number=case.number + 1), ("n",)),
        ("venue", replace(case, venue="Padel Palace"), ("venue",)),
        ("name", replace(case, name="Bob"), ("name",)),
    ):
        values = forms(other, language)
        yield what, {name: values[name] for name in names}
    yield "zone", {"zone": "Asia/Tokyo", "abbr": "JST"}
    yield "year", {"year": case.moment(case.start).year + 1}


def _shift(moment: str, *, days: int = 0, hours: int = 0, minutes: int = 0) -> str:
    return (datetime.fromisoformat(moment) + timedelta(days=days, hours=hours, minutes=minutes)).isoformat()
