"""Observations: what a customer did, counted. The third time on one court is a candidate for the profile.

Nothing here reaches a prompt. The confidence ladder, which makes a fact of what was seen often enough, reads the counts
(`observed` items of the customer's partition) when sessions are learned from.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from onthoud import keys
from onthoud.clock import epoch, iso
from onthoud.ports.table import Key, Update
from onthoud.privacy.registry import Store, in_customer_partition
from onthoud.scope import Scope

KIND: Final = "observed"
KEPT = timedelta(days=30)
"""As long as any candidate: what is not seen again for 30 days is forgotten."""

STORE = Store(
    KIND,
    holds="what a customer did, counted (how often on which court)",
    retention=f"{KEPT.days} days after the last time (TTL)",
    erase=in_customer_partition,
)


def observe(scope: Scope, what: str, value: str, *, at: datetime) -> Update:
    """Return the write that counts one more sighting of `what` (`court`) with `value` (`Court 3`)."""
    return Update(
        Key(scope.partition, keys.join(KIND, what, value, limit=keys.MAX_SORT_KEY_BYTES)),
        set={"kind": KIND, "v": 1, "what": what, "value": value, "last_at": iso(at), "expires_at": epoch(at + KEPT)},
        set_once={"created_at": iso(at)},
        add={"times": 1},
    )
