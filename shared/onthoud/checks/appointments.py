"""What a reply says about the customer's own appointment, which the record alone can prove.

The clinic is on Tuesday at 19:00; that does not make "your court is booked for 19:00" right.
"""

from __future__ import annotations

from onthoud.checks.phrases import phrases
from onthoud.checks.sentences import sentence_at

REACH = 40
"""How many characters behind "see you" or "your booking" its day and time may stand."""

_APPOINTMENT = phrases(
    r"see (?:you|ya|u)|until then|(?:your|the) (?:booking|reservation|court|game|lesson|appointment) is"
    r"|you(?:'re| are) booked",
    r"(?:is|are|been) (?:booked|reserved|confirmed)|you(?:'ve| have) (?:booked|reserved)",
    r"tot(?! en met)|(?:je|jouw|uw|de) (?:boeking|reservering|les|baan) (?:is|staat)|(?:geboekt|gereserveerd"
    r"|bevestigd)",
    r"vi ses|ses|(?:din|jeres) (?:booking|reservation|bane|tid|time) er|(?:booket|reserveret|bekræftet)",
    r"bis(?! zu)|(?:deine?|ihre?|eure?) (?:buchung|reservierung|platz|stunde|termin) ist|(?:gebucht|reserviert"
    r"|bestätigt)",
    chinese=r"[您你]的(?:预订|预约|场地)|已(?:为您)?(?:预订|预约|确认)",
)
_GOODBYE_AFTER = phrases(r"(?:see you|booked)", chinese="见")
# "Open until Friday", "geöffnet bis 22 Uhr" speak of the house.
_HOUSE = phrases(
    r"open|closed?|opening|lights?|every|daily|always",
    r"open|geopend|gesloten|dicht|licht\w*|elke|iedere|dagelijks",
    r"åbent?|lukket|lys\w*|hver|dagligt?",
    r"geöffnet|offen|geschlossen|licht|jeden|täglich|auf|zu",
    chinese="营业|开门|关门|开到|开放|灯|每",
)


def is_appointment(text: str, position: int) -> bool:
    """Say whether the day or time at `position` is told as the customer's own."""
    start, end = sentence_at(text, position)
    sentence = text[start:end]
    if _HOUSE.search(sentence):
        return False
    before = text[max(start, position - REACH) : position]
    return bool(_APPOINTMENT.search(before)) or bool(_GOODBYE_AFTER.search(text[position:end]))
