"""Upstash's metadata filter language, as documented.

    filter     = any ;                    any  = all { "OR" all } ;       all = test { "AND" test } ;
    test       = "(" any ")" | "HAS" [ "NOT" ] "FIELD" path | path operator ;
    operator   = ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) literal | [ "NOT" ] "GLOB" string
               | [ "NOT" ] "IN" "(" literal { "," literal } ")" | [ "NOT" ] "CONTAINS" literal ;
    path       = name { "." name | "[" number "]" | "[#-" number "]" } ;

Where the documentation is silent, this server assumes: keywords in any case; an operator, negated ones included, holds
only for a field that is there and of a type that it applies to.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

Test = Callable[[Mapping[str, Any]], bool]

MAX_DEPTH = 32


class FilterError(ValueError):
    """The filter cannot be read. `at` is the position where reading stopped."""

    def __init__(self, at: int, expected: str) -> None:
        super().__init__(f"Invalid filter at position {at}: expected {expected}")


_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
      | (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w]))
      | (?P<index>\[(?:\#-)?\d+\])
      | (?P<symbol><=|>=|!=|=|<|>|\(|\)|,|\.)
      | (?P<name>[^\W\d][\w-]*)
    )""",
    re.VERBOSE,
)
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ABSENT = object()


def compile_filter(text: str) -> Test | None:
    """Compile a filter to a test on metadata; None when it is empty.

    Raises:
        FilterError: it is not in the language.
    """
    if not text.strip():
        return None
    parser = _Parser(_tokens(text), len(text))
    test = parser.any_of(0)
    parser.end()
    return test


def _tokens(text: str) -> list[tuple[str, str, int]]:
    tokens, at = [], 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise FilterError(at, "a field, an operator or a literal")
        tokens.append((match.lastgroup, match.group(match.lastgroup), match.start(match.lastgroup)))
        at = match.end()
    return tokens


class _Parser:
    def __init__(self, tokens: list[tuple[str, str, int]], length: int) -> None:
        self._tokens, self._at, self._length = tokens, 0, length

    def any_of(self, depth: int) -> Test:
        tests = [self._all_of(depth)]
        while self._word("OR"):
            tests.append(self._all_of(depth))
        return tests[0] if len(tests) == 1 else lambda data: any(test(data) for test in tests)

    def end(self) -> None:
        if self._at < len(self._tokens):
            raise self._fault("AND, OR or the end")

    def _all_of(self, depth: int) -> Test:
        tests = [self._test(depth)]
        while self._word("AND"):
            tests.append(self._test(depth))
        return tests[0] if len(tests) == 1 else lambda data: all(test(data) for test in tests)

    def _test(self, depth: int) -> Test:
        if depth > MAX_DEPTH:
            raise self._fault("fewer parentheses")
        if self._symbol("("):
            inner = self.any_of(depth + 1)
            self._need(")")
            return inner
        if self._word("HAS"):
            absent = self._word("NOT")
            if not self._word("FIELD"):
                raise self._fault("FIELD")
            path = self._path()
            return lambda data: (_follow(data, path) is _ABSENT) == absent
        path = self._path()
        holds = self._operator()
        return lambda data: (value := _follow(data, path)) is not _ABSENT and holds(value)

    def _operator(self) -> Callable[[Any], bool]:
        for sign in ("=", "!="):
            if self._symbol(sign):
                return _equals(self._literal(), negated=sign == "!=")
        for sign, compare in _ORDER.items():
            if self._symbol(sign):
                return _ordered(self._literal(), compare)
        return self._worded(negated=self._word("NOT"))

    def _worded(self, *, negated: bool) -> Callable[[Any], bool]:
        if self._word("GLOB"):
            return _glob(self._literal(), negated=negated)
        if self._word("IN"):
            return _within(self._literals(), negated=negated)
        if self._word("CONTAINS"):
            wanted = self._literal()
            return lambda value: isinstance(value, list) and (any(_same(one, wanted) for one in value) != negated)
        raise self._fault("an operator")

    def _literals(self) -> list[Any]:
        self._need("(")
        found = [self._literal()]
        while self._symbol(","):
            found.append(self._literal())
        self._need(")")
        return found

    def _literal(self) -> Any:
        kind, text, _ = self._next("a literal")
        if kind == "string":
            return re.sub(r"\\(.)", r"\1", text[1:-1])
        if kind == "number":
            return float(text)
        if kind == "name" and text.lower() in {"true", "false"}:
            return text.lower() == "true"
        self._at -= 1
        raise self._fault("a literal")

    def _path(self) -> list[str | int]:
        kind, text, _ = self._next("a field")
        if kind != "name":
            self._at -= 1
            raise self._fault("a field")
        path: list[str | int] = [text]
        while self._at < len(self._tokens):
            kind, text, _ = self._tokens[self._at]
            if kind == "index":
                path.append(-int(text[3:-1]) if text[1] == "#" else int(text[1:-1]))
                self._at += 1
            elif text == "." and kind == "symbol":
                self._at += 1
                path.append(self._next("a field")[1])
            else:
                break
        return path

    def _next(self, expected: str) -> tuple[str, str, int]:
        if self._at >= len(self._tokens):
            raise self._fault(expected)
        self._at += 1
        return self._tokens[self._at - 1]

    def _word(self, word: str) -> bool:
        return self._take("name", word)

    def _symbol(self, symbol: str) -> bool:
        return self._take("symbol", symbol)

    def _take(self, kind: str, text: str) -> bool:
        if self._at < len(self._tokens):
            found, value, _ = self._tokens[self._at]
            if found == kind and value.upper() == text:
                self._at += 1
                return True
        return False

    def _need(self, symbol: str) -> None:
        if not self._symbol(symbol):
            raise self._fault(symbol)

    def _fault(self, expected: str) -> FilterError:
        at = self._tokens[self._at][2] if self._at < len(self._tokens) else self._length
        return FilterError(at, expected)


