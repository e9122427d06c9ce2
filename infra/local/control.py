"""The control interface: everything that can be set and read over HTTP. Its shapes are a contract."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine, Iterable
from datetime import timedelta
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from infra.local import faults
from infra.local.control_library import Library
from infra.local.errors import Busy, Malformed, Unknown
from infra.local.requests import OK, answering, flag, json_object, moment, number
from infra.local.stack import Stack
from onthoud.clock import iso
from onthoud.events.envelope import group_of

_DRAIN_S = 60.0
_MAX_ENTRY_BYTES = 1024 * 1024
"""EventBridge: the most that one entry of PutEvents may hold (its limit since 2026; 256 KB before)."""


class Control:
    """Answers the control interface."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack

    @property
    def app(self) -> Starlette:
        """The ASGI application."""
        library = Library(self._stack)
        routes = [
            ("GET", "/local/health", self._health),
            ("POST", "/local/queues/{name}", self._send),
            ("POST", "/local/events", self._put_event),
            ("POST", "/local/schedules/{name}", self._run_schedule),
            ("GET", "/local/clock", self._now),
            ("POST", "/local/clock", self._move),
            ("POST", "/local/drain", self._drain),
            ("GET", "/local/deliveries", self._deliveries),
            ("DELETE", "/local/deliveries", self._forget_deliveries),
            ("PUT", "/local/channel", self._set_channel),
            ("GET", "/local/model/calls", self._model_calls),
            ("DELETE", "/local/model/calls", self._forget_model_calls),
            ("PUT", "/local/model/script", self._set_script),
            ("PUT", "/local/sources/{name}", self._put_source),
            ("PUT", "/local/knowledge/{path:path}", self._put_document),
            ("DELETE", "/local/knowledge/{path:path}", self._delete_document),
            ("PUT", "/local/faults", self._set_faults),
            ("GET", "/local/table", self._table),
            ("GET", "/local/logs", self._logs),
            *library.routes,
        ]
        not_found = _not_found(f"{method} {path}" for method, path, _ in routes)
        return Starlette(
            routes=[Route(path, answering(endpoint), methods=[method]) for method, path, endpoint in routes],
            exception_handlers={404: not_found, 405: not_found},
        )

    async def _health(self, _: Request) -> Any:
        stack = self._stack
        return {
            "ready": True,
            "functions": sorted(stack.functions),
            "queues": sorted(stack.open_queues),
            "schedules": stack.schedules.names,
            "now": iso(stack.clock.now()),
        }

    # Producers

    async def _send(self, request: Request) -> Any:
        name, queues = request.path_params["name"], self._stack.open_queues
        if name not in queues:
            raise Unknown("queue", name, queues)
        try:
            body = (await request.body()).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Malformed(f"InvalidMessageContents: a message is UTF-8 text: {error.reason}") from error
        message_id = await self._stack.queues.send(
            queues[name],
            body,
            group=request.headers.get("x-message-group-id") or group_of(body),
            deduplication=request.headers.get("x-message-deduplication-id"),
        )
        self._stack.woken.set()
        return {"message_id": message_id}

    async def _put_event(self, request: Request) -> Any:
        event = await json_object(request)
        source = event.get("source", event.get("Source"))
        kind = event.get("detail-type", event.get("DetailType"))
        detail = event.get("detail", event.get("Detail"))
        for name, value in (("source", source), ("detail-type", kind)):
            if not isinstance(value, str) or not value:
                raise Malformed(f"an event has a {name}, a text")
        if isinstance(detail, str):
            detail = _object_of(detail)
        if not isinstance(detail, dict):
            raise Malformed("MalformedDetail: an event's detail is a JSON object")
        entry = {
            "Source": source,
            "DetailType": kind,
            "Detail": _text_of(detail),
            "Resources": event.get("resources", []),
            "EventBusName": self._stack.bus,
        }
        if sum(len(str(value).encode()) for value in entry.values()) > _MAX_ENTRY_BYTES:
            raise Malformed("the event is larger than EventBridge takes")
        answer = await self._stack.engine.call("eventbridge", "PutEvents", {"Entries": [entry]})
        result = answer["Entries"][0]
        if answer["FailedEntryCount"]:
            raise Malformed(f"{result['ErrorCode']}: {result['ErrorMessage']}")
        self._stack.woken.set()
        return {"ok": True, "event_id": result["EventId"]}

    # Time

    async def _run_schedule(self, request: Request) -> Any:
        schedule = self._stack.schedules.get(request.path_params["name"])
        given = await json_object(request)
        event = given or schedule.event(self._stack.clock.now())
        outcome = await self._stack.asynchronous.invoke(schedule.function, event, schedule.name)
        return {
            "invocation_id": outcome.invocation_id,
            "status": "succeeded" if outcome.error is None else "failed",
            "error": outcome.error,
        }

    async def _now(self, _: Request) -> Any:
        return {"now": iso(self._stack.clock.now())}

    async def _move(self, request: Request) -> Any:
        body, clock = await json_object(request), self._stack.clock
        if self._stack.runner.is_draining:
            raise Busy("a drain runs: the clock is its")
        if ("now" in body) == ("advance_s" in body):
            raise Malformed("the body holds now, or advance_s")
        now = clock.now()
        try:
            target = (
                moment(body["now"], "now")
                if "now" in body
                else now + timedelta(seconds=number(body["advance_s"], "advance_s"))
            )
        except OverflowError as error:
            raise Malformed("the clock cannot go that far") from error
        if target < now:
            raise Malformed(f"the clock does not go back: it is {iso(now)}")
        sweep = flag(body.get("sweep_expired", True), "sweep_expired")
        await self._stack.move_to(target, sweep=sweep)
        return {"now": iso(clock.now())}

    async def _drain(self, request: Request) -> Any:
        body = await json_object(request)
        return await self._stack.drain(number(body.get("timeout_s", _DRAIN_S), "timeout_s"))

    # The far ends

    async def _deliveries(self, request: Request) -> Any:
        return self._stack.far_end.deliveries(request.query_params.get("kind"))

    async def _forget_deliveries(self, _: Request) -> Any:
        self._stack.far_end.clear()
        return OK

    async def _set_channel(self, request: Request) -> Any:
        body = await json_object(request)
        chosen = {name: flag(body[name], name) for name in ("read_back", "idempotent") if name in body}
        self._stack.far_end.configure(**chosen)
        await self._stack.set_environment(
            {f"ONTHOUD_CHANNEL_{name.upper()}": str(value).lower() for name, value in chosen.items()}
        )
        return OK

    async def _model_calls(self, _: Request) -> Any:
        return self._stack.model.calls.list()

    async def _forget_model_calls(self, _: Request) -> Any:
        self._stack.model.calls.clear()
        return OK

    async def _set_script(self, request: Request) -> Any:
        body = await json_object(request)
        if "responses" not in body:
            raise Malformed("the body holds responses, a list")
        self._stack.model.script.replace(body["responses"], body.get("then"))
        return OK

    async def _put_source(self, request: Request) -> Any:
        await self._stack.sources.put(request.path_params["name"], await request.body())
        return OK

    async def _put_document(self, request: Request) -> Any:
        kind = request.headers.get("content-type", "application/octet-stream")
        await self._stack.documents.put(request.path_params["path"], await request.body(), kind)
        return OK

    async def _delete_document(self, request: Request) -> Any:
        await self._stack.documents.delete(request.path_params["path"])
        return OK

    async def _set_faults(self, request: Request) -> Any:
        entries = (await json_object(request)).get("faults")
        if not isinstance(entries, list):
            raise Malformed("the body holds faults, a list")
        self._stack.faults.replace([faults.parse(entry) for entry in entries])
        return OK

    # Looking

    async def _table(self, _: Request) -> Any:
        return await self._stack.expiry.visible()

    async def _logs(self, _: Request) -> Any:
        return list(self._stack.lines)


def _text_of(detail: dict[str, Any]) -> str:
    """Return the detail as JSON, counted in its own letters; half a character, which has no bytes, stays an escape."""
    return re.sub("[\ud800-\udfff]", lambda half: json.dumps(half[0])[1:-1], json.dumps(detail, ensure_ascii=False))


def _object_of(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _not_found(known: Iterable[str]) -> Callable[[Request, Exception], Coroutine[Any, Any, Response]]:
    calls = ", ".join(sorted(known))

    async def answer(request: Request, _: Exception) -> Response:
        return JSONResponse({"error": f"no {request.method} {request.url.path}; known: {calls}"}, 404)

    return answer
