"""Fingerprints: a versioned hash over the declared material fields, and nothing else.

The version is the declaration's: when a source starts to declare other fields, it raises the number, and what is
stored under the old one is re-hashed silently unless a field that both know has changed (see `advance`).
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from typing import TypeAlias

from onthoud.errors import PermanentError

Scalar: TypeAlias = str | int | bool | None
Material: TypeAlias = Mapping[str, Scalar]

ALGORITHM = 1
"""Version of the canonical form below; part of every hash."""


def canonical(material: Material) -> str:
    """Return the one spelling of a set of material fields: names sorted, text in NFC, no floats.

    Raises:
        PermanentError: no field at all (a hash of nothing would make everything the same), or a value without one
            exact spelling.
    """
    if not material:
        raise PermanentError("an observation declares no material field")
    plain: dict[str, Scalar] = {}
    for name, value in material.items():
        if value is not None and not isinstance(value, (str, int)):
            raise PermanentError(f"the material field {name} has no exact spelling: use text or whole numbers")
        plain[name] = unicodedata.normalize("NFC", value) if isinstance(value, str) else value
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def fingerprint(material: Material, version: int) -> str:
    """Return the hash by which a change is known: 32 hex digits."""
    text = f"{ALGORITHM}.{version}|{canonical(material)}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def subject_of(raw: str) -> str:
    """Return an id of a source as a subject: itself where a person can type it, else a hash of it.

    Raises:
        PermanentError: the id is empty. A missing id is an error, never a hash of nothing.
    """
    if not raw:
        raise PermanentError("an observation has no id")
    if len(raw) <= 120 and raw.isprintable() and not any(character.isspace() for character in raw):
        return raw
    return "sha256-" + hashlib.sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()[:32]
