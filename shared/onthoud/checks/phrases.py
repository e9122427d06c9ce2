"""Patterns of set phrases: alternatives per language, matched as whole words; Chinese is written without blanks."""

from __future__ import annotations

import re

from onthoud.text.patterns import LazyPattern


def phrases(*alternatives: str, chinese: str = "") -> LazyPattern:
    """Compile alternatives (regular expressions) into one pattern that ignores case.

    A blank in an alternative matches any run of blanks, a straight apostrophe also the typographic one.
    """
    words = "|".join(alternatives).replace(" ", r"\s+").replace("'", "['’]")
    return LazyPattern(rf"(?<!\w)(?:{words})(?!\w)" + (f"|{chinese}" if chinese else ""), re.IGNORECASE)
