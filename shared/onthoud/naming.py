"""How a person names a customer or a thread: its ids joined by `/`, percent-encoded where an id would be misread.

Two different lists of ids never have the same name. Everything that `urllib.parse.quote` produces can be read too, so a
name may be taken from an address; what is printed stays readable in every script.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from onthoud.errors import PermanentError

SEPARATOR = "/"
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


def join(segments: Sequence[str]) -> str:
    """Return the name of a list of ids."""
    return SEPARATOR.join(_encode(segment) for segment in segments)


def split(name: str, *, form: str) -> list[str]:
    """Return the ids that a name stands for; the inverse of `join`.

    Args:
        name: what a person wrote.
        form: how it should look, such as `CHANNEL/ACCOUNT/ID`; it tells how many ids there are.

    Raises:
        PermanentError: it has another form; the message says which one is asked for.
    """
    segments = name.split(SEPARATOR)
    expected = form.count(SEPARATOR) + 1
    if len(segments) != expected or not all(segments):
        raise PermanentError(f"not of the form {form} (a slash inside an id is written %2F)")
    if _PERCENT.search(name):
        raise PermanentError(f"not of the form {form}: a percent sign inside an id is written %25")
    try:
        return [unquote(segment, errors="strict") for segment in segments]
    except UnicodeDecodeError:
        raise PermanentError(f"not of the form {form}: a percent-encoding is no UTF-8") from None


def _encode(segment: str) -> str:
    return "".join(letter if _is_plain(letter) else _escaped(letter) for letter in segment)


def _is_plain(letter: str) -> bool:
    """Say whether a character can stand as it is: seen, unlike white space and controls, and no sign of ours."""
    return letter.isprintable() and not letter.isspace() and letter not in "%/"


def _escaped(letter: str) -> str:
    return "".join(f"%{byte:02X}" for byte in letter.encode("utf-8", "surrogatepass"))
