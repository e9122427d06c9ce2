"""From an event and the customer's profile to what a message may say."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from booking.checks.facts import Facts
from booking.messages import Kind, court_name
from booking.when import LANGUAGES, describe, language_of, style_of
from booking.writing import Subject
from onthoud.events.booking import Booking
from onthoud.memory.profile import CustomerProfile
from onthoud.settings import Settings

Clean = Callable[[str], str]


def subject_of(
    kind: Kind,
    booking: Booking,
    profile: CustomerProfile,
    settings: Settings,
    *,
    now: datetime,
    returning: bool,
    clean: Clean,
) -> Subject:
    """Return what a message is about, in the customer's language and the venue's zone.

    `clean` is the redaction step: the message is remembered as it is sent.
    """
    wishes = (profile.language.value if profile.language else None, booking.customer.language)
    language = language_of(*wishes, default=settings.default_language)
    zone = ZoneInfo(booking.venue_time_zone or settings.venue_time_zone)
    when = describe(booking.starts_at, booking.ends_at, zone, style_of(language, *wishes))
    name = _one_line(clean(booking.customer.name or (profile.name.value if profile.name else "")))
    court = court_name(_one_line(clean(booking.court)), language)
    venue = _one_line(clean(booking.venue or ""))
    facts = None
    if kind in {"confirmed", "moved"}:
        facts = Facts(
            kind="moved" if kind == "moved" else "confirmed",
            name=name,
            court=court,
            venue=venue,
            when=when,
            now=now,
            language=language if any(_known(wish) for wish in wishes) else None,
            courts=tuple(_one_line(one) for one in _preferred(profile)),
            preferred=_fold(booking.court) in {_fold(one) for one in _preferred(profile)},
            level=profile.experience_level.value if profile.experience_level else "",
            returning=returning,
            public=profile.public_notes,
            staff=tuple(note for note in (booking.staff_note, *profile.staff_notes) if note),
        )
    return Subject(kind, language, name, court, venue, when, facts)


def _known(wish: str | None) -> bool:
    return bool(wish) and language_of(wish, default="") in LANGUAGES and (wish or "")[:2].lower() in LANGUAGES


def _preferred(profile: CustomerProfile) -> tuple[str, ...]:
    return profile.preferred_courts.value if profile.preferred_courts else ()


def _fold(court: str) -> str:
    return _one_line(court.casefold())


def _one_line(text: str) -> str:
    return " ".join(text.split())
