"""The channel's far end: takes the signed webhook requests of the bots and remembers what it accepted.

It keeps to the webhook protocol of the README: a signature over the raw bytes, an idempotency key, and a way to be
asked for a message after a lost answer. What it can do is set over the control interface, as real platforms differ.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import parse_qs, unquote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from onthoud.clock import Clock, SystemClock

MAX_AGE_S = 300
"""A signature older or newer than this is stale."""

FIELDS = ("kind", "channel", "account_id", "to", "in_reply_to", "text", "idempotency_key", "sent_at")


@dataclass(slots=True)
class Delivery:
    """One accepted message, as it came over the wire, and the id that it was given."""

    id: str
    body: bytes
    attempt: int = 1

    def row(self) -> dict[str, Any]:
        """Return it as the control interface shows it."""
        message = json.loads(self.body)
        return {**{name: message.get(name) for name in FIELDS}, "attempt": self.attempt}


@dataclass
class FarEnd:
    """A platform that the bots write to.

    Attributes:
        secret: what requests are signed with.
        clock: tells whether a signature is stale; the stack's own clock.
        read_back: whether it can be asked for a message.
        idempotent: whether it knows a repeated idempotency key.
    """

    secret: str
    clock: Clock = field(default_factory=SystemClock)
    read_back: bool = True
    idempotent: bool = True
    _deliveries: list[Delivery] = field(default_factory=list)
    _by_key: dict[str, Delivery] = field(default_factory=dict)
    _ids: count[int] = field(default_factory=lambda: count(1))

    @property
    def routes(self) -> list[Route]:
        """The routes: it answers at any path, whatever the channel's address names."""
        return [
            Route("/{path:path}", self._send, methods=["POST"]),
            Route("/{path:path}", self._find, methods=["GET"]),
        ]

    @property
    def app(self) -> Starlette:
        """The ASGI application."""
        return Starlette(routes=self.routes)

    def configure(self, *, read_back: bool | None = None, idempotent: bool | None = None) -> None:
        """Set what the far end can do; None leaves it as it is."""
        self.read_back = self.read_back if read_back is None else read_back
        self.idempotent = self.idempotent if idempotent is None else idempotent

    def deliveries(self, kind: str | None = None) -> list[dict[str, Any]]:
        """Return what was accepted, in order, of one kind or all."""
        rows = [delivery.row() for delivery in self._deliveries]
        return [row for row in rows if kind in (None, row["kind"])]

    def clear(self) -> None:
        """Forget what the list shows; idempotency keys stay known, as they do on a platform."""
        self._deliveries.clear()

    def state(self) -> dict[str, Any]:
        """Return what is to be kept between runs."""
        known = {**{one.id: one for one in self._by_key.values()}, **{one.id: one for one in self._deliveries}}
        return {
            "known": [[one.id, one.body.decode(), one.attempt] for one in known.values()],
            "shown": [one.id for one in self._deliveries],
            "by_key": {key: one.id for key, one in self._by_key.items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take up what an earlier run has kept."""
        known = {name: Delivery(name, body.encode(), attempt) for name, body, attempt in state["known"]}
        self._deliveries = [known[name] for name in state["shown"]]
        self._by_key = {key: known[name] for key, name in state["by_key"].items()}
        self._ids = count(1 + max((int(name.removeprefix("far-")) for name in known), default=0))

    async def _send(self, request: Request) -> Response:
        body = await request.body()
        if refused := self._refuse(request, body):
            return refused
        try:
            message = json.loads(body)
            missing = [name for name in FIELDS if name not in message]
        except (ValueError, TypeError):
            return _json(400, {"error": "the body is not a JSON object", "error_class": "policy"})
        if missing:
            return _json(400, {"error": f"missing: {', '.join(missing)}", "error_class": "policy"})
        if message["idempotency_key"] != unquote(request.headers.get("idempotency-key", "")):
            return _json(400, {"error": "Idempotency-Key is not the body's", "error_class": "policy"})
        return _json(200, {"id": self._accept(message["idempotency_key"], body).id})

    def _accept(self, key: str, body: bytes) -> Delivery:
        known = self._by_key.get(key)
        if known is not None and self.idempotent:
            known.attempt += 1
            return known
        delivery = Delivery(f"far-{next(self._ids):08d}", body)
        self._deliveries.append(delivery)
        self._by_key.setdefault(key, delivery)
        return delivery

    async def _find(self, request: Request) -> Response:
        query = request.scope["query_string"]
        if refused := self._refuse(request, query):
            return refused
        if not self.read_back:
            return _json(501, {"error": "this far end cannot be asked"})
        key = parse_qs(query.decode("ascii")).get("idempotency_key", [""])[0]
        found = self._by_key.get(key)
        return _json(200, {"found": found is not None, "id": found.id if found else ""})

    def _refuse(self, request: Request, signed: bytes) -> Response | None:
        stamp = request.headers.get("x-onthoud-timestamp", "")
        if not stamp.isdecimal() or abs(self._now_s() - int(stamp)) > MAX_AGE_S:
            return _json(401, {"error": "stale or missing timestamp"})
        wanted = hmac.new(self.secret.encode(), f"{stamp}.".encode() + signed, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(f"v1={wanted}", request.headers.get("x-onthoud-signature", "")):
            return _json(401, {"error": "wrong signature"})
        return None

    def _now_s(self) -> float:
        return self.clock.now().timestamp()


def _json(status: int, value: Any) -> Response:
    return Response(json.dumps(value, separators=(",", ":")), status, media_type="application/json")
