"""The engine: MiniStack's ASGI application, in this process, without its background jobs.

MiniStack is MIT-licensed, pinned to one release, and used in three ways: workers reach it by real sockets through the
gateway; the stack calls its services' request handlers directly; and two places look inside, `queues.py` since SQS has
no call that reads without receiving, and this module to keep its memory flat and its state on disk. Its own Lambda,
event source mappings and schedulers are not used.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias
from urllib.parse import urlencode

from infra.local.template import ACCOUNT, REGION

Asgi: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]
Handler: TypeAlias = Callable[..., Awaitable[tuple[int, Mapping[str, str], bytes]]]

_TRANSACTIONS_KEPT = 200
_TARGETS = {"dynamodb": "DynamoDB_20120810", "sqs": "AmazonSQS", "eventbridge": "AWSEvents", "ssm": "AmazonSSM"}


class EngineError(Exception):
    """The engine refused a call: its error code and its message."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


def _leave_out(name: str) -> None:
    """Put an empty module in its place: SNS imports MiniStack's Lambda, which nobody uses, and Docker with it."""
    sys.modules.setdefault(name, ModuleType(name))


class Engine:
    """Calls the engine's services in this process."""

    def __init__(self, data: Path | None = None) -> None:
        """Load the engine; `data` is the directory in which it keeps its state."""
        self._data = data
        os.environ.update(
            {
                "MINISTACK_REGION": REGION,
                "MINISTACK_ACCOUNT_ID": ACCOUNT,
                "MINISTACK_TEST_NO_AUTOSTART": "1",
                "LOG_LEVEL": "ERROR",
                "PERSIST_STATE": "1" if data else "0",
                "STATE_DIR": str(data / "engine") if data else "",
            }
        )
        root = logging.getLogger()
        if not root.handlers:
            root.addHandler(logging.NullHandler())  # else MiniStack configures the root logger at import
        _leave_out("ministack.services.lambda_svc")
        self._application = importlib.import_module("ministack.app")
        for name in ("ministack", "sqs", "dynamodb", "eventbridge", "sns", "s3", "ssm", "persistence"):
            logging.getLogger(name).setLevel(logging.CRITICAL if name == "persistence" else logging.ERROR)
        self._handlers: dict[str, Handler] = {}

    @property
    def asgi(self) -> Asgi:
        """The engine as workers meet it."""
        application: Asgi = self._application.app
        return application

    def _handler(self, service: str) -> Handler:
        if service not in self._handlers:
            self._handlers[service] = importlib.import_module(f"ministack.services.{service}").handle_request
        return self._handlers[service]

    async def call(self, service: str, action: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Do one call of a service that speaks JSON.

        Raises:
            EngineError: the engine refused it.
        """
        headers = {"x-amz-target": f"{_TARGETS[service]}.{action}", "content-type": "application/x-amz-json-1.0"}
        body = json.dumps(request).encode()
        status, _, answer = await self._handler(service)("POST", "/", headers, body, {})
        parsed: dict[str, Any] = json.loads(answer) if answer else {}
        if status >= 400:
            code = str(parsed.get("__type", status)).split("#")[-1]
            raise EngineError(code, str(parsed.get("message") or parsed.get("Message") or ""))
        return parsed

    async def call_query(self, service: str, action: str, request: Mapping[str, str]) -> str:
        """Do one call of a service that speaks forms and XML (SNS); return the XML."""
        body = urlencode({"Action": action, **request}).encode()
        headers = {"content-type": "application/x-www-form-urlencoded"}
        status, _, answer = await self._handler(service)("POST", "/", headers, body, {})
        if status >= 400:
            raise EngineError(str(status), answer.decode(errors="replace"))
        return answer.decode()

    async def call_s3(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, list[str]] | None = None,
    ) -> bytes:
        """Do one call of S3; `path` is `/bucket/key`."""
        sent = {"host": "s3.local", "content-length": str(len(body)), **(headers or {})}
        status, _, answer = await self._handler("s3")(method, path, sent, body, dict(query or {}))
        if status >= 400:
            raise EngineError(str(status), bytes(answer).decode(errors="replace"))
        return bytes(answer)

    def load(self) -> bool:
        """Take up the state that an earlier run has kept; tell whether there was any."""
        if self._data is None or not (self._data / "engine" / "sqs.json").exists():
            return False
        self._application._load_persisted_state()
        return True

    def trim(self) -> None:
        """Keep MiniStack's memory flat under load.

        It keeps every transaction whole for ten minutes, to recognise a repeated ClientRequestToken (47 KB each; here
        it recognises the newest ones), and every event that was ever put on a bus, which nobody reads.
        """
        transactions = importlib.import_module("ministack.services.dynamodb")._txn_idempotency._data
        while len(transactions) > _TRANSACTIONS_KEPT:
            del transactions[next(iter(transactions))]
        importlib.import_module("ministack.services.eventbridge")._events_log_list().clear()

    def save(self) -> None:
        """Keep the state for the next run."""
        if self._data is not None:
            save_all = importlib.import_module("ministack.core.persistence").save_all
            save_all(self._application._build_persistence_save_dict())
