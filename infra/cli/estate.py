"""All places where something of a customer may lie, put together once: what `memory erase` clears."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from infra.cli.session import Session
from onthoud.delivery.dead_letters import DeadBodies, DeadLetters
from onthoud.ports.queue import ReadableQueue
from onthoud.privacy.registry import Estate

if TYPE_CHECKING:
    from onthoud.runtime import Runtime

_PREFIX, _DEAD, _QUEUE = "ONTHOUD_", "_DEAD_LETTERS_URL", "_QUEUE_URL"


def dead_letter_queues(session: Session, only: str = "") -> list[DeadLetters]:
    """Return the stack's dead-letter queues, by the short names of the queues that they belong to.

    Args:
        session: the stack.
        only: one short name; empty for all.

    Raises:
        BadParameter: there is none of that name; the message lists the known ones.
    """
    found = _addresses(session.environment)
    if only and only not in found:
        known = ", ".join(sorted(found)) or "none"
        raise typer.BadParameter(f"no dead letters of {only!r}; known: {known}", param_hint="--queue")
    return [
        DeadLetters(name, _readable(session.runtime, dead), _readable(session.runtime, source) if source else None)
        for name, (dead, source) in sorted(found.items())
        if only in ("", name)
    ]


def estate_of(session: Session) -> Estate:
    """Return everything that an erasure goes through: the table, and what lies outside it."""
    runtime = session.runtime
    space = runtime.settings.space
    outside = [DeadBodies(place, space) for place in dead_letter_queues(session)]
    return Estate(runtime.table, runtime.clock, space, outside)


def _addresses(environment: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return (dead-letter queue, source queue or nothing) by short name."""
    found: dict[str, tuple[str, str]] = {}
    for variable, address in environment.items():
        if variable.startswith(_PREFIX) and variable.endswith(_DEAD) and address:
            stem = variable.removesuffix(_DEAD)
            name = stem.removeprefix(_PREFIX).lower().replace("_", "-")
            found[name] = (address, environment.get(f"{stem}{_QUEUE}", ""))
    return found


def _readable(runtime: Runtime, address: str) -> ReadableQueue:
    queue: ReadableQueue = runtime.queue(address)  # type: ignore[assignment]
    return queue
