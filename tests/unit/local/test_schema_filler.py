"""A minimal valid object for any schema, so that a script need not know ours."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from booking.prompt import SCHEMA as CONFIRM
from infra.local.model_server.schema_filler import Filler, main_path
from infra.local.model_server.schema_rules import check_schema
from social_reply.answer import SCHEMA as REPLY

TEXT = {"type": "string"}


def obj(required: bool = True, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required else [],
        "additionalProperties": False,
    }


def nullable(schema: Any) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        (REPLY, ("text",)),
        (CONFIRM, ("text",)),
        (obj(reason=TEXT, text=TEXT), ("text",)),
        (obj(reason=TEXT, words=TEXT), ("words",)),
        (obj(reason=TEXT), ("reason",)),
        (obj(inner=obj(text=TEXT), body=TEXT), ("body",)),
        (obj(draft=nullable(TEXT)), ("draft",)),
        (obj(text={"type": "string", "enum": ["a"]}, note={"type": ["string", "null"]}), ("note",)),
        (obj(text=TEXT, proposal={"type": "string", "description": "x-main: the words"}), ("proposal",)),
        (obj(items={"type": "array", "items": obj(id=TEXT, text=TEXT)}), ("items", "[]", "text")),
        (obj(count={"type": "integer"}), None),
        (TEXT, ()),
    ],
)
def test_the_main_text_is_found(schema: dict[str, Any], path: Any) -> None:
    assert main_path(schema) == path


def test_a_reply_acts() -> None:
    assert Filler(main="Yes!", values={"language": "en"}).fill(REPLY) == {
        "action": "reply",
        "text": "Yes!",
        "language": "en",
        "why": "answered",
        "memory_ids": [],
    }


def test_an_idle_reply_does_not() -> None:
    idle = Filler(acts=False, values={"why": "spam"}).fill(REPLY)
    assert (idle["action"], idle["text"], idle["why"]) == ("skip", "", "spam")


def test_choices_act_whatever_their_order() -> None:
    choice = {"type": "string", "enum": ["skip", "escalate", "send"]}
    assert Filler().fill(obj(a=choice)) == {"a": "send"}
    assert Filler().fill(obj(a={"enum": ["none", "other"]})) == {"a": "other"}
    assert Filler(acts=False).fill(obj(a={"enum": ["send", "hold"]})) == {"a": "hold"}
    assert Filler().fill(obj(should_reply={"type": "boolean"}, urgent={"type": "boolean"})) == {
        "should_reply": True,
        "urgent": False,
    }


def test_the_main_text_is_reached_through_what_is_optional() -> None:
    schema = obj(False, note=TEXT, answer=nullable(obj(False, text=nullable(TEXT), other=TEXT)))
    assert Filler(main="here").fill(schema) == {"answer": {"text": "here"}}
    assert Filler(main="here").fill(obj(False, items={"type": "array", "items": obj(text=TEXT)})) == {
        "items": [{"text": "here"}]
    }


def test_a_value_is_used_only_where_it_is_allowed() -> None:
    filler = Filler(values={"language": "nl", "why": "spam"})
    assert filler.fill(obj(language={"enum": ["en", "da"]}, why={"type": "integer"})) == {"language": "en", "why": 0}


def leaves() -> st.SearchStrategy[dict[str, Any]]:
    kinds = st.sampled_from(["string", "integer", "number", "boolean", "null"]).map(lambda kind: {"type": kind})
    formats = st.sampled_from(["date-time", "date", "time", "email", "uri", "ipv4", "ipv6", "uuid", "hostname"])
    choices = st.lists(st.text(max_size=5), min_size=1, unique=True).map(lambda values: {"enum": values})
    consts = st.one_of(st.integers(), st.text(max_size=5), st.none()).map(lambda value: {"const": value})
    return st.one_of(kinds, formats.map(lambda name: {"type": "string", "format": name}), choices, consts)


def deeper(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    names = st.sampled_from(["text", "id", "action", "items", "reason", "a", "b"])

    def closed(properties: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
        required = st.lists(st.sampled_from(sorted(properties)), unique=True) if properties else st.just([])
        return required.map(lambda wanted: {**obj(**properties), "required": wanted})

    arrays = st.tuples(inner, st.sampled_from([0, 1]))
    return st.one_of(
        st.dictionaries(names, inner, max_size=4).flatmap(closed),
        arrays.map(lambda pair: {"type": "array", "items": pair[0], "minItems": pair[1]}),
        st.lists(inner, min_size=1, max_size=3).map(lambda variants: {"anyOf": variants}),
    )


@given(
    schema=st.recursive(leaves(), deeper, max_leaves=8),
    main=st.one_of(st.none(), st.text(max_size=9)),
    acts=st.booleans(),
)
def test_what_is_filled_in_is_valid(schema: dict[str, Any], main: str | None, acts: bool) -> None:
    check_schema(schema)
    filled = Filler(main=main, acts=acts, values={"id": "x", "reason": "why"}).fill(schema)
    jsonschema.validate(filled, schema)
    if main and main_path(schema) is not None:
        assert main in str(filled) or repr(main)[1:-1] in str(filled)
