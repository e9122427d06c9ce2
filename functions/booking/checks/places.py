"""The court, the venue and the time zone."""

from __future__ import annotations

from typing import Final

import regex

from booking.checks.draft import Draft, literal, normalised, with_digits
from booking.checks.facts import Facts

_ABBREVIATIONS: Final = (
    "CES?T|MES?Z|WES?T|EES?T|GMT|BST|IST|UTC|[MPCEH][SD]T|AKST|[JKM]ST|MSK|SGT|HKT|A[EC][SD]T|AWST|NZ[SD]T"
)
_SAME_CLOCK: Final = {"MEZ": "CET", "MESZ": "CEST"}
_CENTRAL_EUROPE: Final = (
    r"central european (?:(summer|standard) )?time|mitteleuropäische[rn]? (?:(sommer|normal))?zeit"
    r"|midden-europese (?:(zomer|standaard|winter))?tijd|centraleuropæisk (?:(sommer|normal))?tid"
    r"|(?:中欧|欧洲中部)(?:(夏令|标准))?时间"
)
_HAN_CITIES: Final = {
    "北京": "Asia/Shanghai",
    "上海": "Asia/Shanghai",
    "东京": "Asia/Tokyo",
    "纽约": "America/New_York",
    "美东": "America/New_York",
    "伦敦": "Europe/London",
    "巴黎": "Europe/Paris",
    "柏林": "Europe/Berlin",
    "阿姆斯特丹": "Europe/Amsterdam",
    "哥本哈根": "Europe/Copenhagen",
    "凤凰城": "America/Phoenix",
    "洛杉矶": "America/Los_Angeles",
}


def check_court(draft: Draft, facts: Facts) -> bool:
    """Take the courts out, note those that are not the record's; say whether the court was named."""
    own_court = with_digits(normalised(facts.court), draft.lexicon)
    marks = regex.findall(r"\d+\p{Latin}?(?![\p{L}--\p{Han}])|\b\p{Lu}\b", own_court, regex.V1)
    right = {mark.lstrip("0").casefold() or "0" for mark in marks}
    seen = False
    if regex.search(r"\p{L}{2,}", facts.court):
        seen = bool(list(draft.take(literal(own_court))))
    own: list[str] = regex.findall(r"[\p{L}]{3,}", facts.court)
    nouns = draft.lexicon.choice("courts") + "".join(rf"|(?<!\p{{L}}){regex.escape(word)}(?!\p{{L}})" for word in own)
    between = r"\s*(?:nr\b\.?|no\b\.?|number|nummer|[#№:])?\s*"
    patterns = (
        rf"(?:{nouns}){between}(\d{{1,3}}(?:\p{{Latin}}(?!\p{{L}}))?)(?!\d|[:.]\d)",
        rf"(?<!\d|\d[:.])(\d{{1,3}})(?:st|nd|rd|th|ste|de|e|\.)?\s*(?:号)?\s*(?:{nouns})(?!\p{{L}}(?<!\p{{Han}}))",
        r"(?<!\d|\d[:.])(\d{1,3})\s*号(?=\s*(?:的|,|,|。|见|!|$))" if not draft.lexicon.spaced else r"(?!)()",
    )
    for pattern in patterns:
        for match in draft.take(pattern):
            mark = match[1].lstrip("0").casefold() or "0"
            if mark in right:
                seen = True
            else:
                draft.fault("court")
    for match in regex.finditer(rf"(?i:{nouns})\s+(\p{{Lu}})(?![\p{{L}}'])", draft.left):
        if match[1].casefold() in right:
            seen = True
        elif match[1] != "I":
            draft.fault("court")
    return seen


def check_zone(draft: Draft, facts: Facts) -> bool:
    """Take the zones out, note those that are not the venue's; say whether the zone was named."""
    seen = draft.named(facts.zone)
    for match in draft.take(r"\b(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)/[\w/+-]+"):
        if match[0].casefold() != facts.zone.casefold():
            draft.fault("zone")
    offsets = {name for name in facts.clock_names if name.startswith("UTC")} | {
        _offset(moment.utcoffset().total_seconds() if moment.utcoffset() else 0)  # type: ignore[union-attr]
        for moment in (facts.when.start, facts.when.end)
    }
    for match in draft.take(r"\b(?:UTC|GMT)\s?([+-])\s?(\d{1,2})(?::?(\d{2}))?(?!\d)"):
        if f"UTC{match[1]}{int(match[2]):02d}:{match[3] or '00'}" in offsets:
            seen = True
        else:
            draft.fault("zone")
    allowed = facts.clock_names
    for match in draft.take(rf"\b(?:{_ABBREVIATIONS})\b"):
        name = match[0].upper()
        if match[0].isupper() and _SAME_CLOCK.get(name, name) not in allowed:
            draft.fault("zone")
        else:
            seen = True
    return _in_words(draft, facts) or seen


def _in_words(draft: Draft, facts: Facts) -> bool:
    seen = False
    for match in draft.take(_CENTRAL_EUROPE):
        kind = next((group for group in match.groups() if group), "").casefold()
        summer = kind in {"summer", "sommer", "zomer", "夏令"}
        winter = bool(kind) and not summer
        fits = {"CET", "CEST"} if not kind else {"CEST"} if summer else {"CET"}
        seen |= bool(fits & facts.clock_names) and not (winter and "CET" not in facts.clock_names)
        if not fits & facts.clock_names:
            draft.fault("zone")
    city = facts.zone.rsplit("/", 1)[-1].replace("_", " ")
    # "Amsterdam time", "Amsterdamse tijd", "New York time", and any other place's.
    spaced = (
        rf"(?<!\p{{L}})(?:(?i:({regex.escape(city)}))\p{{L}}*|(\p{{Lu}}\p{{L}}+))\s+(?i:time|tijd|zeit|tid|ortszeit)\b"
    )
    for match in regex.finditer(spaced, draft.left):
        if match[1]:
            seen = True
            draft.remove(*match.span())
        elif match[2].casefold() not in draft.lexicon.vocabulary:
            draft.fault("zone")
    for match in draft.take(rf"({'|'.join(_HAN_CITIES)})(?:当地|本地)?时间"):
        if _HAN_CITIES[match[1]] == facts.zone:
            seen = True
        else:
            draft.fault("zone")
    return seen


def _offset(seconds: float) -> str:
    minutes = int(seconds) // 60
    return f"UTC{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
