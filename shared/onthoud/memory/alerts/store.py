"""The alert log in the table: only what changed is written, and only over the version that was read.

Layout, in one partition per (space, log, recipient), or in a customer's own partition:

    alert#<log>#<key>          a live alert, or one that is gone and not yet told
    alert-closed#<log>#<key>   a tombstone, TTL 400 days; the last 100 keep their details
    alert-log#<log>            the head: sources, and which tombstones have details
    alert-plan#<log>#<id>#<n>  a plan whose delivery has begun, until it is committed; TTL 45 days
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from onthoud import keys
from onthoud.clock import Clock, epoch, iso
from onthoud.errors import Conflict, NotFound
from onthoud.memory.alerts.items import (
    ALERT,
    CLOSED,
    DETAILS,
    HEAD,
    PLAN,
    SCHEMA,
    Head,
    alert_item,
    alert_of,
    head_item,
    head_of,
    telling_item,
    telling_of,
)
from onthoud.memory.alerts.model import Alert, Rules
from onthoud.memory.alerts.planning import Plan, Telling
from onthoud.memory.alerts.states import State
from onthoud.ports.table import Action, Compare, Delete, Exists, Item, Key, Missing, Put, Table, Update, When

PLAN_DAYS = 45
"""As long as the ledger of events remembers a brief."""
_BATCH = 25
"""Alerts written per transaction: two actions each at most, and far below DynamoDB's 4 MB."""
_TELLINGS_PER_ITEM = 200
_TRIES = 4

Edit = Callable[[Alert], Alert]


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where one log lies: its partition, its name."""

    partition: str
    log: str

    def key(self, kind: str, *ids: str) -> Key:
        """Return the key of one of the log's items."""
        return Key(self.partition, keys.join(kind, self.log, *ids, limit=keys.MAX_SORT_KEY_BYTES))

    def prefix(self, kind: str) -> str:
        """Return the prefix of all the log's items of a kind."""
        return keys.join(kind, self.log) + keys.SEPARATOR


