"""What a text states: times, dates, weekdays, prices, links, codes, as values that can be compared.

Each function takes a text and returns mentions in order of their place in it. `lang` (ISO 639-1) decides what is
ambiguous between languages; without it, every reading is given. `loose` is for material that we trust: there more is
read as a time or a day ("8-22", "Mo-Fr", "daily"); in a reply only what surely is one. A mention with several readings
may mean any of them.
"""

from __future__ import annotations

from onthoud.checks.extract.addresses import codes, emails, links, phones
from onthoud.checks.extract.calendar_dates import dates
from onthoud.checks.extract.clock_times import times
from onthoud.checks.extract.days import relative_days, weekdays
from onthoud.checks.extract.mentions import (
    CodeMention,
    DateMention,
    EmailMention,
    LinkMention,
    PercentMention,
    PhoneMention,
    PriceMention,
    RelativeDayMention,
    TimeMention,
    WeekdayMention,
)
from onthoud.checks.extract.money import percents, prices

__all__ = [
    "CodeMention",
    "DateMention",
    "EmailMention",
    "LinkMention",
    "PercentMention",
    "PhoneMention",
    "PriceMention",
    "RelativeDayMention",
    "TimeMention",
    "WeekdayMention",
    "codes",
    "dates",
    "emails",
    "links",
    "percents",
    "phones",
    "prices",
    "relative_days",
    "times",
    "weekdays",
]
