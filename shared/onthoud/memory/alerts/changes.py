"""From an observation to an alert: first sight, change, and a new declaration of material fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from onthoud.memory.alerts.fingerprint import Scalar, fingerprint
from onthoud.memory.alerts.model import Alert, Entry, Observation, Reported
from onthoud.memory.alerts.states import Event, State, follow

Redact = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Shape:
    """The material side of an observation: its values and their fingerprint."""

    material: Mapping[str, Scalar]
    hash: str


def shape(observation: Observation, before: Alert | None) -> Shape:
    """Return the material values, amounts as steps of their ladders, and the fingerprint.

    The fingerprint is taken before redaction, so that a change of the redaction policy is no news.
    """
    material: dict[str, Scalar] = dict(observation.material)
    for name, amount in observation.amounts.items():
        last = before.material.get(name) if before is not None else None
        material[name] = amount.ladder.step(amount.value, last if isinstance(last, int) else None)
    return Shape(material, fingerprint(material, observation.declaration))


def born(observation: Observation, now: datetime, redact: Redact) -> Alert:
    """Return the alert of something seen for the first time."""
    seen = shape(observation, None)
    alert = Alert(
        key=observation.key,
        source=observation.source,
        kind=observation.kind,
        title=observation.title,
        state=follow(State.NONE, Event.SEEN).state,
        hash=seen.hash,
        material=seen.material,
        declaration=observation.declaration,
        first_seen=now,
        changed_at=now,
        history=(Entry(now, "first seen", observation.source),),
    )
    return redacted(alert, observation, seen, redact)


def redacted(alert: Alert, observation: Observation, seen: Shape, redact: Redact) -> Alert:
    """Return the alert with the observation's words and values, text from outside redacted. Human fields stay."""
    return replace(
        alert,
        title=redact(observation.title),
        summary=redact(observation.summary),
        url=observation.url,
        group=observation.group,
        group_title=redact(observation.group_title),
        hash=seen.hash,
        material=_values(seen.material, redact),
        data=_values(_shown(observation), redact),
        ends_at=observation.ends_at,
        about=observation.about,
    )


def _shown(observation: Observation) -> dict[str, Scalar]:
    return {**observation.data, **{name: amount.value for name, amount in observation.amounts.items()}}


def _values(values: Mapping[str, Scalar], redact: Redact) -> dict[str, Scalar]:
    return {name: redact(value) if isinstance(value, str) and value else value for name, value in values.items()}


def migrated(alert: Alert, observation: Observation, seen: Shape, redact: Redact) -> Alert:
    """Return the alert under a new declaration of material fields, silently.

    What was told under the old declaration counts as told under the new one. A field that both declarations know and
    that has changed in the same reading stays a change: then the old fingerprint is kept, and differs.
    """
    material = _values(seen.material, redact)
    same = all(alert.material[name] == material[name] for name in alert.material.keys() & material.keys())
    after = replace(alert, declaration=observation.declaration)
    if not same:
        return after

    def again(told: Mapping[str, Reported]) -> dict[str, Reported]:
        return {
            audience: replace(memory, hash=seen.hash, material=material) if memory.hash == alert.hash else memory
            for audience, memory in told.items()
        }

    return replace(after, hash=seen.hash, material=material, reported=again(alert.reported), unsure=again(alert.unsure))


def diff(before: Mapping[str, Scalar], after: Mapping[str, Scalar]) -> str:
    """Return what changed, raw, for the history: `due: 2026-12-20 -> 2026-12-10, status: open -> blocked`."""
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return ", ".join(f"{name}: {_raw(before.get(name))} -> {_raw(after.get(name))}" for name in names)


def _raw(value: Scalar) -> str:
    return "-" if value is None else str(value)
