"""For tests and the demo: a local stack in a process of its own, and a small client of its control interface.

with start_stack(parameters={"WindowTurns": "40"}) as stack:
stack.send("comments", {"schema": "onthoud.comment.v1", ...})
stack.drain()
stack.deliveries()
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

_READY = re.compile(r"ready http://127\.0\.0\.1:(\d+)")
_START_S = 60.0
_STOP_S = 10.0


class Refused(AssertionError):
    """The stack answered with an error; `status` and `message` say which."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


class LocalStack:
    """A client of the control interface of one running stack. Not for several threads at once."""

    def __init__(self, port: int, process: subprocess.Popen[str] | None = None, log: Path | None = None) -> None:
        self.port = port
        self.process = process
        self._log = log
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)

    @property
    def url(self) -> str:
        """The address of the control interface."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What the stack has logged so far: one line per invocation."""
        return self._log.read_text(encoding="utf-8", errors="replace") if self._log else ""

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Do one call and return its parsed answer.

        Raises:
            Refused: the status is 400 or above.
        """
        content = raw if raw is not None else None if body is None else json.dumps(body).encode()
        try:
            self._connection.request(method, path, content, dict(headers or {}))
            answer = self._connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            raise
        try:
            parsed = json.loads(text) if text else None
        except ValueError:
            parsed = text.decode(errors="replace")
        if answer.status >= 400:
            raise Refused(answer.status, str(parsed.get("error", parsed)) if isinstance(parsed, dict) else str(parsed))
        return parsed

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    # Producers

    def send(self, queue: str, body: Any, *, group: str | None = None, deduplication: str | None = None) -> str:
        """Put a message on a queue (a text as it is, anything else as JSON); return its id."""
        text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        headers = {"X-Message-Group-Id": group, "X-Message-Deduplication-Id": deduplication}
        given = {name: value for name, value in headers.items() if value is not None}
        return str(self.call("POST", f"/local/queues/{queue}", raw=text.encode(), headers=given)["message_id"])

    def put_event(self, detail_type: str, detail: Any, source: str = "onthoud.producer") -> Any:
        """Put an event on the bus."""
        event = {"source": source, "detail-type": detail_type, "detail": detail}
        return self.call("POST", "/local/events", event)

    # Time

    def drain(self, timeout_s: float = 120, *, idle: bool = True) -> dict[str, Any]:
        """Work everything off; the answer must be idle unless told otherwise."""
        answer: dict[str, Any] = self.call("POST", "/local/drain", {"timeout_s": timeout_s})
        if idle and not answer["idle"]:
            raise AssertionError(f"not idle after {timeout_s} s: {answer}\n{self.log[-4000:]}")
        return answer

    def run_schedule(self, name: str, given: Any = None) -> dict[str, Any]:
        """Run a schedule's function now."""
        answer: dict[str, Any] = self.call("POST", f"/local/schedules/{name}", given or {})
        return answer

    @property
    def now(self) -> str:
        """The stack's time, ISO 8601."""
        return str(self.call("GET", "/local/clock")["now"])

    def move_to(self, moment: str, *, sweep_expired: bool = True) -> str:
        """Move the clock to an ISO 8601 time."""
        return str(self.call("POST", "/local/clock", {"now": moment, "sweep_expired": sweep_expired})["now"])

    def advance(self, seconds: float, *, sweep_expired: bool = True) -> str:
        """Move the clock on."""
        body = {"advance_s": seconds, "sweep_expired": sweep_expired}
        return str(self.call("POST", "/local/clock", body)["now"])

    # What happened

    def deliveries(self, kind: str | None = None) -> list[dict[str, Any]]:
        """Return what left the system and was accepted."""
        found: list[dict[str, Any]] = self.call("GET", "/local/deliveries" + (f"?kind={kind}" if kind else ""))
        return found

    def decisions(self, event_id: str | None = None) -> list[dict[str, Any]]:
        """Return the decisions about an event, or all."""
        query = f"?event_id={quote(event_id, safe='')}" if event_id else ""
        found: list[dict[str, Any]] = self.call("GET", f"/local/decisions{query}")
        return found

    def memory(self, channel: str, account_id: str, customer: str) -> dict[str, Any]:
        """Return what the bots would read of a customer now."""
        found: dict[str, Any] = self.call("GET", f"/local/memory/{_path(channel, account_id, customer)}")
        return found

    def put_profile(self, channel: str, account_id: str, customer: str, profile: Any) -> None:
        """Store a profile."""
        self.call("PUT", f"/local/profiles/{_path(channel, account_id, customer)}", profile)

    def quarantine(self) -> list[dict[str, Any]]:
        """Return what is in quarantine."""
        found: list[dict[str, Any]] = self.call("GET", "/local/quarantine")
        return found

    def dead_letters(self) -> list[dict[str, Any]]:
        """Return the dead letters."""
        found: list[dict[str, Any]] = self.call("GET", "/local/dead-letters")
        return found

    def table(self) -> list[dict[str, Any]]:
        """Return the raw items of the memory table."""
        found: list[dict[str, Any]] = self.call("GET", "/local/table")
        return found

    def model_calls(self) -> list[dict[str, Any]]:
        """Return what the model was asked."""
        found: list[dict[str, Any]] = self.call("GET", "/local/model/calls")
        return found

    def lines(self) -> list[str]:
        """Return the newest lines that the functions have printed."""
        found: list[str] = self.call("GET", "/local/logs")
        return found

    # What is to happen

    def script(self, *responses: Any) -> None:
        """Set the model's next answers; none ends the script."""
        self.call("PUT", "/local/model/script", {"responses": list(responses), "then": "rehearse"})

    def faults(self, *faults: Mapping[str, Any]) -> None:
        """Set the faults; none ends them."""
        self.call("PUT", "/local/faults", {"faults": list(faults)})

    def channel(self, *, read_back: bool, idempotent: bool) -> None:
        """Set what the far end can do."""
        self.call("PUT", "/local/channel", {"read_back": read_back, "idempotent": idempotent})

    def source(self, name: str, content: Any) -> None:
        """Set what a source holds (a text or bytes as they are, anything else as JSON), or how it fails."""
        raw = content.encode() if isinstance(content, str) else content
        if isinstance(raw, bytes):
            self.call("PUT", f"/local/sources/{name}", raw=raw, headers={"Content-Type": "text/calendar"})
        else:
            self.call("PUT", f"/local/sources/{name}", content)

    def put_document(self, path: str, content: bytes, kind: str = "text/markdown") -> None:
        """Put a document into the knowledge bucket."""
        self.call("PUT", f"/local/knowledge/{quote(path)}", raw=content, headers={"Content-Type": kind})

    def delete_document(self, path: str) -> None:
        """Delete a document."""
        self.call("DELETE", f"/local/knowledge/{quote(path)}")

    def cli(self, *args: str) -> dict[str, Any]:
        """Run the command line against the stack."""
        answer: dict[str, Any] = self.call("POST", "/local/cli", {"args": list(args)})
        return answer


