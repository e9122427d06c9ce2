"""Keeps the result of SAM's transform, which takes a second: half of the time in which the stack starts."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

_DIRECTORY = "onthoud"
_CODE = ("parameters.py", "template.py", "kept_transform.py")

Transformed = tuple[dict[str, Any], dict[str, Any]]


class Kept:
    """One template's transformed form in the user's cache, by everything that it depends on."""

    def __init__(self, text: str, overrides: Mapping[str, str], origin: str) -> None:
        code = b"".join(Path(__file__).with_name(name).read_bytes() for name in _CODE)
        said = json.dumps([text, sorted(overrides.items()), origin, version("aws-sam-translator")])
        name = hashlib.sha256(code + said.encode()).hexdigest()
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        self._path = Path(home) / _DIRECTORY / f"transform-{name}.json"

    def find(self) -> Transformed | None:
        """Return what was kept, if anything was."""
        with contextlib.suppress(OSError, ValueError, KeyError):
            kept = json.loads(self._path.read_text(encoding="utf-8"))
            return kept["document"], kept["values"]
        return None

    def keep(self, found: Transformed) -> None:
        """Keep it; a cache that cannot be written is no error."""
        document, values = found
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            fresh = self._path.with_suffix(f".{os.getpid()}")
            fresh.write_text(json.dumps({"document": document, "values": values}), encoding="utf-8")
            fresh.replace(self._path)