def _follow(data: Mapping[str, Any], path: list[str | int]) -> Any:
    value: Any = data
    for step in path:
        if isinstance(step, str):
            if not isinstance(value, Mapping) or step not in value:
                return _ABSENT
            value = value[step]
        else:
            if not isinstance(value, list) or not -len(value) <= step < len(value):
                return _ABSENT
            value = value[step]
    return value


def _same(value: Any, literal: Any) -> bool:
    if isinstance(value, bool) or isinstance(literal, bool):
        # Booleans are also written 1 and 0.
        return bool(value == literal) if isinstance(value, bool | int | float) else False
    return bool(value == literal) if isinstance(value, str | int | float) else False


def _equals(literal: Any, *, negated: bool) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str | int | float) and _same(value, literal) != negated


def _ordered(literal: Any, compare: Callable[[Any, Any], bool]) -> Callable[[Any], bool]:
    def holds(value: Any) -> bool:
        numbers = isinstance(value, int | float) and isinstance(literal, float)
        return numbers and not isinstance(value, bool) and compare(value, literal)

    return holds


def _within(literals: list[Any], *, negated: bool) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, str | int | float) and any(_same(value, literal) for literal in literals) != negated
    )


def _glob(pattern: Any, *, negated: bool) -> Callable[[Any], bool]:
    if not isinstance(pattern, str):
        return lambda _: False
    expression = _glob_expression(pattern)
    return lambda value: isinstance(value, str) and (expression.fullmatch(value) is not None) != negated


def _glob_expression(pattern: str) -> re.Pattern[str]:
    parts, at = [], 0
    while at < len(pattern):
        character = pattern[at]
        closing = pattern.find("]", at + 2) if character == "[" else -1
        if character == "*":
            parts.append(".*")
        elif character == "?":
            parts.append(".")
        elif closing > 0:
            inner = pattern[at + 1 : closing].replace("\\", "\\\\").replace("[", "\\[")
            parts.append(f"[{inner}]")
            at = closing
        else:
            parts.append(re.escape(character))
        at += 1
    try:
        return re.compile("".join(parts), re.DOTALL)
    except re.error as error:
        raise FilterError(0, "a glob pattern") from error
