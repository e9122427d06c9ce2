"""Personal data in outside text: found by well-kept libraries, and replaced before anything is stored.

Per kind the operator chooses `redact` (replaced by a placeholder such as `[email]`), `tag` (the text stays, the kind is
counted in `Redacted.found`, so that the item can be marked), or `keep` (not looked for). Redaction is idempotent.

Most comments hold neither a digit nor an `@`; those cost one look.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, cast

from onthoud.privacy.finders import Finding, find_cards, find_emails, find_ibans
from onthoud.privacy.national_ids import find_national_ids
from onthoud.privacy.phones import find_phones
from onthoud.text.patterns import LazyPattern

Action = Literal["redact", "tag", "keep"]
KINDS = ("email", "iban", "card", "national_id", "phone")
"""In the order in which they claim their place: an IBAN holds digits that look like a phone number."""
ACTIONS = ("redact", "tag", "keep")
DEFAULT = MappingProxyType(
    cast(
        "dict[str, Action]",
        {"email": "redact", "phone": "redact", "card": "redact", "iban": "redact", "national_id": "keep"},
    )
)
DEFAULT_REGIONS = ("NL", "DK", "DE", "GB", "CN")

_SUSPICIOUS = LazyPattern(r"@|＠|[(\[]at[)\]]|\d(?:\D{0,4}\d){6}|[A-Za-z]{2}\d\d", re.IGNORECASE)
_FILLER = "\ufffc"  # Neither letter nor digit nor blank, so that nothing is found across a place already taken.


@dataclass(frozen=True, slots=True)
class Policy:
    """What to do with each kind of personal data."""

    actions: Mapping[str, Action] = field(default_factory=lambda: DEFAULT)

    @classmethod
    def parse(cls, setting: str) -> Policy:
        """Read `email=redact,iban=tag,national_id=keep`; a kind that is not named keeps its default.

        Raises:
            ValueError: an unknown kind or action; the message names it and lists the known ones.
        """
        actions = dict(DEFAULT)
        for part in filter(None, (part.strip() for part in setting.split(","))):
            kind, _, action = (word.strip() for word in part.partition("="))
            if kind not in KINDS:
                raise ValueError(f"redaction: unknown kind {kind!r}; known are {', '.join(KINDS)}")
            if action not in ACTIONS:
                raise ValueError(f"redaction: unknown action {action!r} for {kind}; known are {', '.join(ACTIONS)}")
            actions[kind] = cast("Action", action)
        return cls(MappingProxyType(actions))


@dataclass(frozen=True, slots=True)
class Redacted:
    """Text fit to store, and how many of each kind were found in it (redacted or tagged)."""

    text: str
    found: Mapping[str, int]


class Redactor:
    """Applies a policy to outside text."""

    def __init__(self, policy: Policy | str = Policy(), regions: Sequence[str] = DEFAULT_REGIONS) -> None:
        """Take a policy, or the setting that spells it, and the regions whose national phone numbers are known.

        Raises:
            ValueError: the setting cannot be read.
        """
        self._policy = Policy.parse(policy) if isinstance(policy, str) else policy
        self._regions = tuple(regions)

    def redact(self, text: str) -> Redacted:
        """Return `text` with what the policy redacts replaced, and what was found."""
        found: Counter[str] = Counter()
        tagged: Counter[str] = Counter()
        while _SUSPICIOUS.search(text):
            # A replacement changes what stands beside it, so look again until nothing is left to replace.
            findings = self._find(text)
            redacted = [finding for finding in findings if self._policy.actions[finding.kind] == "redact"]
            tagged = Counter(finding.kind for finding in findings) - Counter(finding.kind for finding in redacted)
            if not redacted:
                break
            found.update(finding.kind for finding in redacted)
            text = _replace(text, redacted)
        return Redacted(text, MappingProxyType(dict(found + tagged)))

    def clean(self, text: str) -> str:
        """Return the text of `redact`."""
        return self.redact(text).text

    def _find(self, text: str) -> list[Finding]:
        findings: list[Finding] = []
        for kind in KINDS:
            if self._policy.actions[kind] != "keep":
                fresh = list(self._finder(kind, text))
                findings += fresh
                for finding in fresh:
                    text = text[: finding.start] + _FILLER * (finding.end - finding.start) + text[finding.end :]
        return findings

    def _finder(self, kind: str, text: str) -> Iterator[Finding]:
        if kind == "email":
            return find_emails(text)
        if kind == "iban":
            return find_ibans(text)
        if kind == "card":
            return find_cards(text)
        if kind == "national_id":
            return find_national_ids(text)
        return find_phones(text, self._regions)


def _replace(text: str, findings: Iterable[Finding]) -> str:
    for finding in sorted(findings, key=lambda finding: finding.start, reverse=True):
        text = f"{text[: finding.start]}[{finding.kind.replace('_', '-')}]{text[finding.end :]}"
    return text
