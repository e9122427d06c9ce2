"""Every reason that the code can give is told in plain words; the code itself is walked for them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.cli.reasons import PREFIXES, REASONS, in_words
from onthoud.delivery import decisions, guards

ROOT = Path(__file__).resolve().parents[3]
CODE = [
    *sorted((ROOT / "functions").rglob("*.py")),
    *sorted((ROOT / "shared" / "onthoud" / "delivery").glob("*.py")),
]
TELLING = {"reason", "hold"}
"""Keyword arguments that carry a reason of a decision or of what is held back."""
CARRIERS = {"Decision", "Entry", "move", "replace", "_entry", "view"}
RETURNING = {"hold", "stop", "policy", "_interrupted", "_no_edit"}
"""Functions whose texts are reasons."""
CONSTANTS = {"RETRY", "SHADOW"}
NAMED_SETS = {"Why", "Skipped", "Conflict"}
"""Literal types whose values are reasons."""


def _texts(node: ast.AST | None) -> Iterator[str]:
    """The texts that an expression can be: constants, both ends of a choice, the fixed start of an f-string."""
    match node:
        case ast.Constant(value=str(text)) if text:
            yield text
        case ast.IfExp(body=body, orelse=other):
            yield from _texts(body)
            yield from _texts(other)
        case ast.BoolOp(values=values):
            for value in values:
                yield from _texts(value)
        case ast.Tuple(elts=elements):
            for element in elements:
                yield from _texts(element)
        case ast.JoinedStr(values=[ast.Constant(value=str(start)), *_]):
            yield start


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _of_calls(tree: ast.AST) -> Iterator[str]:
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if _name(call) == "Skip" and call.args:
            yield from _texts(call.args[0])
        if _name(call) == "held" and call.args:
            yield from _texts(call.args[0])
        if _name(call) in CARRIERS:
            for keyword in call.keywords:
                if keyword.arg in TELLING:
                    yield from _texts(keyword.value)


def _of_returns(tree: ast.AST) -> Iterator[str]:
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        if function.name in RETURNING:
            for node in ast.walk(function):
                if isinstance(node, ast.Return):
                    yield from _texts(node.value)
        if function.name == "_outcome":
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
                    yield from _texts(node.value.elts[1])


def _of_assignments(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], node.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=True))
        for one, text in pairs:
            name = getattr(one, "id", getattr(one, "attr", ""))
            if name in TELLING | CONSTANTS:
                yield from _texts(text)
            if name in NAMED_SETS and isinstance(text, ast.Subscript):
                yield from _texts(text.slice)


def _reasons() -> set[str]:
    found: set[str] = set()
    for path in CODE:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found |= {*_of_calls(tree), *_of_returns(tree), *_of_assignments(tree)}
    return found | {reason for _, reason in decisions._BY_STATE.values() if reason}


def test_the_walk_finds_what_is_known_to_be_there() -> None:
    assert _reasons() >= {
        "emoji_only",
        "own_comment",
        "echo",
        "loop_guard",
        "human_answered",
        "switch_thread",
        "mode_draft",
        "escalated",
        "not_sent",
        "channel_auth",
        "shadow",
        "retry",
        "older_edit",
        "gone",
        "model: ",
        "checks_failed: ",
        "spam",
        "needs_a_person",
        "court_taken",
        "conflict: ",
        "plain: ",
    }


@pytest.mark.parametrize("reason", sorted(_reasons()))
def test_every_reason_of_the_code_is_told_in_plain_words(reason: str) -> None:
    stem, colon, _ = reason.partition(":")
    if reason.endswith(("_", ": ")):
        assert stem in PREFIXES if colon else any(known.startswith(reason) for known in REASONS)
        return
    assert reason in REASONS
    assert "_" not in in_words(reason)


def test_a_reason_with_something_behind_a_colon() -> None:
    assert in_words("model: spam") == REASONS["spam"]
    assert in_words("conflict: court_taken").endswith(REASONS["court_taken"])
    assert in_words("checks_failed: links, prices").endswith("a person writes it: links, prices")
    assert in_words("failed: http_503").endswith("the last failure: http_503")


def test_a_code_of_the_far_end_stands_as_it_came() -> None:
    assert in_words("http_422") == "http_422"


def test_guards_are_walked_where_they_stand() -> None:
    assert Path(guards.__file__) in CODE
