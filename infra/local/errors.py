"""What the control interface answers when it cannot do as asked."""

from __future__ import annotations

from collections.abc import Iterable


class ControlError(Exception):
    """A request that is answered with `status` and `{"error": message}`."""

    status = 400


class Malformed(ControlError):
    """400: the request itself is wrong; the message says what is."""


class Unknown(ControlError):
    """404: no such name; the message lists the known ones."""

    status = 404

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"no {kind} named {name!r}; known: {', '.join(sorted(known)) or 'none'}")


class Busy(ControlError):
    """409: it runs already."""

    status = 409


class TemplateError(Exception):
    """The template cannot be run: it is wrong, or holds something that the local stack does not know."""
