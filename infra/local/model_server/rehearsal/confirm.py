"""The rehearsal of `confirm`: a right draft from the record in the prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..schema_filler import Filler
from .prompt import Prompt


def confirm(request: Mapping[str, Any], schema: Mapping[str, Any] | None) -> Any:
    """Draft a confirmation that says what the record says and nothing else."""
    record = Prompt.of(request).json_block("booking", "record") or {}
    text = ", ".join(str(value) for value in record.values() if isinstance(value, str) and value)
    return text if schema is None else Filler(main=text).fill(schema)
