"""What a reply may rest on, and the reply itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from onthoud.text.markup import visible


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a reply may rest on.

    Attributes:
        operator_text: the operator's material: instructions, house facts, retrieved documents.
        record_text: what the systems record: profile, booking, post, names of those who take part.
        earlier_replies: what the account itself has said to this customer, as sent. It grounds what it says (each was
            checked, or written by a person), except for "today" and "tomorrow", which meant another day then.
        shared_past: True only where memory that was injected into this very prompt holds an earlier exchange with this
            customer: a turn of the account, a session summary or a notable event. A profile or the thread's other
            people are no shared past. A claim to have *agreed* on something also needs such a word in
            `earlier_replies` or `record_text`.
        answered_before: the customer has had a reply from us before, whether or not the window still holds it.
        customer_text: the customer's words, which prove nothing; they only tell a question asked back, or a farewell
            ("see you Friday!"), from a claim.
        private_text: words that must not leave: the prompt's own rules, staff-only notes.
        today: the venue's local date, where "tomorrow" is to be compared with dates of the record.
    """

    operator_text: str = ""
    record_text: str = ""
    earlier_replies: tuple[str, ...] = ()
    shared_past: bool = False
    answered_before: bool = False
    customer_text: str = ""
    private_text: str = ""
    today: date | None = None

    @property
    def lasting(self) -> str:
        """What holds whenever it was said: material and record."""
        return visible(f"{self.operator_text}\n{self.record_text}")

    @property
    def material(self) -> str:
        """All that a claim may rest on: material, record and earlier replies."""
        return "\n".join((self.lasting, *map(visible, self.earlier_replies)))


@dataclass(frozen=True, slots=True)
class Reply:
    """The words to be checked.

    Attributes:
        text: what a person would see, in compatibility form (`visible`).
        raw: the words as they would be sent.
        channel: the platform they are for.
        language: the language that they should be in, as a BCP 47 tag; empty where nobody knows.
    """

    text: str
    raw: str
    channel: str
    language: str

    @classmethod
    def of(cls, text: str, channel: str, language: str) -> Reply:
        """Take a reply as the model wrote it."""
        return cls(visible(text), text, channel.casefold(), language)
