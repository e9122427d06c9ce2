"""The plain messages: by status and language, complete without any model. What goes wrong elsewhere ends here."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from booking.when import When

Kind = Literal["confirmed", "moved", "cancelled", "denied"]
FOLDER = Path(__file__).parent / "templates"


@cache
def _template(language: str) -> Mapping[str, Any]:
    return tomllib.loads((FOLDER / f"{language}.toml").read_text("utf-8"))


def court_name(court: str, language: str) -> str:
    """Return what a court is called: a bare number or letter gets the language's word before it."""
    if len(court) > 1 and not court.isdigit():
        return court
    name: str = _template(language)["numbered_court"].format(court=court)
    return name


def plain(kind: Kind, language: str, *, name: str, court: str, venue: str, when: When) -> str:
    """Return the whole plain message."""
    template = _template(language)
    hello = template["hello"].format(name=name) if name else template["hello_nobody"]
    return f"{hello}\n\n{template['lead'][kind]}\n\n{details(language, court=court, venue=venue, when=when)}"


def details(language: str, *, court: str, venue: str, when: When) -> str:
    """Return what the record holds, a line each."""
    lines = _template(language)["details"].split("\n")
    filled = (line.format(court=court, venue=venue, date=when.date, hours=when.hours, zone=when.zone) for line in lines)
    return "\n".join(line for line in filled if line)


def summary(kind: Kind, language: str, *, name: str, court: str, venue: str, when: When) -> str:
    """Return the plain message in one line."""
    text = plain(kind, language, name=name, court=court, venue=venue, when=when)
    hello, lead, facts = text.split("\n\n")
    comma = "，" if language == "zh" else ", "
    return f"{hello} {lead} {comma.join(facts.splitlines())}{'。' if language == 'zh' else '.'}"


def completion(language: str, missing: Sequence[str], *, court: str, venue: str, when: When) -> str:
    """Return the line that adds what a right draft leaves unsaid: only the place, or everything."""
    if set(missing) <= {"zone", "venue"}:
        return " · ".join(part for part in (venue if "venue" in missing else "", when.zone) if part)
    return details(language, court=court, venue=venue, when=when)


def subject(kind: Kind, language: str, *, court: str, when: When) -> str:
    """Return the subject of a mail; it names the same instant as the text."""
    start = f"{when.date} {when.start_time}" + f" ({when.zone})"
    text: str = _template(language)["subject"][kind].format(court=court, start=start)
    return " ".join(text.split())