class AlertStore:
    """Reads and writes one log."""

    def __init__(self, table: Table, shelf: Shelf, clock: Clock, rules: Rules) -> None:
        self._table, self._shelf, self._clock, self._rules = table, shelf, clock, rules

    # -- reading -----------------------------------------------------------------------------------------------------

    def live(self) -> dict[str, Alert]:
        """Read every live alert of the log, and those that are gone and not yet told."""
        return {alert.key: alert for alert in map(alert_of, self._all(self._shelf.prefix(ALERT)))}

    def closed(self) -> dict[str, Alert]:
        """Read every tombstone that has not expired."""
        now = epoch(self._clock.now())
        rows = self._all(self._shelf.prefix(CLOSED))
        return {alert.key: alert for alert in (alert_of(row) for row in rows if row["expires_at"] > now)}

    def tombstones(self, wanted: Iterable[str]) -> dict[str, Alert]:
        """Read the tombstones of the keys that have one, 100 in a round trip."""
        places = [self._shelf.key(CLOSED, key) for key in sorted(set(wanted))]
        now, found = epoch(self._clock.now()), {}
        for start in range(0, len(places), 100):
            for item in self._table.get_many(places[start : start + 100]).values():
                if item["expires_at"] > now:
                    alert = alert_of(item)
                    found[alert.key] = alert
        return found

    def many(self, wanted: Sequence[str]) -> dict[str, Alert]:
        """Read up to 50 alerts in one round trip, wherever they lie; a live one hides its old tombstone."""
        places = [self._shelf.key(kind, key) for kind in (CLOSED, ALERT) for key in wanted]
        found, now = self._table.get_many(places), epoch(self._clock.now())
        items = [found[place] for place in places if place in found]
        alerts = [alert_of(item) for item in items if item.get("expires_at", now + 1) > now]
        return {alert.key: alert for alert in alerts}

    def one(self, key: str) -> Alert | None:
        """Read one alert, wherever it lies."""
        return self.many([key]).get(key)

    def head(self) -> Head:
        """Read the head."""
        place = self._shelf.key(HEAD)
        return head_of(self._table.get_many([place]).get(place))

    def _all(self, prefix: str) -> Iterator[Item]:
        after: Key | None = None
        while True:
            page = self._table.query(self._shelf.partition, prefix=prefix, after=after)
            yield from page.items
            if page.next is None:
                return
            after = page.next

    # -- writing -----------------------------------------------------------------------------------------------------

    def save(self, changes: Sequence[tuple[Alert | None, Alert]]) -> None:
        """Write alerts that changed, each over the version that was read.

        Raises:
            Conflict: somebody else wrote one of them meanwhile. Others of the same call may have been written: read
                again and advance again, which repeats nothing.
        """
        for start in range(0, len(changes), _BATCH):
            actions = [
                action for before, after in changes[start : start + _BATCH] for action in self._put(before, after)
            ]
            if len(actions) == 1 and isinstance(actions[0], (Put, Update, Delete)):
                self._table.write(actions[0])
            else:
                self._table.transact(actions)

    def edit(self, key: str, change: Edit) -> Alert:
        """Change one alert, reading it again when somebody else was first.

        Raises:
            NotFound: the log knows no such alert.
            Conflict: others were first every time.
        """
        for attempt in range(_TRIES):
            before = self.one(key)
            if before is None:
                raise NotFound("the log knows no such alert")
            after = change(before)
            if after == before:
                return before
            try:
                self.save([(before, after)])
            except Conflict:
                if attempt == _TRIES - 1:
                    raise
                continue
            if after.state is State.CLOSED and before.state is not State.CLOSED:
                self.remember_closed([key])
            return after
        raise AssertionError("unreachable")

    def edit_head(self, change: Callable[[Head], Head]) -> Head:
        """Change the head, reading it again when somebody else was first.

        Raises:
            Conflict: others were first every time.
        """
        place = self._shelf.key(HEAD)
        for attempt in range(_TRIES):
            item = self._table.get_many([place]).get(place)
            before = head_of(item)
            after = change(before)
            if after == before:
                return before
            body = head_item(replace(after, version=before.version + 1), self._clock.now())
            if item is not None:
                body["created_at"] = item["created_at"]
            when: When = (Missing("pk"),) if item is None else (Compare("version", "=", before.version),)
            try:
                self._table.write(Put({"pk": place.pk, "sk": place.sk, **body}, when))
            except Conflict:
                if attempt == _TRIES - 1:
                    raise
                continue
            return after
        raise AssertionError("unreachable")

    def remember_closed(self, closed: Sequence[str]) -> None:
        """Note which alerts were closed, newest last, and take the details of those beyond the last hundred."""
        if not closed:
            return
        dropped: list[str] = []

        def change(head: Head) -> Head:
            order = [key for key in head.closed if key not in set(closed)] + list(dict.fromkeys(closed))
            kept = order[-self._rules.closed_kept :] if self._rules.closed_kept else []
            dropped[:] = order[: len(order) - len(kept)]
            return replace(head, closed=tuple(kept))

        self.edit_head(change)
        for key in dropped:
            place = self._shelf.key(CLOSED, key)
            try:
                self._table.write(Update(place, set={"title": key}, remove=DETAILS, when=(Exists("pk"),)))
            except Conflict:
                continue  # it has been reopened, or has expired

    def _put(self, before: Alert | None, after: Alert) -> list[Action]:
        kind = CLOSED if after.state is State.CLOSED else ALERT
        place = self._shelf.key(kind, after.key)
        version = before.version if before is not None else 0
        body = alert_item(replace(after, version=version + 1), self._clock.now(), self._rules)
        item = {"pk": place.pk, "sk": place.sk, **body}
        old = None if before is None else CLOSED if before.state is State.CLOSED else ALERT
        same_version: When = (Compare("version", "=", version),)
        if old == kind:
            return [Put(item, same_version)]
        # An expired tombstone that DynamoDB has not deleted yet may still lie there: it is simply replaced.
        put = Put(item, (Missing("pk"),) if kind == ALERT else ())
        return [put] if old is None else [put, Delete(self._shelf.key(old, after.key), same_version)]

    # -- plans -------------------------------------------------------------------------------------------------------

    def plan_actions(self, plan: Plan) -> list[Put]:
        """Return the writes that keep a plan until it is committed."""
        parts = [
            plan.tellings[start : start + _TELLINGS_PER_ITEM]
            for start in range(0, max(1, len(plan.tellings)), _TELLINGS_PER_ITEM)
        ]
        return [Put(self._plan_item(plan, number, part, len(parts))) for number, part in enumerate(parts)]

    def _plan_item(self, plan: Plan, number: int, part: Sequence[Telling], of: int) -> Item:
        place = self._shelf.key(PLAN, plan.id, f"{number:04d}")
        return {
            "pk": place.pk,
            "sk": place.sk,
            "kind": PLAN,
            "v": SCHEMA,
            "created_at": iso(plan.made_at),
            "expires_at": epoch(plan.made_at + timedelta(days=PLAN_DAYS)),
            "audience": plan.audience,
            "run": plan.run,
            "plan": plan.id,
            "parts": of,
            "tellings": [telling_item(telling) for telling in part],
        }

    def plans(self) -> list[KeptPlan]:
        """Read the plans that are not committed."""
        kept: dict[str, KeptPlan] = {}
        for item in self._all(self._shelf.prefix(PLAN)):
            if item["expires_at"] <= epoch(self._clock.now()):
                continue
            before = kept.get(item["plan"])
            tellings = tuple(telling_of(row) for row in item["tellings"])
            kept[item["plan"]] = KeptPlan(
                id=item["plan"],
                audience=item["audience"],
                run=item["run"],
                tellings=(before.tellings if before else ()) + tellings,
                places=((*before.places, Key.of(item)) if before else (Key.of(item),)),
            )
        return list(kept.values())

    def drop_plan(self, kept: KeptPlan) -> None:
        """Forget a plan that is committed, or that was never sent."""
        for place in kept.places:
            self._table.write(Delete(place))


@dataclass(frozen=True, slots=True)
class KeptPlan:
    """A plan as it was kept before its delivery began."""

    id: str
    audience: str
    run: str
    tellings: tuple[Telling, ...]
    places: tuple[Key, ...]

    @classmethod
    def of(cls, plan: Plan, actions: Iterable[Put]) -> KeptPlan:
        """Return the kept form of a plan that was just written by `actions`."""
        return cls(plan.id, plan.audience, plan.run, plan.tellings, tuple(action.key for action in actions))
