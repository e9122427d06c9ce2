"""The daily brief's sources: mail in a bucket, a calendar feed and a task list over loopback, and how they fail."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.local import calls
from infra.local.engine import Engine
from infra.local.errors import Malformed, Unknown

NAMES: Final = ("mail", "calendar", "tasks")
FAILURES: Final = ("timeout", "500", "partial", "empty")

_NO_EVENTS = b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Onthoud//local stack//EN\r\nEND:VCALENDAR\r\n"
_NO_TASKS = b'{"tasks": []}'
_EMPTY = {"calendar": _NO_EVENTS, "tasks": _NO_TASKS}
_TYPES = {"calendar": "text/calendar; charset=utf-8", "tasks": "application/json"}


class Sources:
    """What the sources hold, and how each of them fails at the moment."""

    def __init__(self, engine: Engine, mail_bucket: str | None) -> None:
        self._engine = engine
        self._bucket = mail_bucket
        self._fails: dict[str, str] = {}
        self._content = dict(_EMPTY)
        self._mail_keys: list[str] = []

    @property
    def app(self) -> Starlette:
        """The feeds as an ASGI application."""
        return Starlette(routes=[Route("/{name}", self._feed, methods=["GET"])])

    async def put(self, name: str, body: bytes) -> None:
        """Let a source hold something from now on, or fail.

        Raises:
            Unknown: no such source.
            Malformed: the body is wrong.
        """
        if name not in NAMES:
            raise Unknown("source", name, NAMES)
        parsed = _parsed(body)
        if isinstance(parsed, dict) and "fails" in parsed:
            if parsed["fails"] not in FAILURES:
                raise Malformed(f"fails is one of {', '.join(FAILURES)}, not {parsed['fails']!r}")
            self._fails[name] = parsed["fails"]
            return
        if name == "mail":
            await self._put_mail(parsed)
        elif name == "calendar":
            self._content[name] = _calendar(body)
        else:
            self._content[name] = _tasks(parsed)
        self._fails.pop(name, None)

    async def _put_mail(self, parsed: Any) -> None:
        if self._bucket is None:
            raise Malformed("the template has no MailBucket")
        messages = [_raw(entry) for entry in _list(parsed, "messages")]
        for key in self._mail_keys:
            await self._engine.call_s3("DELETE", f"/{self._bucket}/{key}")
        self._mail_keys = [f"message-{position:05d}" for position in range(1, len(messages) + 1)]
        for key, message in zip(self._mail_keys, messages, strict=True):
            await self._engine.call_s3("PUT", f"/{self._bucket}/{key}", message, {"content-type": "message/rfc822"})

    async def _feed(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._content:
            return Response(f"no feed {name}", 404)
        content, fails = self._content[name], self._fails.get(name)
        if fails == "timeout":
            while not await request.is_disconnected():
                await request.receive()
        if fails == "500":
            return Response("the source fails as it was asked to", 500)
        if fails == "empty":
            content = _EMPTY[name]
        elif fails == "partial":
            content = content[: len(content) // 2]
        return Response(content, media_type=_TYPES[name])

    def state(self) -> dict[str, Any]:
        """Return what is to be kept between runs; the mail itself lies in its bucket."""
        content = {name: body.decode("utf-8", "surrogateescape") for name, body in self._content.items()}
        return {"content": content, "mail_keys": self._mail_keys, "fails": self._fails}

    def restore(self, state: dict[str, Any]) -> None:
        """Take up what an earlier run has kept."""
        self._content = {name: text.encode("utf-8", "surrogateescape") for name, text in state["content"].items()}
        self._mail_keys, self._fails = state["mail_keys"], state["fails"]

    def interrupt(self, scope: Any) -> Callable[[Any, Any], Awaitable[None]] | None:
        """Return what answers a call to the mail bucket in S3's place, while mail fails."""
        fails = self._fails.get("mail")
        if fails is None or self._bucket is None:
            return None
        bucket, _, key = scope["path"].strip("/").partition("/")
        if bucket != self._bucket:
            return None
        if fails == "timeout":
            return _hold
        if fails == "500" or (fails == "partial" and key in self._mail_keys[len(self._mail_keys) // 2 :]):
            return _fail
        return self._list_nothing if fails == "empty" and not key else None

    async def _list_nothing(self, receive: Any, send: Any) -> None:
        del receive
        body = (
            '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>{self._bucket}</Name><KeyCount>0</KeyCount><MaxKeys>1000</MaxKeys>"
            "<IsTruncated>false</IsTruncated></ListBucketResult>"
        ).encode()
        await _answer(send, 200, body)


async def _hold(receive: Any, send: Any) -> None:
    del send
    while (await receive())["type"] != "http.disconnect":
        pass


async def _fail(receive: Any, send: Any) -> None:
    del receive
    status, _, body = calls.failure(calls.Call("s3", "", calls.ENGINE), throttled=False)
    await _answer(send, status, body)


async def _answer(send: Any, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/xml"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _list(parsed: Any, name: str) -> list[Any]:
    entries = parsed.get(name) if isinstance(parsed, dict) else None
    if not isinstance(entries, list):
        raise Malformed(f"the body is JSON with a list {name}, or with fails")
    return entries


def _raw(entry: Any) -> bytes:
    if isinstance(entry, str):
        return entry.encode("utf-8", "surrogateescape")
    if isinstance(entry, dict) and isinstance(entry.get("base64"), str):
        try:
            return base64.b64decode(entry["base64"], validate=True)
        except (binascii.Error, ValueError) as error:
            raise Malformed(f"a message is not base64: {error}") from error
    raise Malformed('a message is a text or {"base64": "..."}')


def _calendar(body: bytes) -> bytes:
    if not body.strip():
        raise Malformed("a calendar is a text/calendar body, or JSON with fails")
    return body


def _tasks(parsed: Any) -> bytes:
    tasks = _list(parsed, "tasks")
    for task in tasks:
        if not isinstance(task, dict) or not task.get("id"):
            raise Malformed("a task is an object with an id")
    return json.dumps({"tasks": tasks}, ensure_ascii=False).encode()
