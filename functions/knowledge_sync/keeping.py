"""What the function does with a wish, and what it tells of it."""

from __future__ import annotations

import uuid
from typing import Any

from knowledge_sync.messages import GO_ON, Wish
from knowledge_sync.parsers import parse
from onthoud.deadline import Deadline
from onthoud.memory.knowledge.keeper import Keeper, Report
from onthoud.memory.knowledge.sync import Action, Outcome
from onthoud.observability import count, logger
from onthoud.runtime import Runtime

PER_DOCUMENT_S = 60.0
"""What must be left of the invocation to begin another document."""


def carry_out(wish: Wish, parts: Runtime, deadline: Deadline) -> None:
    """Do what a message asks for.

    Raises:
        RetryableError: it must come back.
    """
    if not wish.documents and not wish.everything:
        return
    keeper = keeper_of(parts, deadline)
    if wish.everything or keeper.out_of_date():
        reconcile(keeper, parts)
        return
    deadline.require(PER_DOCUMENT_S)
    for outcome in keeper.documents(wish.documents):
        _tell(outcome)


def reconcile(keeper: Keeper, parts: Runtime) -> dict[str, Any]:
    """Bring everything into step; what the time does not allow is asked for by a message of our own."""
    report = keeper.reconcile()
    for outcome in report.outcomes:
        _tell(outcome)
    if not report.finished:
        parts.queue(parts.settings.knowledge_queue_url).send(
            GO_ON, group="knowledge", deduplication_id=uuid.uuid4().hex
        )
    return _told(report)


def keeper_of(parts: Runtime, deadline: Deadline) -> Keeper:
    """Return who does the work, within the invocation's time."""
    return parts.knowledge_keeper(parse, lambda: deadline.remaining_s() > PER_DOCUMENT_S)


def _tell(outcome: Outcome) -> None:
    count("ChunksEmbedded", outcome.embedded)
    if outcome.action is Action.UNREADABLE:
        count("DocumentsUnreadable")
        logger.warning("a document cannot be read", document=outcome.document, reason=outcome.reason)


def _told(report: Report) -> dict[str, Any]:
    if report.held:
        count("DeletionsHeld", len(report.held))
        logger.error("the listing misses many documents; their deletion waits", held=len(report.held))
    if report.repair and not report.repair.equal:
        count("IndexUnequal")
    for document, reason in report.failed.items():
        logger.warning("a document is not in step", document=document, reason=reason)
    told = {
        "finished": report.finished,
        "indexed": report.count(Action.INDEXED),
        "deleted": report.count(Action.DELETED),
        "unreadable": report.count(Action.UNREADABLE),
        "failed": len(report.failed),
        "held": len(report.held),
        "embedded": report.embedded,
        "orphans": report.repair.orphans if report.repair else None,
        "restored": report.repair.restored if report.repair else None,
        "equal": report.repair.equal if report.repair else None,
    }
    logger.info("reconciled", extra=told)
    return told
