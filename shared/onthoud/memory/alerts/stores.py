"""What the alert log keeps, for the registry of stores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthoud import keys
from onthoud.memory.alerts.items import ALERT, CLOSED, HEAD, PLAN
from onthoud.memory.alerts.store import PLAN_DAYS
from onthoud.privacy.registry import Estate, Store, erase_where, nothing_personal
from onthoud.scope import Scope, Space
from onthoud.settings import LEDGER_DAYS

BRIEF_LOG = "daily-brief"
OPERATOR = "operator"
BRIEF = "brief"


def operator_partition(space: Space, log: str, recipient: str) -> str:
    """Return the partition of a log that a bot keeps for an operator."""
    return keys.join("alerts", space.tenant, space.context, log, recipient)


def _erase(estate: Estate, scope: Scope) -> int:
    """Delete what concerns the customer in the operator's log; the customer's own logs go with the partition."""
    partition = operator_partition(estate.space, BRIEF_LOG, OPERATOR)
    return erase_where(estate, partition, lambda item: item.get("about") == scope.partition, prefix=f"{ALERT}#")


def _erase_closed(estate: Estate, scope: Scope) -> int:
    partition = operator_partition(estate.space, BRIEF_LOG, OPERATOR)
    return erase_where(estate, partition, lambda item: item.get("about") == scope.partition, prefix=f"{CLOSED}#")


def _erase_briefs(estate: Estate, scope: Scope) -> int:
    """Delete the texts of briefs that told something of the customer. The audit copies end by their bucket's rule."""
    partition = operator_partition(estate.space, BRIEF_LOG, OPERATOR)

    def concerns(item: Mapping[str, Any]) -> bool:
        return scope.partition in item.get("about", ())

    return erase_where(estate, partition, concerns, prefix=f"{BRIEF}#")


STORES = (
    Store(
        ALERT,
        holds="what the operator's brief (or a customer's bot) has open, and what was told of it",
        retention="as long as it is open, snoozed or muted",
        erase=_erase,
    ),
    Store(
        CLOSED,
        holds="alerts that are over; the last 100 with their words, older ones as hashes that recognise a recurrence",
        retention="400 days (TTL)",
        erase=_erase_closed,
    ),
    Store(
        HEAD,
        holds="when each source of a log was read, and which closed alerts still have their words",
        retention="for ever; one item per log",
        erase=nothing_personal,
    ),
    Store(
        PLAN,
        holds="keys and hashes of what a brief on its way is about to tell",
        retention=f"until it is delivered, {PLAN_DAYS} days at most (TTL)",
        erase=nothing_personal,
    ),
    Store(
        BRIEF,
        holds="the text of the operator's own brief, until it is sent and for the ledger's time after it",
        retention=f"{LEDGER_DAYS} days (TTL)",
        erase=_erase_briefs,
    ),
)
