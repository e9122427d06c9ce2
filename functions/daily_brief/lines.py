"""A line of the brief as code writes it: right by itself, with nothing of a model in it."""

from __future__ import annotations

from collections.abc import Mapping

from daily_brief.words import Words
from onthoud.memory.alerts.advance import META
from onthoud.memory.alerts.fingerprint import Scalar
from onthoud.memory.alerts.model import Alert
from onthoud.memory.alerts.news import News, NewsKind
from onthoud.memory.alerts.planning import Line

SHOWN_TITLES = 5
"""How many titles a line of many names before it says how many more there are."""
_HIDDEN = frozenset({"state", "unread", "held", "taken_out", "end", "due_phase", "depth"})
"""Material fields that are no words for a person, or that another field speaks for."""


def label(line: Line, words: Words) -> str:
    """Return the line's first word: NEW, UPDATE, ..."""
    return words.say(f"labels.{line.kind}")


def describe(line: Line, words: Words) -> str:
    """Return what the line says, without its label."""
    first = line.news[0]
    if line.title:
        titles = _titles(line, words)
        if first.alert.group:
            head = words.say("group", title=line.title, total=line.total, news=len(line.news), label=label(line, words))
            return f"{head}: {titles}" if len({news.alert.title for news in line.news}) > 1 else head
        return words.say("lump", news=len(line.news), kind=_kind(first.alert, words), titles=titles)
    return _one(first, words)


def _titles(line: Line, words: Words) -> str:
    titles = list(dict.fromkeys(news.alert.title for news in line.news))
    shown = "; ".join(titles[:SHOWN_TITLES])
    rest = len(titles) - SHOWN_TITLES
    return f"{shown}; {words.say('more', count=rest)}" if rest > 0 else shown


def _one(news: News, words: Words) -> str:
    alert = news.alert
    if alert.source == META:
        data = alert.data
        return words.say(f"log.{alert.kind}", source=data.get("source"), count=data.get("held"), key=alert.key)
    head = f"{_kind(alert, words)}: {alert.title}"
    sender = alert.data.get("sender")
    if sender:
        head += f" ({words.say('from_sender', sender=sender)})"
    details = _details(news, words)
    if details:
        head += f" ({'; '.join(details)})"
    if news.possibly_seen:
        head += f" [{words.say('possibly_seen')}]"
    return head


def _kind(alert: Alert, words: Words) -> str:
    return words.say(f"kinds.{alert.kind}") if words.has(f"kinds.{alert.kind}") else words.say("kinds.other")


def _details(news: News, words: Words) -> list[str]:
    alert = news.alert
    if news.kind is NewsKind.RESOLVED:
        return []
    if news.kind is NewsKind.UPDATE and news.before is not None:
        changed = _differences(news.before, alert.material, words)
        return changed + (_depth(alert.data, words) if news.before.get("depth") != alert.material.get("depth") else [])
    details = [f"{_name(name, words)}: {value}" for name, value in _values(alert.material, words).items()]
    details += _extra(alert.data, words)
    if alert.mute_reason:
        details.append(f"{words.say('fields.reason')}: {alert.mute_reason}")
    return details


def _differences(before: Mapping[str, Scalar], after: Mapping[str, Scalar], words: Words) -> list[str]:
    old, new = _values(before, words), _values(after, words)
    none = words.say("fields.none")
    if before.get("due") == after.get("due") and before.get("due_phase") != after.get("due_phase"):
        # Nobody moved the date: what changed is how near it is.
        old["due"], new["due"] = (words.say(f"due.{material.get('due_phase')}") for material in (before, after))
        new["due"] += f" ({words.raw_moment(str(after['due']))})"
    return [
        f"{_name(name, words)}: {old.get(name, none)} → {new.get(name, none)}"
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name)
    ]


def _values(material: Mapping[str, Scalar], words: Words) -> dict[str, str]:
    """The material fields as a person reads them: dates and times written out by code."""
    found: dict[str, str] = {}
    for name, value in material.items():
        if name in _HIDDEN or value is None:
            continue
        if name == "start":
            found["when"] = _span(str(value), material.get("end"), words)
        elif name == "due":
            phase = material.get("due_phase")
            day = words.raw_moment(str(value))
            found["due"] = f"{day}, {words.say(f'due.{phase}')}" if phase else day
        elif name == "rule":
            found["rule"] = _rhythm(str(value), words)
        else:
            found[name] = str(value)
    return found


def _rhythm(rule: str, words: Words) -> str:
    """A recurrence rule as a word, and what is special about it as the calendar writes it."""
    parts = [part for part in rule.split(";") if part]
    frequency = next((part[5:] for part in parts if part.upper().startswith("FREQ=")), "other").upper()
    rest = [part for part in parts if not part.upper().startswith(("FREQ=", "WKST="))]
    word = words.say(f"rhythm.{frequency if words.has(f'rhythm.{frequency}') else 'other'}")
    return f"{word} [{' '.join(rest)}]" if rest else word


def _span(start: str, end: Scalar, words: Words) -> str:
    shown = words.raw_moment(start)
    if not isinstance(end, str) or "T" not in start:
        return shown
    until = words.raw_moment(end)
    day, _, clock = until.rpartition(" ")
    return f"{shown}–{clock}" if shown.startswith(day) else f"{shown} – {until}"


def _extra(data: Mapping[str, Scalar], words: Words) -> list[str]:
    found = []
    if data.get("moved_from"):
        found.append(words.say("was", value=words.raw_moment(str(data["moved_from"]))))
    if data.get("start"):
        found.append(words.raw_moment(str(data["start"])))
    return found + _depth(data, words)


def _depth(data: Mapping[str, Scalar], words: Words) -> list[str]:
    """The number itself; the material field holds only the step of its ladder."""
    return [f"{words.say('fields.depth')}: {data['depth']}"] if isinstance(data.get("depth"), int) else []


def _name(field: str, words: Words) -> str:
    return words.say(f"fields.{field}") if words.has(f"fields.{field}") else field.replace("_", " ")
