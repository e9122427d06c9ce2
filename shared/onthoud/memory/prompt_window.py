"""The window as the model sees it: verbatim while it fits a token budget, always a valid message list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from onthoud.clock import iso
from onthoud.memory.working import Turn
from onthoud.ports.model import Message
from onthoud.text.graphemes import cut
from onthoud.text.quoting import quoted
from onthoud.text.tokens import estimate

LAST_EXCHANGES = 3
MIN_SHARE_BYTES = 64


@dataclass(frozen=True, slots=True)
class Shown:
    """What of the window stands in the prompt. `labels` maps the short ids that the model sees to memory ids."""

    messages: tuple[Message, ...]
    labels: dict[str, str]


def memory_id(turn: Turn) -> str:
    """Return the id by which decisions name a turn."""
    return f"turn:{turn.event_id}:{turn.role}"


def fit(turns: Sequence[Turn], tokens: int) -> list[Turn]:
    """Return the newest turns that keep to `tokens`.

    All of them while they fit. Else the last three exchanges, each side's words cut to their share if need be; what is
    older is left out (session summaries will stand for it).
    """
    if sum(estimate(turn.content) for turn in turns) <= tokens:
        return list(turns)
    kept = list(turns)[-2 * LAST_EXCHANGES :]
    older = list(turns)[: -2 * LAST_EXCHANGES]
    total = sum(estimate(turn.content) for turn in kept)
    if total > tokens:
        share = tokens // len(kept)
        return [_cut(turn, share) for turn in kept]
    while older and total + estimate(older[-1].content) <= tokens:
        turn = older.pop()
        total += estimate(turn.content)
        kept.insert(0, turn)
    return kept


def _cut(turn: Turn, tokens: int) -> Turn:
    content, size = turn.content, len(turn.content.encode("utf-8", "replace"))
    while estimate(content) > tokens and size > MIN_SHARE_BYTES:
        size = max(MIN_SHARE_BYTES, size * 3 // 4)
        content = cut(turn.content, size)
    return replace(turn, content=content)


def show(turns: Sequence[Turn], tokens: int) -> Shown:
    """Render the window as messages: the customer's words quoted, the bot's own as its own.

    The list starts with the customer, and neighbours of one role are one message. A reply of which nobody knows
    whether it arrived is shown as just that.
    """
    labels: dict[str, str] = {}
    messages: list[Message] = []
    for position, turn in enumerate(fit(turns, tokens), start=1):
        label = f"t{position}"
        labels[label] = memory_id(turn)
        own = turn.role == "assistant" and turn.state == "said" and turn.content.strip() and messages
        if own:
            _append(messages, Message("assistant", turn.content.strip()))
        else:
            _append(messages, Message("user", quoted(_tag(turn), turn.content, id=label, at=iso(turn.timestamp)[:16])))
    return Shown(tuple(messages), labels)


def _tag(turn: Turn) -> str:
    if turn.role == "user":
        return "comment"
    return "unconfirmed_reply" if turn.state == "unknown" else "earlier_reply"


def _append(messages: list[Message], message: Message) -> None:
    if messages and messages[-1].role == message.role:
        last = messages.pop()
        message = Message(message.role, f"{last.text}\n\n{message.text}", (*last.images, *message.images))
    messages.append(message)


def followed_by(messages: Sequence[Message], last: Message) -> tuple[Message, ...]:
    """Return the messages with one more at the end, joined to its neighbour where the role is the same."""
    joined = list(messages)
    _append(joined, last)
    return tuple(joined)
