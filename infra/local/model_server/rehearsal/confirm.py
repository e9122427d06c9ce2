"""The rehearsal of `confirm`: a right draft, made of the record in the prompt and of nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..schema_filler import Filler
from .prompt import Prompt

RECORD = "booking"
"""The tag in which the record stands as JSON, put into words by code; `summary` is all of it in one line."""

_FAVOURITE = {
    "en": "It is your favourite court.",
    "nl": "Het is uw favoriete baan.",
    "da": "Det er din yndlingsbane.",
    "de": "Es ist Ihr Lieblingsplatz.",
    "zh": "这是您喜爱的场地。",
}


def confirm(request: Mapping[str, Any], schema: Mapping[str, Any] | None) -> Any:
    """Draft a message that says what the record says; what the customer prefers is seen in it."""
    record = Prompt.of(request).json_block(RECORD)
    text = words_of(record) if isinstance(record, Mapping) else ""
    return text if schema is None else Filler(main=text).fill(schema)


def words_of(record: Mapping[str, Any]) -> str:
    """Return the record's summary, or its texts one by one where it has none."""
    texts = [value for value in record.values() if isinstance(value, str) and value]
    text = str(record.get("summary") or ", ".join(texts))
    if record.get("preferred_court"):
        language = str(record.get("language", "en"))
        text += ("" if language == "zh" else " ") + _FAVOURITE.get(language, _FAVOURITE["en"])
    return text
