"""Which JSON Schemas structured output takes: the documented subset, refused in the API's own words.

Source: the API's page on structured outputs ("JSON Schema limitations") and the SDK's `transform_schema`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .refusal import Refusal

TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
STRING_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
)
_ANYWHERE = frozenset({"type", "title", "description", "default", "enum", "const", "examples", "$defs", "definitions"})
_COMBINING = frozenset({"anyOf", "allOf"})
_OF_TYPE: dict[str, frozenset[str]] = {
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "array": frozenset({"items", "minItems"}),
    "string": frozenset({"format", "pattern"}),
}
_AT = "output_config.format.schema"


def check_schema(schema: object, at: str = _AT) -> None:
    """Refuse a schema that the API would not compile.

    Raises:
        Refusal: naming the first unsupported keyword or missing one.
    """
    if not isinstance(schema, Mapping):
        raise Refusal(f"{at}: Input should be a valid dictionary")
    definitions = {f"#/{name}/{key}": value for name in ("$defs", "definitions") for key, value in _defs(schema, name)}
    _check(schema, definitions, (), at)
    for reference, definition in definitions.items():
        _check(definition, definitions, (reference,), at)


def _defs(schema: Mapping[str, Any], name: str) -> list[tuple[str, Any]]:
    found = schema.get(name, {})
    return list(found.items()) if isinstance(found, Mapping) else []


def _check(schema: object, definitions: Mapping[str, Any], inside: tuple[str, ...], at: str) -> None:
    if not isinstance(schema, Mapping):
        raise Refusal(f"{at}: Schema must be an object")
    if "$ref" in schema:
        _check_reference(schema["$ref"], definitions, inside, at)
        return
    for unsupported in ("oneOf", "not", "if", "patternProperties", "prefixItems"):
        if unsupported in schema:
            raise Refusal(f"{at}: Schema type '{unsupported}' is not supported")
    for combining in sorted(_COMBINING & schema.keys()):
        for variant in schema[combining]:
            _check(variant, definitions, inside, at)
    _check_values(schema, at)
    for kind in _types(schema, at):
        _check_type(kind, schema, definitions, inside, at)


def _check_reference(reference: object, definitions: Mapping[str, Any], inside: tuple[str, ...], at: str) -> None:
    if reference not in definitions:
        raise Refusal(f"{at}: $ref '{reference}' must name a definition of this schema")
    if reference in inside:
        raise Refusal(f"{at}: Circular reference detected: {reference}. Recursive schemas are not supported")
    _check(definitions[str(reference)], definitions, (*inside, str(reference)), at)


def _types(schema: Mapping[str, Any], at: str) -> tuple[str, ...]:
    declared = schema.get("type")
    if declared is None:
        if not (_COMBINING | {"enum", "const"}) & schema.keys():
            raise Refusal(f"{at}: Schema must have a 'type', 'enum', 'const', 'anyOf' or 'allOf'")
        return ()
    types = tuple(declared) if isinstance(declared, list) else (declared,)
    for kind in types:
        if kind not in TYPES:
            raise Refusal(f"{at}: Schema type '{kind}' is not supported")
    return types


def _check_values(schema: Mapping[str, Any], at: str) -> None:
    values = schema.get("enum")
    if values is None:
        return
    if not isinstance(values, list) or not values:
        raise Refusal(f"{at}: 'enum' must be a non-empty list")
    if any(isinstance(value, dict | list) for value in values):
        raise Refusal(f"{at}: Complex types in enums are not supported")
    declared = schema.get("type")
    if declared is not None:
        for value in values:
            if isinstance(declared, list) or not _is_of(value, declared):
                raise Refusal(f"{at}: Enum value '{value}' does not match declared type '{declared}'")


def _is_of(value: object, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    wanted: dict[str, type | tuple[type, ...]] = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "null": type(None),
    }
    return isinstance(value, wanted.get(kind, object))


def _check_type(
    kind: str, schema: Mapping[str, Any], definitions: Mapping[str, Any], inside: tuple[str, ...], at: str
) -> None:
    several = isinstance(schema.get("type"), list)
    known = frozenset().union(*_OF_TYPE.values()) if several else _OF_TYPE.get(kind, frozenset())
    for keyword in schema:
        if keyword not in known | _ANYWHERE | _COMBINING:
            raise Refusal(f"{at}: For '{kind}' type, property '{keyword}' is not supported")
    if kind == "object":
        _check_object(schema, definitions, inside, at)
    elif kind == "array":
        _check_array(schema, definitions, inside, at)
    elif kind == "string" and schema.get("format", "date") not in STRING_FORMATS:
        raise Refusal(f"{at}: For 'string' type, 'format' value '{schema['format']}' is not supported")


def _check_object(schema: Mapping[str, Any], definitions: Mapping[str, Any], inside: tuple[str, ...], at: str) -> None:
    if "additionalProperties" not in schema:
        raise Refusal(f"{at}: For 'object' type, 'additionalProperties' must be explicitly set to false")
    if schema["additionalProperties"] is not False:
        raise Refusal(
            f"{at}: For 'object' type, 'additionalProperties: {str(schema['additionalProperties']).lower()}' "
            "is not supported. Please set 'additionalProperties' to false"
        )
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in properties:
            raise Refusal(f"{at}: Required property '{name}' is not defined in 'properties'")
    for value in properties.values():
        _check(value, definitions, inside, at)


def _check_array(schema: Mapping[str, Any], definitions: Mapping[str, Any], inside: tuple[str, ...], at: str) -> None:
    if schema.get("minItems", 0) not in (0, 1):
        raise Refusal(
            f"{at}: For 'array' type, 'minItems' values other than 0 or 1 are not supported (got: {schema['minItems']})"
        )
    if "items" in schema:
        _check(schema["items"], definitions, inside, at)
