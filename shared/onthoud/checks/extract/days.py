"""Weekdays and days counted from today, in five languages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from onthoud.checks.extract.mentions import RelativeDayMention, WeekdayMention, first_come
from onthoud.checks.extract.names import CHINESE_WEEKDAYS, SHORT_WEEKDAYS, WEEKDAYS
from onthoud.text.patterns import LazyPattern

_FULL = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
_SHORT = "|".join(sorted(SHORT_WEEKDAYS, key=len, reverse=True))
_ENDING = (
    r"(?:e?s|en?|ochtend|middag|avond|nacht|abends?|nachmittags?|vormittags?|morgens?|mittags?|nachts?|aften"
    r"|eftermiddag)?"
)
_TO = r"\s*(?:-|–|t/m|through|thru|to|tot(?: en met)?|bis|til)\s*"
_WEEKDAY = LazyPattern(rf"(?<!\w)(?P<name>{_FULL}){_ENDING}(?!\w)", re.IGNORECASE)
# "Tue 2 Dec", "Sat 18:00": an abbreviation beside a number; alone it is another word as often ("sat", "sun").
_BESIDE_NUMBER = LazyPattern(r"(?<!\w)(?P<name>Mon|Tue|Tues|Wed|Thu|Thurs|Fri|Sat|Sun)\.?,?\s(?=\d)")
_RANGE = LazyPattern(rf"(?<!\w)(?P<first>{_FULL}|{_SHORT})\.?{_TO}(?P<last>{_FULL}|{_SHORT})(?!\w)", re.IGNORECASE)
_LISTED = LazyPattern(
    rf"(?<!\w)(?P<name>{_SHORT})\.?(?=\s*(?:[:|]|\d|(?:[,/&+]|and\b|en\b|und\b|og\b)\s*(?:{_SHORT})(?!\w)))",
    re.IGNORECASE,
)
_CHINESE = LazyPattern(r"(?<![一两几每\d])(?:每?(?:周|週)|星期|礼拜)(?P<day>[一二三四五六日天])(?![次个天场回遍])")
_CHINESE_RANGE = LazyPattern(
    r"(?:周|週|星期|礼拜)(?P<first>[一二三四五六日天])\s*(?:至|到|-|–)\s*(?:周|週|星期|礼拜)?(?P<last>[一二三四五六日天])"
)
_SPANS = (
    (
        LazyPattern(
            r"(?<!\w)(?:week-?days?|working days|doordeweeks|werkdagen|werktags|wochentags|hverdage)(?!\w)|工作日|平日",
            re.IGNORECASE,
        ),
        range(5),
    ),
    (
        LazyPattern(r"(?<!\w)(?:weekends?|wochenenden?|weekenden|in het weekend)(?!\w)|周末|週末", re.IGNORECASE),
        range(5, 7),
    ),
    (
        LazyPattern(
            r"(?<!\w)(?:daily|every ?day|each day|(?:7|seven) days a week|24/7|all week|dagelijks|elke dag|iedere dag"
            r"|alle dagen|täglich|jeden tag|dagligt?|hver dag|alle dage)(?!\w)|每天|每日|天天|全年无休",
            re.IGNORECASE,
        ),
        range(7),
    ),
)
# Bare "morgen" is tomorrow in Dutch and German, and morning after a greeting or an article.
_NO_MORNING = "".join(
    f"(?<!{word} )"
    for word in (
        "god",
        "goede",
        "goeie",
        "guten",
        "hver",
        "jeden",
        "elke",
        "am",
        "heute",
        "gestern",
        "den",
        "de",
        "denne",
    )
)
_RELATIVE = LazyPattern(
    r"(?P<after>(?<!\w)(?:day after tomorrow|overmorgen|übermorgen|i overmorgen)(?!\w)|后天|後天)"
    r"|(?P<tomorrow>(?<!\w)(?:tomorrow|tmrw|i morgen"
    rf"|{_NO_MORNING}morgen)(?!\w)|明天(?!会更好)|明晚|明早)"
    r"|(?P<yesterday>(?<!\w)(?:yesterday|gisteren|gisteravond|gestern|i går)(?!\w)|昨天|昨晚)"
    r"|(?P<today>(?<!\w)(?:today|tonight|this (?:morning|afternoon|evening)|vandaag|vanavond|vanmiddag|heute|i dag"
    r"|i aften)(?!\w)|今天|今晚)",
    re.IGNORECASE,
)
_GOOD_MORNING = LazyPattern(r"(?:\A|(?<=\n))Morgen\s*[!,]")
_OFFSETS = {"after": 2, "tomorrow": 1, "yesterday": -1, "today": 0}


def weekdays(text: str, lang: str | None = None, *, loose: bool = False) -> list[WeekdayMention]:
    """Return the weekdays that `text` names; loosely also "Mo-Fr", "weekend", "daily", each day a mention."""
    found = list(_named(text, lang))
    if not loose:
        return first_come(found)
    # A span names several days in one place, so these may overlap.
    return sorted({*found, *_spans(text)}, key=lambda mention: (mention.start, mention.weekday))


def relative_days(text: str) -> list[RelativeDayMention]:
    """Return the days that `text` counts from today."""
    return [
        RelativeDayMention(match.start(), match.end(), _OFFSETS[match.lastgroup or "today"])
        for match in _RELATIVE.finditer(text)
        if not _GOOD_MORNING.match(text, match.start())
    ]


def _named(text: str, lang: str | None) -> Iterator[WeekdayMention]:
    for match in _WEEKDAY.finditer(text):
        yield WeekdayMention(match.start(), match.end(), WEEKDAYS[match["name"].lower()])
    for match in _CHINESE_RANGE.finditer(text):
        for group in ("first", "last"):
            yield WeekdayMention(match.start(group), match.end(group), CHINESE_WEEKDAYS[match[group]])
    for match in _CHINESE.finditer(text):
        yield WeekdayMention(match.start("day"), match.end(), CHINESE_WEEKDAYS[match["day"]])
    if lang in {None, "en"}:
        for match in _BESIDE_NUMBER.finditer(text):
            yield WeekdayMention(match.start("name"), match.end("name"), SHORT_WEEKDAYS[match["name"].lower()])


def _spans(text: str) -> Iterator[WeekdayMention]:
    for match in _RANGE.finditer(text):
        yield from _between(match, _number(match["first"]), _number(match["last"]))
    for match in _CHINESE_RANGE.finditer(text):
        yield from _between(match, CHINESE_WEEKDAYS[match["first"]], CHINESE_WEEKDAYS[match["last"]])
    for match in _LISTED.finditer(text):
        yield WeekdayMention(match.start(), match.end(), _number(match["name"]))
    for pattern, covered in _SPANS:
        for match in pattern.finditer(text):
            for day in covered:
                yield WeekdayMention(match.start(), match.end(), day)


def _number(name: str) -> int:
    return WEEKDAYS[name.lower()] if name.lower() in WEEKDAYS else SHORT_WEEKDAYS[name.lower()]


def _between(match: re.Match[str], first: int, last: int) -> Iterator[WeekdayMention]:
    for step in range((last - first) % 7 + 1):
        yield WeekdayMention(match.start(), match.end(), (first + step) % 7)
