"""The brief's words in the operator's language, and every date and time in it. The model writes none of them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

FOLDER = Path(__file__).parent / "wording"
FALLBACK = "en"


@cache
def _table(language: str) -> Mapping[str, Any]:
    path = FOLDER / f"{language}.toml"
    return tomllib.loads((path if path.exists() else FOLDER / f"{FALLBACK}.toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Words:
    """One language in one time zone.

    Attributes:
        language: ISO 639-1; one without a table is written in English.
        zone: the operator's.
        today: the local date of the brief.
    """

    language: str
    zone: ZoneInfo
    today: date

    def say(self, name: str, /, **values: object) -> str:
        """Return a phrase, `table.name` or `name`."""
        found: Any = _table(self.language)
        for part in name.split(".", 1):
            found = found[part]
        return str(found).format(**values)

    def has(self, name: str) -> bool:
        """Whether there is such a phrase."""
        table, _, entry = name.partition(".")
        return entry in _table(self.language).get(table, {})

    def list(self, name: str) -> tuple[str, ...]:
        """Return a list of words."""
        return tuple(_table(self.language)[name])

    @property
    def model_language(self) -> str:
        """The language's English name."""
        return str(_table(self.language)["language"])

    def full_date(self, day: date) -> str:
        """Return `Monday 30 November 2026`."""
        return self._date("full_date", day)

    def short_date(self, day: date) -> str:
        """Return `Monday 30 November`, with the year where it is another than the brief's."""
        return self._date("short_date" if day.year == self.today.year else "full_date", day)

    def clock(self, moment: datetime) -> str:
        """Return `06:58` in the operator's zone."""
        return f"{moment.astimezone(self.zone):%H:%M}"

    def moment(self, moment: datetime) -> str:
        """Return the time, and the date before it where that is another day than the brief's."""
        day = moment.astimezone(self.zone).date()
        return self.clock(moment) if day == self.today else f"{self.short_date(day)} {self.clock(moment)}"

    def raw_moment(self, text: str) -> str:
        """Return a stored instant or date, as `moment` and `short_date` write them."""
        if "T" in text:
            moment = datetime.fromisoformat(text)
            return f"{self.short_date(moment.astimezone(self.zone).date())} {self.clock(moment)}"
        return self.short_date(date.fromisoformat(text))

    def _date(self, form: str, day: date) -> str:
        return self.say(
            form,
            weekday=self.list("weekdays")[day.weekday()],
            day=day.day,
            month=self.list("months")[day.month - 1],
            year=day.year,
        )
