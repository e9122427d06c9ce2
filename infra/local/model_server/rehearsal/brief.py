"""The rehearsal of `brief`: every item once, in the order in which code put them, and no word added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..schema_filler import Filler
from .prompt import Prompt

ITEM = "item"
"""The tag in which each planned item stands, its id an attribute."""


def brief(request: Mapping[str, Any], schema: Mapping[str, Any] | None) -> Any:
    """Return the items as they were asked."""
    return phrased(request, schema, "")


def phrased(request: Mapping[str, Any], schema: Mapping[str, Any] | None, text: str) -> Any:
    """Return the items as they were asked, the first of them with these words."""
    if schema is None:
        return text or "-"
    blocks = list(Prompt.of(request).blocks(ITEM))[::-1]
    ids = [block.attributes["id"] for block in blocks if "id" in block.attributes]
    items = [{"id": name, "text": text if place == 0 else ""} for place, name in enumerate(ids)]
    return Filler(main=text or None, values={"items": items} if items else {}).fill(schema)
