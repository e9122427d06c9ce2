"""Links, mail addresses, phone numbers and codes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from onthoud.checks.extract.calendar_dates import dates
from onthoud.checks.extract.clock_times import times
from onthoud.checks.extract.mentions import CodeMention, EmailMention, LinkMention, PhoneMention, first_come, overlaps
from onthoud.checks.extract.money import prices
from onthoud.text.patterns import LazyPattern

# Endings that are no word of our languages; "play.it" or "so.me" counts as a link only with a path or a scheme.
_ENDINGS = (
    "com|net|org|info|biz|nl|de|dk|eu|cn|uk|fr|es|pl|ch|se|fi|io|app|dev|ai|co|tv|gg|ly|shop|club|site|store|online|xyz|link|page"
    "|top|live|vip|win|click|pro|games|sport|tennis|link|ws|cc|ru|gl|gle|li|to|me|be|it|us|at|no"
)
_WORDLIKE = frozenset(
    {"to", "me", "be", "it", "us", "at", "no", "so", "pro", "top", "live", "win", "click", "sport", "li"}
)
_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
# There are more endings than a list can hold; where a path follows, any will do.
_HOST = rf"(?:{_LABEL}\.)+(?:{_ENDINGS}|xn--[\w-]+|[a-z]{{2,24}}(?=/\w))"
_LINK = LazyPattern(
    rf"(?P<scheme>h(?:tt|xx)ps?://)(?P<host1>[^\s/?#<>\"'，。）)]+)(?P<path1>[/?#][^\s<>\"'，。）]*)?"
    rf"|(?<![\w@.-])(?P<host2>{_HOST})(?![\w-]|\.\w)(?P<path2>[/?#][^\s<>\"'，。）]*)?",
    re.IGNORECASE | re.ASCII,
)
# "example dot com", "example[.]com": written so that no filter sees it.
_SPELLED = LazyPattern(
    rf"(?<![\w@])(?P<host>{_LABEL})\s?(?:\[\.\]|\(\.\)|\[dot\]|\(dot\)|\sdot\s)\s?(?P<end>com|net|org|nl|de|dk|eu|cn|io)(?!\w)",
    re.IGNORECASE,
)
_EMAIL = LazyPattern(
    rf"[\w.!#$%&'*+/=?^`{{|}}~-]{{1,64}}\s?(?:@|\(at\)|\[at\])\s?(?:{_LABEL}\.)+[^\W\d_]{{2,24}}", re.IGNORECASE
)
_PHONE = LazyPattern(r"(?<![A-Za-z0-9_.#/=-])(?:\+|00|\()?\d(?:[ \u00a0().\-/–]{0,3}\d){6,16}(?![\w-])")
_SCORES = LazyPattern(r"\d{1,2}\s?[-–:]\s?\d{1,2}(?:[,;/\s]+\d{1,2}\s?[-–:]\s?\d{1,2})+")
# Seven digits in a row are an order or a count; 20261201 is a day.
_SEVEN_OR_DAY = LazyPattern(r"\d{7}|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])")
_TWO_DIGITS = LazyPattern(r"\d\d")
_YEARS = LazyPattern(r"(?<!\d)(?:19|20)\d\d\s?[-–/]\s?(?:19|20)\d\d(?!\d)")
_STANDALONE = LazyPattern(
    r"(?<![A-Za-z0-9_@#./-])(?P<code>[A-Z]{3,}\d{2,6}[A-Z]*|[A-Z]+\d+[A-Z]+\d+|\d{2,}[A-Z]{3,}\d*)(?![\w-]|\.\w)"
)
_NUMBERED = LazyPattern(r"(?:COURTS?|BAAN|BANE|PLATZ|FIELD|TABLE|TEAM|ROOM)\d{1,2}$")
_NAMED = LazyPattern(
    r"(?:codes?|coupons?|vouchers?|promo|kortingscode|actiecode|toegangscode|rabatkode|rabatkoden|koden?|gutscheincode|gutschein"
    r"|rabattcode|zugangscode|pin|passwor[dt]|wachtwoord|adgangskode|优惠码|折扣码|兑换码|验证码|密码|代码)"
    r"(?:\s?(?:is|are|ist|er|lautet|:|：|=|为|是))?\s?[\"'“”‘’„»«`*]{0,2}(?P<code>[A-Za-z0-9][A-Za-z0-9_-]{2,31})(?![\w])",
    re.IGNORECASE,
)


def links(text: str) -> list[LinkMention]:
    """Return the web addresses in `text`, with or without a scheme, also disguised ones."""
    return first_come(_links(text))


def emails(text: str) -> list[EmailMention]:
    """Return the mail addresses in `text`."""
    return [
        EmailMention(match.start(), match.end(), re.sub(r"\s?(?:\(at\)|\[at\])\s?", "@", match[0].lower()))
        for match in _EMAIL.finditer(text)
    ]


def phones(text: str, lang: str | None = None) -> list[PhoneMention]:
    """Return the numbers of 7 or more digits that are no date, time, price, score or span of years."""
    found = []
    for match in _PHONE.finditer(text):
        # "courts 1 2 3 4 5 6 7" are counted, not dialled.
        if _TWO_DIGITS.search(match[0]) and not _is_something_else(text, match.start(), match.end(), lang):
            found.append(PhoneMention(match.start(), match.end(), "".join(filter(str.isdigit, match[0]))))
    return found


def _is_something_else(text: str, start: int, end: int, lang: str | None) -> bool:
    before = max(0, start - 24)
    near = text[before : end + 24]
    start, end = start - before, end - before
    if _SEVEN_OR_DAY.fullmatch(near[start:end]):
        return True
    spans = [match.span() for pattern in (_SCORES, _YEARS) for match in pattern.finditer(near)]
    if any(first < end and start < last for first, last in spans):
        return True
    return overlaps(start, end, [*dates(near, lang), *times(near, lang), *prices(near)])


def codes(text: str) -> list[CodeMention]:
    """Return what looks like a coupon or an access code: FREE100, or what follows "code", "Gutschein", 优惠码."""
    return first_come(_codes(text))


def same_phone(one: str, other: str) -> bool:
    """Say whether two digit strings name one subscriber: country code and leading zeros aside."""
    return one.lstrip("0")[-8:] == other.lstrip("0")[-8:]


def _links(text: str) -> Iterator[LinkMention]:
    addresses = emails(text)
    for match in _LINK.finditer(text):
        host = (match["host1"] or match["host2"]).lower().rstrip(".,;:!?")
        path = (match["path1"] or match["path2"] or "").rstrip(".,;:!?)/")
        if match["host2"] and (
            overlaps(match.start(), match.end(), addresses) or (not path and _is_prose(match["host2"]))
        ):
            continue
        yield LinkMention(match.start(), match.end(), host.rsplit("@", 1)[-1].removeprefix("www."), path)
    for match in _SPELLED.finditer(text):
        yield LinkMention(
            match.start(), match.end(), f"{match['host']}.{match['end']}".lower().removeprefix("www."), ""
        )


def _is_prose(host: str) -> bool:
    """Say whether a bare host is a missing blank between two sentences: "Nice.It is", "so.it"."""
    ending = host.rsplit(".", 1)[-1]
    return (ending.lower() in _WORDLIKE and host.count(".") == 1) or (ending[0].isupper() and not host.isupper())


def _codes(text: str) -> Iterator[CodeMention]:
    for match in _NAMED.finditer(text):
        code = match["code"]
        # "code of conduct" is none: a code has a digit, or is shouted.
        if any(char.isdigit() for char in code) or (code.isupper() and len(code) >= 4):
            yield CodeMention(match.start("code"), match.end("code"), code.upper())
    for match in _STANDALONE.finditer(text):
        if len(match["code"]) >= 5 and not _NUMBERED.match(match["code"]):
            yield CodeMention(match.start(), match.end(), match["code"])
