"""A stack of probes (`probe_stack/`) for the tests of the local stack itself."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from infra.local.harness import LocalStack, start_stack

PROBES = Path(__file__).with_name("probe_stack")


@contextlib.contextmanager
def probes(
    parameters: Mapping[str, str] | None = None, *arguments: str, data: Path | None = None
) -> Iterator[LocalStack]:
    """Run the stack of probes."""
    places = ["--template", str(PROBES / "template.yaml"), "--functions", str(PROBES / "functions")]
    with start_stack(parameters, arguments=[*places, *arguments], data=data) as stack:
        yield stack


def notes(stack: LocalStack, prefix: str = "") -> list[dict[str, Any]]:
    """Return what the probes have noted under tags that begin with `prefix`, in order."""
    found = [item for item in stack.table() if item["tag"]["S"].startswith(prefix)]
    return [
        {
            "tag": item["tag"]["S"],
            "at": item["at"]["S"],
            "function": item["function"]["S"],
            "pid": int(item["pid"]["N"]),
            **json.loads(item["more"]["S"]),
        }
        for item in sorted(found, key=lambda one: str(one["sk"]["S"]))
    ]


def tags(stack: LocalStack, prefix: str = "") -> list[str]:
    """Return the tags of the notes, in order."""
    return [str(note["tag"]) for note in notes(stack, prefix)]
