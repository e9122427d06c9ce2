"""Builds a minimal valid object for any JSON Schema, with given values by field name and one main text.

A script says `{"text": "..."}` and need not know the caller's schema. Which field is the main text: one whose
description contains `x-main`; else the first of `MAIN_NAMES` that is a free string, the shallowest first; else the
first free string that no name in `MINOR_NAMES` speaks against. Choices act: of an enumeration the first value in
`ACTING` is taken, or the first that does not stand in `IDLE`; a boolean is true where its name asks for an act.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

MAIN_NAMES = ("text", "reply", "message", "body", "answer", "draft", "summary", "content", "opening", "headline")
MINOR_NAMES = frozenset({"id", "key", "reason", "language", "lang", "kind", "type", "topic", "subject", "note", "tone"})
ACTING = ("reply", "send", "confirm", "answer", "respond", "deliver", "act", "approve", "accept", "use", "yes")
IDLE = ("skip", "ignore", "none", "silent", "no_reply", "decline", "reject", "hold", "escalate", "handoff", "no")
ACTING_FLAGS = ("reply", "send", "should_reply", "should_send", "act", "confirm", "answer")
_FORMATS = {
    "date-time": "2026-01-01T00:00:00Z",
    "date": "2026-01-01",
    "time": "00:00:00Z",
    "duration": "PT0S",
    "email": "nobody@example.com",
    "hostname": "example.com",
    "uri": "https://example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
Path = tuple[str, ...]
_ITEM = "[]"


@dataclass(frozen=True)
class Filler:
    """How to fill a schema.

    Attributes:
        main: the main text; None leaves its field as empty as the schema allows.
        acts: whether choices act or stay idle.
        values: values by field name, used wherever a field of that name may hold them.
    """

    main: str | None = None
    acts: bool = True
    values: Mapping[str, Any] = field(default_factory=dict)

    def fill(self, schema: Mapping[str, Any]) -> Any:
        """Return a minimal value that the schema allows."""
        target = main_path(schema) if self.main is not None else None
        return self._value(schema, schema, (), target)

    def _value(self, schema: Mapping[str, Any], root: Mapping[str, Any], path: Path, target: Path | None) -> Any:
        schema = resolve(schema, root)
        name = path[-1] if path else ""
        if target == path:
            return self.main
        if name in self.values and allows(schema, self.values[name], root):
            return self.values[name]
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._choice(schema["enum"])
        variants = schema.get("anyOf")
        if variants:
            return self._value(self._variant(variants, root, path, target), root, path, target)
        return self._typed(schema, root, path, target)

    def _variant(
        self, variants: list[Mapping[str, Any]], root: Mapping[str, Any], path: Path, target: Path | None
    ) -> Mapping[str, Any]:
        """Take the variant that leads to the main text, else null, else the first."""
        for variant in variants:
            if target is not None and any(path + found == target for found, _ in free_strings(variant, root)):
                return variant
        nulls = [variant for variant in variants if resolve(variant, root).get("type") == "null"]
        return nulls[0] if nulls else variants[0]

    def _choice(self, values: list[Any]) -> Any:
        wanted, avoided = (ACTING, IDLE) if self.acts else (IDLE, ACTING)
        for word in wanted:
            if word in values:
                return word
        return next((value for value in values if value not in avoided), values[0])

    def _typed(self, schema: Mapping[str, Any], root: Mapping[str, Any], path: Path, target: Path | None) -> Any:
        kind = schema.get("type", "object")
        if isinstance(kind, list):
            kind = "null" if "null" in kind else kind[0]
        if kind == "object":
            return self._object(schema, root, path, target)
        if kind == "array":
            return self._array(schema, root, path, target)
        if kind == "string":
            return _FORMATS.get(schema.get("format", ""), "")
        if kind == "boolean":
            return self.acts and bool(path) and path[-1] in ACTING_FLAGS
        return {"integer": 0, "number": 0}.get(kind)

    def _object(self, schema: Mapping[str, Any], root: Mapping[str, Any], path: Path, target: Path | None) -> Any:
        wanted = set(schema.get("required", ())) | (set(self.values) if self.values else set())
        if target is not None and target[: len(path)] == path and len(target) > len(path):
            wanted.add(target[len(path)])
        properties = schema.get("properties", {})
        return {
            name: self._value(inner, root, (*path, name), target)
            for name, inner in properties.items()
            if name in wanted
        }

    def _array(self, schema: Mapping[str, Any], root: Mapping[str, Any], path: Path, target: Path | None) -> Any:
        inside = (*path, _ITEM)
        leads = target is not None and target[: len(inside)] == inside
        if not leads and not schema.get("minItems"):
            return []
        return [self._value(schema.get("items", {}), root, inside, target)]


def resolve(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow local references."""
    while "$ref" in schema:
        found: Any = root
        for part in str(schema["$ref"]).removeprefix("#/").split("/"):
            found = found[part]
        schema = found
    return schema


def free_strings(
    schema: Mapping[str, Any], root: Mapping[str, Any], path: Path = ()
) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield the places where any text may stand, with their schemas, in the schema's order."""
    schema = resolve(schema, root)
    for variant in schema.get("anyOf", ()):
        yield from free_strings(variant, root, path)
    kinds = schema.get("type", ())
    if "string" in kinds and not {"enum", "const", "format"} & schema.keys():
        yield path, schema
    for name, inner in schema.get("properties", {}).items():
        yield from free_strings(inner, root, (*path, name))
    if "items" in schema:
        yield from free_strings(schema["items"], root, (*path, _ITEM))


def main_path(schema: Mapping[str, Any]) -> Path | None:
    """Return where the main text stands, None in a schema without free text."""
    places = list(free_strings(schema, schema))
    for path, place in places:
        if "x-main" in str(place.get("description", "")):
            return path
    named = [path for path, _ in places if path and path[-1] in MAIN_NAMES]
    if named:
        return min(named, key=lambda path: (len(path), MAIN_NAMES.index(path[-1])))
    rest = [path for path, _ in places if not path or path[-1] not in MINOR_NAMES]
    return min(rest or [path for path, _ in places], key=len, default=None)


def allows(schema: Mapping[str, Any], value: Any, root: Mapping[str, Any]) -> bool:
    """Tell whether a schema's type and choices allow a value (not how its inner fields are made)."""
    schema = resolve(schema, root)
    if "anyOf" in schema:
        return any(allows(variant, value, root) for variant in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    if "const" in schema:
        return bool(value == schema["const"])
    kinds = schema.get("type", ())
    return _kind(value) in kinds or (_kind(value) == "integer" and "number" in kinds)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names: dict[type, str] = {str: "string", int: "integer", float: "number", list: "array", dict: "object"}
    return names[type(value)]
