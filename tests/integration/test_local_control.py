"""The rest of the control interface: health, sources, knowledge, environment, start and end, kept state."""

from __future__ import annotations

import base64
import contextlib
import http.client
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.local.harness import LocalStack, Refused, start_stack
from onthoud.clock import from_iso
from tests.integration.local_probe import PROBES, notes, probes, tags

pytestmark = pytest.mark.stack


@pytest.fixture(scope="module")
def stack() -> Iterator[LocalStack]:
    with probes({"Extra": "yes", "Greeting": "hoi"}) as running:
        yield running


def result(stack: LocalStack, tag: str, **command: Any) -> Any:
    stack.send("loose", {"tag": tag, **command})
    stack.drain()
    return notes(stack, tag)[-1]["result"]


def test_health_names_what_there_is(stack: LocalStack) -> None:
    health = stack.call("GET", "/local/health")
    assert health["ready"] is True
    assert health["functions"] == ["hasty", "loose", "night", "ordered"]
    assert health["queues"] == ["hasty", "knowledge", "loose", "ordered"]
    assert health["schedules"] == ["beat", "broken", "night"]
    assert from_iso(health["now"]) <= from_iso(stack.now)


@pytest.mark.parametrize(
    ("method", "path", "known"),
    [
        ("POST", "/local/queues/none", "known: hasty, knowledge, loose, ordered"),
        ("POST", "/local/queues/ordered-dead-letters", "known: hasty, knowledge, loose, ordered"),
        ("POST", "/local/schedules/none", "known: beat, broken, night"),
        ("PUT", "/local/sources/none", "known: calendar, mail, tasks"),
        ("GET", "/local/none", "no GET /local/none"),
        ("PATCH", "/local/health", "no PATCH /local/health"),
    ],
)
def test_unknown_names_get_404_with_the_known_ones(stack: LocalStack, method: str, path: str, known: str) -> None:
    with pytest.raises(Refused, match=known) as refused:
        stack.call(method, path, {})
    assert refused.value.status == 404


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/local/drain", {"timeout_s": -1}),
        ("POST", "/local/drain", {"timeout_s": "long"}),
        ("POST", "/local/drain", [1]),
        ("POST", "/local/cli", {}),
        ("POST", "/local/cli", {"args": [1]}),
        ("PUT", "/local/channel", {"read_back": "yes"}),
        ("PUT", "/local/model/script", {}),
        ("PUT", "/local/model/script", {"responses": [{"nothing": 1}]}),
        ("PUT", "/local/sources/mail", {"messages": [1]}),
        ("PUT", "/local/sources/mail", {"messages": [{"base64": "!"}]}),
        ("PUT", "/local/sources/mail", {}),
        ("PUT", "/local/sources/tasks", {"tasks": [{"title": "no id"}]}),
        ("PUT", "/local/sources/tasks", {"fails": "sometimes"}),
        ("PUT", "/local/faults", "text"),
        ("GET", "/local/memory/only/two", None),
        ("GET", "/local/memory/one/too/many/parts", None),
    ],
)
def test_malformed_requests_get_400_with_what_is_wrong(stack: LocalStack, method: str, path: str, body: Any) -> None:
    with pytest.raises(Refused, match=r"\w") as refused:
        stack.call(method, path, body)
    assert refused.value.status == 400


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/local/channel", {"read_back": False, "idempotent": False, "unknown": 1}),
        ("PUT", "/local/model/script", {"responses": [], "then": "rehearse"}),
        ("PUT", "/local/faults", {"faults": []}),
        ("PUT", "/local/sources/tasks", {"tasks": []}),
        ("DELETE", "/local/deliveries", None),
        ("DELETE", "/local/model/calls", None),
    ],
)
def test_what_is_set_is_acknowledged(stack: LocalStack, method: str, path: str, body: Any) -> None:
    assert stack.call(method, path, body) == {"ok": True}


def test_a_body_that_is_no_json_gets_400(stack: LocalStack) -> None:
    with pytest.raises(Refused, match="not JSON") as refused:
        stack.call("POST", "/local/drain", raw=b"{")
    assert refused.value.status == 400


def test_a_worker_sees_its_own_environment_only(stack: LocalStack) -> None:
    seen = result(stack, "env", do="environment")
    environment = seen["environment"]
    assert environment["GREETING"] == "hoi, eu-west-1"
    assert environment["MAIL_BUCKET"] == "onthoud-local-mailbucket"
    assert environment["ORDERED_QUEUE_URL"].endswith("/111122223333/onthoud-local-OrderedQueue.fifo")
    assert environment["AWS_LAMBDA_FUNCTION_NAME"] == "onthoud-local-LooseFunction"
    assert environment["AWS_ENDPOINT_URL"].startswith("http://127.0.0.1:")
    assert "DEAD_LETTERS_URL" not in environment
    assert "PYTEST_CURRENT_TEST" not in environment
    assert Path(environment["HOME"]) == Path(seen["cwd"])
    assert str(Path(__file__).parents[2] / "infra" / "local") not in seen["path"]


