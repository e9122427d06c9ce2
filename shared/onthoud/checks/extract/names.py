"""The names of months and weekdays in five languages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


def _numbered(*lists: str, start: int) -> Mapping[str, int]:
    return MappingProxyType({name: number for names in lists for number, name in enumerate(names.split(), start)})


MONTHS = _numbered(
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "januar februar marts april maj juni juli august september oktober november december",
    start=1,
)
"""Month's name in lower case -> 1 to 12."""
WORDLIKE_MONTHS = frozenset(
    ("april", "august", "june", "march", "may", "mai", "maj", "mei", "jan", "feb", "mar", "apr", "jun", "jul", "aug")
) | {"sep", "oct", "nov", "dec"}
"""Names that alone, without a day, may be another word or a person's name."""
ENGLISH_MONTHS = frozenset(name for name, _ in list(MONTHS.items())[:23])
WEEKDAYS = _numbered(
    "monday tuesday wednesday thursday friday saturday sunday",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "mandag tirsdag onsdag torsdag fredag lørdag søndag",
    "montag dienstag mittwoch donnerstag freitag sonnabend sonntag",
    start=0,
)
"""Weekday's name in lower case -> 0 (Monday) to 6."""
SHORT_WEEKDAYS = _numbered(
    "mon tue wed thu fri sat sun",
    "ma di wo do vr za zo",
    "mo di mi do fr sa so",
    "man tir ons tor fre lør søn",
    "mon tues wed thurs fri sat sun",
    start=0,
)
CHINESE_WEEKDAYS = MappingProxyType({char: number for number, char in enumerate("一二三四五六日")} | {"天": 6})
