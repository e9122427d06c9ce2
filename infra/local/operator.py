"""The operator's worker: the library and the command line, run against the stack from a process of their own.

It is a worker like a function's, so that blocking clients never hold up the stack, and it lives at the stack's time.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable
from typing import Any

from onthoud.adapters.aws import client
from onthoud.adapters.dynamodb import DynamoTable
from onthoud.clock import SystemClock, iso
from onthoud.delivery import decisions
from onthoud.delivery.attempts import Attempts
from onthoud.delivery.quarantine import quarantined
from onthoud.errors import PermanentError
from onthoud.memory.profile import CustomerProfile, Profiles, profile_key
from onthoud.memory.profile_input import profile_input
from onthoud.memory.working import WorkingMemory
from onthoud.scope import Scope
from onthoud.settings import Settings

OWN_STACK = frozenset({"local", "demo"})
"""Commands that would not end, or would tell of another stack."""


class Desk:
    """What the control interface asks of the library."""

    def __init__(self) -> None:
        self.settings = Settings.from_environment(os.environ)
        self.table = DynamoTable(client("dynamodb"), self.settings.table)
        self.clock = SystemClock()

    def scope(self, customer: dict[str, str]) -> Scope:
        """Return a customer's scope; tenant and context are the stack's."""
        return Scope(self.settings.space, customer["channel"], customer["account_id"], customer["customer"])

    def decisions(self, event_id: str | None) -> list[dict[str, Any]]:
        """Return the decisions about an event, or all of them, oldest first."""
        now, space = self.clock.now(), self.settings.space
        if event_id:
            return decisions.of_event(self.table, space, event_id, now)
        records = [item for item in self._everything() if "decisions" in item]
        found = decisions.views(self.table, records) + decisions.quarantined_views(self.table, space, now)
        return sorted(found, key=lambda one: str(one["at"]))

    def _everything(self) -> list[dict[str, Any]]:
        from onthoud.adapters.dynamodb_codec import decode_item

        pages = client("dynamodb", read_timeout_s=30).get_paginator("scan").paginate(TableName=self.settings.table)
        return [decode_item(item) for page in pages for item in page["Items"]]

    def quarantine(self) -> list[dict[str, Any]]:
        """Return what is in quarantine, oldest first."""
        return [
            {
                "queue": item["queue"],
                "message_id": item["message_id"],
                "reason": item["reason"],
                "body": item["body"],
                "at": item["created_at"],
            }
            for item in quarantined(self.table, self.settings.space, self.clock.now())
        ]

    def reasons(self, message_ids: list[str]) -> dict[str, str]:
        """Return the last recorded failure of messages that have one."""
        found = {}
        for message_id in message_ids:
            reason = Attempts(self.table, self.settings.space, message_id).read().get("reason")
            if reason:
                found[message_id] = str(reason)
        return found

    def memory(self, customer: dict[str, str]) -> dict[str, Any]:
        """Return what the bots would read of a customer now."""
        scope = self.scope(customer)
        memory = WorkingMemory(self.table, self.clock, window=self.settings.window_turns, history=self.settings.history)
        # Only what was sent counts as said: a reply whose outcome nobody knows waits in the outbox.
        turns = [turn for turn in memory.read(scope).turns if turn.state == "said"]
        key = profile_key(scope)
        profile = CustomerProfile.of_item(self.table.get_many([key]).get(key))
        return {
            "turns": [
                {
                    "role": turn.role,
                    "content": turn.content,
                    "timestamp": iso(turn.timestamp),
                    "event_id": turn.event_id,
                }
                for turn in turns
            ],
            "profile": profile.plain(),
            "sessions": [],
            "facts": [],
        }

    def put_profile(self, customer: dict[str, str], profile: dict[str, Any]) -> dict[str, Any]:
        """Store a profile in place of what was there."""
        from onthoud.privacy.redaction import Redactor

        redact = Redactor(self.settings.redaction).clean
        profiles = Profiles(self.table, self.clock, redact)
        profiles.save(self.scope(customer), profile_input(profile).changes(), source="operator", afresh=True)
        return {"ok": True}


def run_command(args: list[str]) -> dict[str, Any]:
    """Run the real command line; nobody sits at its terminal."""
    from infra.cli.main import main

    if args[:1] and args[0] in OWN_STACK:
        why = f"onthoud: `{args[0]}` starts a stack of its own: run it at a terminal\n"
        return {"exit_code": 2, "stdout": "", "stderr": why}
    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["onthoud", *args]
    code = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
            except SystemExit as left:
                code = left.code if isinstance(left.code, int) else int(left.code is not None)
                if isinstance(left.code, str):
                    err.write(left.code + "\n")
    finally:
        sys.argv = before
    return {"exit_code": code, "stdout": out.getvalue(), "stderr": err.getvalue()}


_desk: list[Desk] = []


def _the_desk() -> Desk:
    if not _desk:
        _desk.append(Desk())
    return _desk[0]


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "cli": run_command,
    "decisions": lambda event_id: _the_desk().decisions(event_id),
    "quarantine": lambda: _the_desk().quarantine(),
    "reasons": lambda message_ids: _the_desk().reasons(message_ids),
    "memory": lambda customer: _the_desk().memory(customer),
    "put_profile": lambda customer, profile: _the_desk().put_profile(customer, profile),
}


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Do one operation: `{"operation": ..., **arguments}`; `{"refused": ...}` when the library will not."""
    del context
    arguments = dict(event)
    try:
        return {"answer": _OPERATIONS[arguments.pop("operation")](**arguments)}
    except PermanentError as error:
        return {"refused": str(error)}
