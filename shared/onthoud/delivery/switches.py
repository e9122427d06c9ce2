"""The switches: the kill switch for all or for one account, and what today has cost. One item per context.

A customer's own stop stands in the head, a thread's in the thread, so that a transaction reads each where it writes
anyway. `switch off` stops the bots, `switch on` lets them go on.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from onthoud import keys
from onthoud.clock import iso
from onthoud.memory.head import head_key
from onthoud.ports.table import Condition, Item, Key, Missing, Table, Update
from onthoud.privacy.registry import Store, nothing_personal
from onthoud.scope import Scope, Space

KIND = "switches"
VERSION = 1
MICRO = 1_000_000

STORE = Store(
    KIND,
    holds="the kill switches of all and of accounts, and the model cost of the last days",
    retention="for ever; one item, days of cost are dropped after a week",
    erase=nothing_personal,
)


def switches_key(space: Space) -> Key:
    """Return the key of the switches."""
    return Key(keys.join("switches", space.tenant, space.context), "state")


def _account_field(account: str) -> str:
    return f"stop:{account}"


def _cost_field(day: date) -> str:
    return f"cost:{day.isoformat()}"


@dataclass(frozen=True, slots=True)
class Switches:
    """The switches as read."""

    space: Space
    item: Item

    @classmethod
    def read(cls, space: Space, item: Item | None) -> Switches:
        """Read the item; with none, everything is on."""
        return cls(space, item or {})

    def stopped(self, account: str) -> str | None:
        """Return which switch stops this account: `all`, `account`, or None."""
        if "stop" in self.item:
            return "all"
        return "account" if _account_field(account) in self.item else None

    def spent(self, day: date) -> Decimal:
        """Return the model cost of a day in USD."""
        return Decimal(self.item.get(_cost_field(day), 0)) / MICRO

    @staticmethod
    def not_stopped(account: str) -> tuple[Condition, ...]:
        """Return the conditions under which something may be sent from this account."""
        return (Missing("stop"), Missing(_account_field(account)))

    def spend(self, amount: Decimal, day: date, *, when: tuple[Condition, ...] = ()) -> Update:
        """Return the write that adds a cost to the day's, and forgets what is older than a week."""
        old = tuple(
            name for name in self.item if name.startswith("cost:") and name < _cost_field(day - timedelta(days=7))
        )
        return Update(
            switches_key(self.space),
            set={"kind": KIND, "v": VERSION},
            add={_cost_field(day): int((amount * MICRO).to_integral_value())},
            remove=old,
            when=when,
        )


class SwitchBoard:
    """The operator's hand on the switches."""

    def __init__(self, table: Table, space: Space) -> None:
        self._table = table
        self._space = space

    def all(self, *, on: bool, now: datetime, reason: str = "operator") -> None:
        """Stop everything, or let everything go on."""
        self._flip(switches_key(self._space), "stop", on, now, reason)

    def account(self, account: str, *, on: bool, now: datetime, reason: str = "operator") -> None:
        """Stop one account, or let it go on."""
        self._flip(switches_key(self._space), _account_field(account), on, now, reason)

    def customer(self, scope: Scope, *, on: bool, now: datetime, reason: str = "operator") -> None:
        """Stop the bot for one customer, or let it go on. A stop does not expire with the window."""
        if on:
            # Without its stop the head may go again; the next activity gives it the window's end.
            self._table.write(
                Update(
                    head_key(scope),
                    set={"kind": "head", "v": 1, "expires_at": int(now.timestamp()) + 90 * 86_400},
                    remove=("stopped_at", "stop_reason"),
                )
            )
            return
        self._table.write(
            Update(
                head_key(scope),
                set={"kind": "head", "v": 1, "stopped_at": iso(now), "stop_reason": reason},
                remove=("expires_at",),
            )
        )

    def _flip(self, key: Key, field: str, on: bool, now: datetime, reason: str) -> None:
        base = {"kind": KIND, "v": VERSION}
        if on:
            self._table.write(Update(key, set=base, remove=(field,)))
        else:
            self._table.write(Update(key, set={**base, field: f"{iso(now)} {reason}"}))
