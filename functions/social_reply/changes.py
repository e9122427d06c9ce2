"""Where a comment's words stand in the memory, whatever order its events arrive in: created, edited, deleted.

The place is that of the creation (until it is known, of the earliest edit); the words are those of the latest event;
a deletion is final. So every order of arrival ends in the same history.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from onthoud.clock import from_iso, iso
from onthoud.delivery.decisions import Decision
from onthoud.delivery.desk import Case, Closing, Desk
from onthoud.delivery.ledger import Record, place, placed
from onthoud.delivery.outbox import Entry, Outbox, State
from onthoud.errors import NotFound
from onthoud.events.comment import Comment
from onthoud.memory.working import Role, Turn, turn_key
from onthoud.ports.table import Action, Delete, Key
from onthoud.scope import Scope


@dataclass(frozen=True, slots=True)
class Words:
    """A comment's words in their place, and the writes that bring them there."""

    turn: Turn
    writes: tuple[Action, ...]
    record: Mapping[str, Any]


def is_edit(comment: Comment, record: Record) -> bool:
    """Say whether the event changes a comment whose creation is known: the same id with another text is an edit."""
    return comment.verb == "edited" or record.get("created_on") is not None


def is_newer(comment: Comment, record: Record) -> bool:
    """Say whether the event's text is later than the one remembered; at equal times the text's hash decides."""
    known = record.get("text_at")
    if known is None:
        return True
    return (iso(comment.occurred_at), comment.text_hash) > (known, record.get("text_hash"))


def _moment(comment: Comment, record: Record) -> datetime:
    created = record.get("created_on")
    if created is not None:
        return from_iso(created)
    if comment.verb == "created" or record.get("turn_at") is None:
        return comment.occurred_at
    return min(comment.occurred_at, from_iso(record.get("turn_at")))


def words(
    desk: Desk,
    case: Case,
    comment: Comment,
    text: str,
    *,
    scope: Scope,
    role: Role = "user",
    raw: dict[str, Any] | None = None,
) -> Words:
    """Return the words as they now are, and where; `text` is the event's own, decoded and redacted."""
    record, now = case.record, desk.clock.now()
    old = place(record.item, "turn") if record.item else None
    changes: dict[str, Any] = {}
    if is_newer(comment, record):
        changes |= {"text_at": iso(comment.occurred_at), "text_hash": comment.text_hash}
    elif old is not None:
        kept = desk.table.get_many([old]).get(old)
        text = kept["content"] if kept is not None and kept.get("expires_at", 0) > now.timestamp() else text
    at = _moment(comment, record)
    turn = Turn(role, text, at, comment.comment_id, source="said" if role == "user" else "operator")
    put = desk.memory.said(scope, turn, raw=raw, thread=comment.thread_partition(desk.settings.space))
    writes: list[Action] = [put]
    if old is not None and old != put.key:
        writes.append(Delete(old))
    if comment.verb == "created" and record.get("created_on") is None:
        changes["created_on"] = iso(comment.occurred_at)
    changes |= {**placed("turn", put.key, scope.partition), "turn_at": iso(at), "customer": scope.partition}
    return Words(turn, tuple(writes), changes)


def edit(desk: Desk, case: Case, comment: Comment, text: str, identity: str, bot: str) -> None:
    """Bring an edited text into memory; never a second reply.

    Raises:
        Conflict: see `Desk.close`.
    """
    reason = _no_edit(case, comment)
    if reason is not None or case.scope is None:
        decision = Decision(bot, "skipped", reason=reason or "edited", verb=comment.verb)
        desk.close(case, Closing(identity, decision))
        return
    new = words(desk, case, comment, text, scope=case.scope)
    desk.close(
        case,
        Closing(
            identity,
            Decision(bot, "skipped", reason="edited", verb=comment.verb),
            writes=new.writes,
            conversation=desk.memory.conversation(case.scope, case.head),
            record=new.record,
        ),
    )


def _no_edit(case: Case, comment: Comment) -> str | None:
    if case.record.get("deleted_at") is not None:
        return "deleted"
    if case.head.refuses(comment.occurred_at):
        return "erased"
    return None if is_newer(comment, case.record) else "older_edit"


def delete(desk: Desk, outbox: Outbox, case: Case, comment: Comment, identity: str, bot: str) -> None:
    """Take a deleted comment's words out of memory, and its reply out of the outbox unless it has gone out.

    Raises:
        Conflict: see `Desk.close`.
    """
    writes: list[Action] = []
    if case.record.item and (turn := place(case.record.item, "turn")) is not None:
        writes.append(Delete(turn))
    if (entry := _waiting(desk, outbox, case)) is not None:
        writes.append(Outbox.moving(entry, replace(entry, state=State.GONE, hold="")))
    gone = dict.fromkeys(("turn_pk", "turn_sk", "turn_at"))
    desk.close(
        case,
        Closing(
            identity,
            Decision(bot, "skipped", reason="deleted", verb="deleted"),
            writes=writes,
            record={**gone, "deleted_at": iso(comment.occurred_at)},
        ),
    )


def _waiting(desk: Desk, outbox: Outbox, case: Case) -> Entry | None:
    if case.record.reply is None:
        return None
    try:
        entry = outbox.read(case.record.reply, desk.clock.now())
    except NotFound:
        return None
    return entry if entry.state is State.PLANNED else None


def reply_key(scope: Scope, words: Words) -> Key:
    """Return where the reply to these words stands: directly after them."""
    return turn_key(scope, words.turn.timestamp, words.turn.event_id, "assistant")