def _path(*parts: str) -> str:
    return "/".join(quote(part, safe="") for part in parts)


@contextlib.contextmanager
def start_stack(
    parameters: Mapping[str, str] | None = None,
    *,
    data: Path | None = None,
    arguments: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> Iterator[LocalStack]:
    """Run `onthoud local` in a process of its own for as long as the context lasts.

    Args:
        parameters: parameters of the template.
        data: a directory that keeps the state.
        arguments: further arguments of the command.
        environment: further environment variables of the stack's process.
    """
    command = [sys.executable, "-m", "infra.local", "--port", "0", *arguments]
    for name, value in (parameters or {}).items():
        command += ["--parameter", f"{name}={value}"]
    if data is not None:
        command += ["--data", str(data)]
    with tempfile.TemporaryDirectory(prefix="onthoud-stack-") as directory:
        log = Path(directory) / "log"
        with log.open("w") as errors:
            process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, **(environment or {})},
                cwd=Path(__file__).resolve().parents[2],
            )
        try:
            stack = LocalStack(_port(process, log), process, log)
            try:
                yield stack
            finally:
                stack.close()
        finally:
            _end(process)


def _port(process: subprocess.Popen[str], log: Path) -> int:
    assert process.stdout is not None  # noqa: S101 - it was asked for
    timer = threading.Timer(_START_S, process.kill)
    timer.start()
    try:
        for line in process.stdout:
            if match := _READY.match(line):
                return int(match.group(1))
    finally:
        timer.cancel()
    raise RuntimeError(f"the local stack did not start:\n{log.read_text(encoding='utf-8')[-4000:]}")


def _end(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
