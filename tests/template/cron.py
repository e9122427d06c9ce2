"""EventBridge Scheduler's expressions, checked by its documented rules (fields, ranges, exactly one `?`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_FIELDS: tuple[tuple[str, int, int, tuple[str, ...], str], ...] = (
    ("minutes", 0, 59, (), ""),
    ("hours", 0, 23, (), ""),
    ("day of month", 1, 31, (), "?LW"),
    ("month", 1, 12, _MONTHS, ""),
    ("day of week", 1, 7, _DAYS, "?L#"),
    ("year", 1970, 2199, (), ""),
)


def faults_of(expression: str) -> Iterator[str]:
    """Yield what is wrong with a `rate(...)` or `cron(...)` expression."""
    if re.fullmatch(r"rate\((1 (minute|hour|day)|([2-9]|[1-9]\d+) (minutes|hours|days))\)", expression):
        return
    match = re.fullmatch(r"cron\((.+)\)", expression)
    fields = match.group(1).split() if match else []
    if len(fields) != len(_FIELDS):
        yield f"{expression} is neither a rate nor a cron of six fields"
        return
    for field, (name, low, high, words, special) in zip(fields, _FIELDS, strict=True):
        if not all(_valid(part, low, high, words, special) for part in field.split(",")):
            yield f"{expression}: {name} cannot be {field}"
    if (fields[2] == "?") == (fields[4] == "?"):
        yield f"{expression}: exactly one of the two day fields is ?"


def _valid(part: str, low: int, high: int, words: tuple[str, ...], special: str) -> bool:
    if part == "*" or (part == "?" and "?" in special):
        return True
    base, _, step = part.partition("/")
    if step and not (step.isdigit() and int(step) > 0):
        return False
    if re.fullmatch(r"L|\d{1,2}W|[1-7]L|[1-7]#[1-5]", base):
        return bool(set(base) & set("LW#") & set(special))
    numbers = [_number(word, low, words) for word in base.split("-")]
    in_range = all(number is not None and low <= number <= high for number in numbers)
    return base == "*" or (in_range and len(numbers) <= 2)


def _number(word: str, low: int, words: tuple[str, ...]) -> int | None:
    if word.upper() in words:
        return words.index(word.upper()) + low
    return int(word) if word.isdigit() else None
