"""All stores, in one list: what Onthoud keeps, how long, and how a customer is erased from it."""

from __future__ import annotations

from onthoud.delivery import attempts, ledger, quarantine, switches, threads
from onthoud.memory import court_days, head, identities, observations, profile, working
from onthoud.memory.alerts import stores as alerts
from onthoud.memory.knowledge import manifest as knowledge
from onthoud.privacy.registry import Registry

REGISTRY = Registry(
    [
        head.STORE,
        working.STORE,
        profile.STORE,
        identities.STORE,
        observations.STORE,
        court_days.STORE,
        threads.STORE,
        ledger.STORE,
        switches.STORE,
        quarantine.STORE,
        attempts.STORE,
        *alerts.STORES,
        *knowledge.STORES,
    ]
)
