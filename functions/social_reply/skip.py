"""What needs no reply, decided by code before the model is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass

from onthoud.delivery.desk import Case
from onthoud.events.comment import Comment
from onthoud.settings import Settings
from onthoud.text.emoji import is_blank, is_emoji_only, is_mentions_only

_LINK = re.compile(r"https?://|www\.\w", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Skip:
    """Why a comment is not answered, and whether its words are remembered."""

    reason: str
    remember: bool


def is_own(comment: Comment, settings: Settings) -> bool:
    """Say whether the operator's account wrote it, by any of its ids (a platform may know one account by several)."""
    author = comment.author
    return author is not None and (author.is_self or author.id in settings.own_ids or author.id == comment.account_id)


def skip(comment: Comment, text: str, case: Case, settings: Settings) -> Skip | None:
    """Return why the comment needs no reply, None where it may need one. `text` is the decoded text."""
    if case.head.refuses(comment.occurred_at):
        return Skip("erased", remember=False)
    if settings.mode_of("social_reply", comment.account_id) == "off":
        return Skip("mode_off", remember=True)
    if is_blank(text):
        pictures = any(one.type == "image" for one in comment.attachments)
        return None if pictures else Skip("attachment_only" if comment.attachments else "empty", remember=False)
    if is_emoji_only(text):
        return Skip("emoji_only", remember=True)
    if is_mentions_only(text):
        return Skip("mentions_only", remember=True)
    if settings.spam == "links" and _LINK.search(text):
        return Skip("spam_policy", remember=False)
    return None
