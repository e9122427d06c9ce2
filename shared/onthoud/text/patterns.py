"""Regular expressions compiled when first used, so that importing a handler does not pay for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from sys import maxsize


class LazyPattern:
    """A compiled regular expression in waiting; the methods are those of `re.Pattern`."""

    __slots__ = ("_compiled", "_flags", "_source")

    def __init__(self, source: str, flags: re.RegexFlag | int = 0) -> None:
        self._source = source
        self._flags = flags
        self._compiled: re.Pattern[str] | None = None

    @property
    def compiled(self) -> re.Pattern[str]:
        """The pattern itself."""
        if self._compiled is None:
            self._compiled = re.compile(self._source, self._flags)
        return self._compiled

    def search(self, text: str, start: int = 0, end: int = maxsize) -> re.Match[str] | None:
        """Find the first match anywhere in text[start:end]."""
        return self.compiled.search(text, start, end)

    def match(self, text: str, start: int = 0, end: int = maxsize) -> re.Match[str] | None:
        """Match at `start`."""
        return self.compiled.match(text, start, end)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Match the whole of `text`."""
        return self.compiled.fullmatch(text)

    def finditer(self, text: str, start: int = 0, end: int = maxsize) -> Iterator[re.Match[str]]:
        """Find every match in text[start:end]."""
        return self.compiled.finditer(text, start, end)

    def findall(self, text: str) -> list[str]:
        """Return what every match holds, for a pattern without groups."""
        return [match[0] for match in self.compiled.finditer(text)]

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Replace every match."""
        return self.compiled.sub(replacement, text)
