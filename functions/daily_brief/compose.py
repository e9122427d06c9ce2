"""The brief's text, put together from what code decided and wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daily_brief.lines import describe, label
from daily_brief.phrasing import Draft, Phrasing, is_quote
from daily_brief.words import Words
from onthoud.memory.alerts.model import SourceState
from onthoud.memory.alerts.planning import Plan

MAX_CHARS = 60_000
"""A longer text is cut at a line for the channels; the audit copy has all of it."""


@dataclass(frozen=True, slots=True)
class Brief:
    """A brief, ready to go: Markdown of three kinds of line only (`# `, `## `, `- `) and plain paragraphs."""

    subject: str
    text: str
    whole: str


def drafts_of(plan: Plan, words: Words) -> list[Draft]:
    """Return the plan's lines as code writes them."""
    return [
        Draft(
            ref=line.ref,
            kind=str(line.kind),
            source=line.news[0].alert.source,
            line=describe(line, words),
            excerpt=line.news[0].alert.summary if len(line.news) == 1 else "",
        )
        for line in plan.lines
    ]


def compose(plan: Plan, today: Sequence[str], drafts: Sequence[Draft], phrasing: Phrasing, words: Words) -> Brief:
    """Put the parts together. Nothing at all to say is one line."""
    date, trust = words.full_date(words.today), trust_line(plan, words)
    subject = words.say("subject", date=date)
    if not today and not plan.lines:
        only = words.say("nothing_at_all", date=date, trust=trust)
        return Brief(subject, only, only)
    blocks = [f"# {words.say('title', date=date)}"]
    if today:
        blocks.append("\n".join([f"## {words.say('today')}", *(f"- {line}" for line in today)]))
    if plan.lines:
        blocks.append("\n".join([f"## {words.say('changed')}", *_changes(plan, drafts, phrasing, words)]))
    else:
        blocks.append(words.say("nothing"))
    whole = "\n\n".join([*blocks, trust]) + "\n"
    return Brief(subject, _fitting(whole, trust, words), whole)


def _changes(plan: Plan, drafts: Sequence[Draft], phrasing: Phrasing, words: Words) -> list[str]:
    labels = {line.ref: label(line, words) for line in plan.lines}
    written = {draft.ref: draft for draft in drafts}
    lines = []
    for ref in phrasing.order:
        draft, remark = written[ref], phrasing.remarks.get(ref)
        line = f"- **{labels[ref]}** {draft.line}"
        if remark:
            line += f" — {words.say('quote', text=remark) if is_quote(remark, draft) else remark}"
        lines.append(line)
    return lines


def _fitting(whole: str, trust: str, words: Words) -> str:
    if len(whole) <= MAX_CHARS:
        return whole
    room = MAX_CHARS - len(trust) - 200
    return f"{whole[: whole.rindex(chr(10), 0, room)]}\n\n{words.say('longer')}\n\n{trust}\n"


def trust_line(plan: Plan, words: Words) -> str:
    """Return how far the brief can be trusted: what is open and not shown, and which sources were read when."""
    counts = plan.counts
    parts = [
        words.say("trust.line", open=counts.open, told=counts.told, unchanged=counts.unchanged, snoozed=counts.snoozed)
    ]
    parts += [words.say("trust.muted", count=counts.muted)] if counts.muted else []
    parts += [words.say("trust.resolved", count=counts.resolved)] if counts.resolved else []
    sources = ", ".join(_source(name, state, words) for name, state in _in_order(plan.sources))
    return "; ".join([*parts, *([sources] if sources else [])])


def _in_order(sources: Mapping[str, SourceState]) -> list[tuple[str, SourceState]]:
    known = ("mail", "calendar", "tasks", "todoist")
    return sorted(sources.items(), key=lambda pair: (known.index(pair[0]) if pair[0] in known else len(known), pair[0]))


def _source(name: str, state: SourceState, words: Words) -> str:
    read = words.moment(state.read_at) if state.read_at is not None else ""
    if state.failing_since is not None:
        return (
            words.say("trust.failed_last", source=name, when=read) if read else words.say("trust.failed", source=name)
        )
    if state.held:
        return words.say("trust.held", source=name, when=read, count=state.held)
    return words.say("trust.read", source=name, when=read)
