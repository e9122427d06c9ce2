"""Short names: what the control interface calls a resource of the template."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+")
_SUFFIXES = ("Queue", "Function", "Schedule", "Bucket", "Topic")


def words(logical_id: str) -> list[str]:
    """Split `SocialReplyFunction` into `social`, `reply`, `function`."""
    return [word.lower() for word in _WORD.findall(logical_id)]


def _bare(logical_id: str) -> str:
    for suffix in _SUFFIXES:
        if logical_id.endswith(suffix) and logical_id != suffix:
            return logical_id.removesuffix(suffix)
    return logical_id


def function_name(logical_id: str) -> str:
    """Return `social_reply` for `SocialReplyFunction`."""
    return "_".join(words(_bare(logical_id)))


def kebab_name(logical_id: str) -> str:
    """Return `comments` for `CommentsQueue`, `dead-letters` for `DeadLetters`."""
    return "-".join(words(_bare(logical_id)))


def schedule_name(logical_id: str, function: str) -> str:
    """Return a schedule's short name: SAM calls it by its function's and its event's id; the event's is enough.

    `MaintenanceFunctionSweep` is `sweep`; one whose event is just called `Schedule` has its function's name.
    """
    event = logical_id.removeprefix(function)
    return kebab_name(event) if event and event != "Schedule" else kebab_name(function)


def queue_variable(logical_id: str) -> str:
    """Return the variable that names a queue's address: `ONTHOUD_COMMENTS_QUEUE_URL` for `CommentsQueue`.

    A dead-letter queue's is `ONTHOUD_COMMENTS_DEAD_LETTERS_URL`; for a queue that is called otherwise it is empty.
    """
    for ending, suffix in (("DeadLetters", "DEAD_LETTERS"), ("Queue", "QUEUE")):
        if logical_id.endswith(ending) and logical_id != ending:
            name = "_".join(words(logical_id.removesuffix(ending))).upper()
            return f"ONTHOUD_{name}_{suffix}_URL"
    return ""
