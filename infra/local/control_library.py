"""The part of the control interface that asks the library: memory, decisions, quarantine, the command line."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from starlette.requests import Request

from infra.local.errors import Malformed
from infra.local.requests import Answer, json_object
from infra.local.stack import Stack
from onthoud.clock import iso


class Library:
    """Answers what the library knows."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack

    @property
    def routes(self) -> list[tuple[str, str, Answer]]:
        """Method, path and endpoint of each call."""
        # One path parameter, since an id may hold a percent-encoded slash: see `_customer`.
        customer = "{customer:path}"
        return [
            ("GET", "/local/decisions", self._decisions),
            ("GET", f"/local/memory/{customer}", self._memory),
            ("PUT", f"/local/profiles/{customer}", self._put_profile),
            ("POST", "/local/cli", self._cli),
            ("GET", "/local/environment", self._environment),
            ("GET", "/local/quarantine", self._quarantine),
            ("GET", "/local/dead-letters", self._dead_letters),
            ("POST", "/local/dead-letters/redrive", self._redrive),
        ]

    async def _decisions(self, request: Request) -> Any:
        return await self._stack.ask("decisions", event_id=request.query_params.get("event_id"))

    async def _memory(self, request: Request) -> Any:
        return await self._stack.ask("memory", customer=_customer(request))

    async def _put_profile(self, request: Request) -> Any:
        profile = await json_object(request)
        return await self._stack.ask("put_profile", customer=_customer(request), profile=profile)

    async def _cli(self, request: Request) -> Any:
        args = (await json_object(request)).get("args")
        if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
            raise Malformed("the body holds args, a list of texts")
        return await self._stack.ask("cli", args=args)

    async def _environment(self, _: Request) -> Any:
        """Where `onthoud --local URL` finds the stack."""
        known = self._stack.operator.environment
        wanted = {name: value for name, value in known.items() if name.startswith(("ONTHOUD_", "AWS_", "ANTHROPIC_"))}
        own = ("AWS_LAMBDA_", "AWS_EXECUTION_ENV", "ONTHOUD_LOCAL_")
        return {"environment": {name: value for name, value in wanted.items() if not name.startswith(own)}}

    async def _quarantine(self, _: Request) -> Any:
        return await self._stack.ask("quarantine")

    async def _dead_letters(self, _: Request) -> Any:
        lying = [
            (name, message)
            for name, queue in self._stack.dead_letter_queues
            for message in self._stack.queues.lying(queue)
        ]
        unknown = [message.message_id for _, message in lying if not message.reason]
        reasons = await self._stack.ask("reasons", message_ids=unknown) if unknown else {}
        return [
            {
                "queue": name,
                "message_id": message.known_as,
                "reason": message.reason or reasons.get(message.message_id) or "receive count exceeded",
                "body": message.body,
                "at": iso(message.arrived_at),
            }
            for name, message in lying
        ]

    async def _redrive(self, _: Request) -> Any:
        return {"sent": await self._stack.redrive()}


def _customer(request: Request) -> dict[str, str]:
    """The customer that the path names; each part may hold percent-encoded slashes.

    Raises:
        Malformed: a part is missing.
    """
    raw: bytes = request.scope["raw_path"]
    parts = raw.decode("ascii").split("/")[3:]
    if len(parts) != 3 or not all(parts):
        raise Malformed("the path ends in channel/account_id/customer, each percent-encoded")
    channel, account_id, customer = (unquote(part) for part in parts)
    return {"channel": channel, "account_id": account_id, "customer": customer}