def test_setting_the_channel_changes_the_functions_environment(stack: LocalStack) -> None:
    stack.channel(read_back=False, idempotent=True)
    environment = result(stack, "channel", do="environment")["environment"]
    assert (environment["ONTHOUD_CHANNEL_READ_BACK"], environment["ONTHOUD_CHANNEL_IDEMPOTENT"]) == ("false", "true")


def test_what_functions_print_and_their_invocations_can_be_read(stack: LocalStack) -> None:
    result(stack, "said", do="print")
    assert 'loose {"printed": "said"}' in stack.lines()
    assert "loose loose 1" in stack.log


def test_mail_lies_in_its_bucket_as_it_was_put(stack: LocalStack) -> None:
    raw = b"Subject: =?utf-8?q?x?=\r\n\r\n\xe9"
    stack.source("mail", {"messages": ["Subject: a\r\n\r\nHello", {"base64": base64.b64encode(raw[:-1]).decode()}]})
    assert result(stack, "mail", do="mail") == {
        "message-00001": "Subject: a\r\n\r\nHello",
        "message-00002": raw[:-1].decode(),
    }
    stack.source("mail", {"messages": []})
    assert result(stack, "mail", do="mail") == {}


@pytest.mark.parametrize(
    ("fails", "seen"),
    [
        ("500", {"error": "ClientError"}),
        ("timeout", {"error": "ReadTimeoutError"}),
        ("empty", {}),
        ("partial", {"message-00001": "one", "message-00002": "ClientError"}),
    ],
)
def test_mail_fails_as_asked_until_new_content_comes(stack: LocalStack, fails: str, seen: Any) -> None:
    stack.source("mail", {"messages": ["one", "two"]})
    stack.source("mail", {"fails": fails})
    assert result(stack, f"mail-{fails}", do="mail") == seen
    stack.source("mail", {"messages": ["three"]})
    assert result(stack, f"mail-{fails}", do="mail") == {"message-00001": "three"}


CALENDAR = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"


@pytest.mark.parametrize(
    ("name", "content", "fails", "seen"),
    [
        ("calendar", CALENDAR, None, {"status": 200, "body": CALENDAR}),
        ("calendar", CALENDAR, "500", {"error": "HTTPError 500"}),
        ("calendar", CALENDAR, "timeout", {"error": "TimeoutError"}),
        ("calendar", CALENDAR, "partial", {"status": 200, "body": CALENDAR[: len(CALENDAR) // 2]}),
        ("tasks", {"tasks": [{"id": "t"}]}, None, {"status": 200, "body": '{"tasks": [{"id": "t"}]}'}),
        ("tasks", {"tasks": [{"id": "t"}]}, "empty", {"status": 200, "body": '{"tasks": []}'}),
    ],
)
def test_feeds_are_served_and_fail_as_asked(
    stack: LocalStack, name: str, content: Any, fails: str | None, seen: Any
) -> None:
    stack.source(name, content)
    if fails:
        stack.source(name, {"fails": fails})
    assert result(stack, f"feed-{name}", do="fetch", path=f"/_sources/{name}") == seen


def test_an_empty_calendar_is_a_whole_one_without_events(stack: LocalStack) -> None:
    stack.source("calendar", CALENDAR)
    stack.source("calendar", {"fails": "empty"})
    body = result(stack, "feed-empty", do="fetch", path="/_sources/calendar")["body"]
    assert body.startswith("BEGIN:VCALENDAR")
    assert "VEVENT" not in body
    assert body.endswith("END:VCALENDAR\r\n")


def test_documents_come_and_go_with_s3s_notifications(stack: LocalStack) -> None:
    assert stack.drain()["messages"] == 0, "no test event is left over"
    stack.put_document("rules/Überall no 1.md", b"# Rules")
    stack.delete_document("rules/Überall no 1.md")
    assert stack.drain()["messages"] == 2
    events = [one["command"]["Records"][0] for one in notes(stack, "note") if "Records" in one["command"]]
    assert [event["eventName"] for event in events] == ["ObjectCreated:Put", "ObjectRemoved:Delete"]
    assert {event["s3"]["object"]["key"] for event in events} == {"rules/%C3%9Cberall+no+1.md"}


def test_the_environment_for_the_operators_programs_is_given(stack: LocalStack) -> None:
    environment = stack.call("GET", "/local/environment")["environment"]
    assert environment["ONTHOUD_TABLE"] == "onthoud-local-MemoryTable"


def test_the_command_line_runs_against_the_stack(stack: LocalStack) -> None:
    answer = stack.cli("--help")
    assert (answer["exit_code"], answer["stderr"]) == (0, "")
    assert "local" in answer["stdout"]
    wrong = stack.cli("no-such-command")
    assert wrong["exit_code"] == 2
    assert "no-such-command" in wrong["stderr"]


@pytest.mark.parametrize("command", ["local", "demo"])
def test_a_command_that_starts_a_stack_of_its_own_is_refused(stack: LocalStack, command: str) -> None:
    answer = stack.cli(command, "--help")
    assert answer["exit_code"] == 2
    assert "at a terminal" in answer["stderr"]


def test_invocations_run_one_at_a_time_in_order_of_arrival_while_a_script_is_set() -> None:
    with probes({"BatchSize": "1"}) as stack:
        stack.script({"text": "never asked for"})
        order = ["ordered", "loose", "loose", "ordered", "loose", "ordered", "ordered"]
        for n, queue in enumerate(order):
            stack.send(queue, {"do": "note", "tag": f"n-{n}"})
        stack.drain()
        assert tags(stack, "n-") == [f"n-{n}" for n in range(len(order))]


def test_the_state_outlives_the_process(tmp_path: Path) -> None:
    with probes(data=tmp_path / "state") as stack:
        stack.send("ordered", {"do": "fail", "tag": "dead"})
        stack.drain()
        stack.send("ordered", {"do": "note", "tag": "later"})
        stack.advance(10 * 86_400)
        before = from_iso(stack.now)
    with probes(data=tmp_path / "state") as stack:
        assert from_iso(stack.now) >= before
        assert [one["reason"] for one in stack.dead_letters()] == ["receive count exceeded"]
        stack.drain()
        assert "later" in tags(stack)
        assert tags(stack).count("night") in (9, 10, 11)


def test_auto_works_messages_off_as_they_come() -> None:
    with probes(None, "--auto") as stack:
        stack.send("ordered", {"do": "note", "tag": "by-itself"})
        for _ in range(100):
            if tags(stack, "by-itself"):
                return
            time.sleep(0.1)
        raise AssertionError(stack.log)


def test_watch_starts_functions_anew_when_their_code_changes(tmp_path: Path) -> None:
    functions = tmp_path / "functions"
    shutil.copytree(PROBES / "functions", functions, ignore=shutil.ignore_patterns("__pycache__"))
    arguments = ["--template", str(PROBES / "template.yaml"), "--functions", str(functions), "--watch"]
    with start_stack(arguments=arguments) as stack:
        stack.send("ordered", {"do": "note", "tag": "before"})
        stack.drain()
        code = functions / "probe" / "app.py"
        code.write_text(code.read_text().replace('"tag": {"S": tag}', '"tag": {"S": tag + "-changed"}'))
        for _ in range(100):
            stack.send("ordered", {"do": "note", "tag": "after"})
            stack.drain()
            if "after-changed" in tags(stack):
                assert "the functions start anew" in stack.log
                return
            time.sleep(0.1)
        raise AssertionError(stack.log)


def _start(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "infra.local", *arguments]
    root = Path(__file__).parents[2]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, cwd=root, check=False, env={**os.environ}
    )


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("Window=5", "no parameter 'Window'; known: .*WindowTurns"),
        ("WindowTurns=many", "must be a number"),
        ("WindowTurns=0", "must lie between"),
        ("Mode=loud", "must be one of off, shadow, draft, auto"),
        ("WindowTurns", "not NAME=VALUE"),
    ],
)
def test_a_wrong_parameter_is_said_clearly(setting: str, said: str) -> None:
    done = _start("--port", "0", "--parameter", setting)
    assert done.returncode == 2
    assert re.search(said, " ".join(done.stderr.replace("│", " ").split())), done.stderr
    assert "Traceback" not in done.stderr


def test_a_taken_port_is_said_clearly(stack: LocalStack) -> None:
    done = _start("--port", str(stack.port))
    assert done.returncode == 1
    assert f"port {stack.port}" in done.stderr
    assert "Traceback" not in done.stderr


def test_sigterm_ends_it_within_five_seconds_whatever_runs() -> None:
    with probes() as stack:
        stack.send("ordered", {"do": "sleep", "tag": "long", "s": 15})
        thread = threading.Thread(target=_drain_quietly, args=(stack,))
        thread.start()
        other = LocalStack(stack.port)
        while not tags(other, "long"):
            time.sleep(0.05)
        other.close()
        assert stack.process is not None
        began = time.monotonic()
        stack.process.terminate()
        assert stack.process.wait(10) == 0
        assert time.monotonic() - began < 5
        thread.join()


def _drain_quietly(stack: LocalStack) -> None:
    with contextlib.suppress(OSError, http.client.HTTPException, Refused, AssertionError):
        stack.drain()
