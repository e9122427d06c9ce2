"""What a reply's memory asks of DynamoDB, beside two other packages on the same engine. Ratios come first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from infra.local.harness import LocalStack, start_stack
from tests.bench.own_turns import COMMENT, ROUNDS
from tests.bench.registry import Figure, benchmark
from tests.bench.seeding import ANSWER, QUESTION, seed

ROOT = Path(__file__).resolve().parents[2]
PEERS = Path(__file__).with_name("peers")
HISTORIES = (10, 100, 1000)
"""Turns that were said before."""
Rows = dict[tuple[str, int], list[dict[str, Any]]]


def environment_of(stack: LocalStack) -> dict[str, str]:
    """Return where a process finds the stack."""
    found: dict[str, str] = stack.call("GET", "/local/environment")["environment"]
    return found


def own_rows(stack: LocalStack, histories: Iterable[int] = HISTORIES) -> list[dict[str, Any]]:
    """Measure Onthoud's replies to customers with histories of these lengths."""
    customers = {}
    for turns in histories:
        customers[str(turns)] = f"history-{turns:05}"
        seed(stack, [customers[str(turns)]], exchanges=turns // 2)
    given = {"environment": environment_of(stack), "customers": customers}
    return _run([sys.executable, "-m", "tests.bench.own_turns", json.dumps(given)], {})


def peer_rows(stack: LocalStack, histories: Iterable[int] = HISTORIES) -> list[dict[str, Any]]:
    """Measure the other packages; their environment is set up from their own lock file first."""
    environment = environment_of(stack)
    given = {
        "histories": list(histories),
        "rounds": ROUNDS,
        "question": QUESTION,
        "answer": ANSWER,
        "asked": COMMENT,
    }
    uv = [str(ROOT / "infra" / "build" / "uv"), "run", "--quiet", "--frozen", "--project", str(PEERS)]
    program = [*uv, "python", str(PEERS / "turns.py"), json.dumps(given)]
    return _run(program, {name: environment[name] for name in environment if name.startswith("AWS_")})


def _run(command: list[str], environment: dict[str, str]) -> list[dict[str, Any]]:
    path = os.pathsep.join(map(str, (ROOT, ROOT / "shared")))
    own = {name: value for name, value in os.environ.items() if name not in {"VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT"}}
    done = subprocess.run(
        command, env={**own, **environment, "PYTHONPATH": path}, cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{done.stdout[-1500:]}\n{done.stderr[-3000:]}")
    rows: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return rows


def _of(rows: list[dict[str, Any]], name: str) -> float:
    return float(median(sum(row["calls"].values()) if name == "calls" else row[name] for row in rows))


def _bytes(rows: list[dict[str, Any]]) -> float:
    return _of(rows, "bytes_sent") + _of(rows, "bytes_received")


def _ratios(turns: int, theirs: list[dict[str, Any]], ours: list[dict[str, Any]]) -> Iterator[Figure]:
    where = f"{theirs[0]['peer']}, {turns:,} turns"
    times = "times Onthoud's"
    yield Figure(f"{where}: calls", _of(theirs, "calls") / _of(ours, "calls"), f"{times} ({theirs[0]['version']})")
    for name in ("read_units", "write_units"):
        yield Figure(f"  {name.replace('_', ' ')}", _of(theirs, name) / _of(ours, name), times)
    yield Figure("  bytes over the wire", _bytes(theirs) / _bytes(ours), times)
    yield Figure("  time in calls, p50", _of(theirs, "seconds") / _of(ours, "seconds"), times)
    yield Figure("  time in calls, p95", _p95(theirs) / _p95(ours), times)


def _p95(rows: list[dict[str, Any]]) -> float:
    return quantiles([row["seconds"] for row in rows], n=20, method="inclusive")[-1]


def _plain(who: str, turns: int, rows: list[dict[str, Any]]) -> Iterator[Figure]:
    yield Figure(f"{who}, {turns:,} turns: calls", _of(rows, "calls"), "")
    yield Figure("  read units", _of(rows, "read_units"), "")
    yield Figure("  write units", _of(rows, "write_units"), "")
    yield Figure("  bytes over the wire", _bytes(rows) / 1000, "KB")
    yield Figure("  time in calls, p50", _of(rows, "seconds") * 1000, "ms")
    yield Figure("  time in calls, p95", _p95(rows) * 1000, "ms")


@benchmark("A reply's DynamoDB work beside DynamoDBChatMessageHistory and DynamoDBSaver, same engine")
def peers() -> Iterable[Figure]:
    """Yield ratios, then the numbers behind them.

    Onthoud's include what the others do not keep at all: ledger, outbox, thread and switches, in one transaction.
    """
    grouped: Rows = defaultdict(list)
    with start_stack({"KnowledgeBase": "off"}) as stack:
        for row in [*own_rows(stack), *peer_rows(stack)]:
            grouped[row.get("peer", "Onthoud"), row["history"]].append(row)
    measured = {key: rows for key, rows in grouped.items() if "failed" not in rows[0]}
    for (who, turns), rows in measured.items():
        if who != "Onthoud":
            yield from _ratios(turns, rows, measured["Onthoud", turns])
    for (who, turns), rows in sorted(measured.items(), key=lambda one: one[0][0] != "Onthoud"):
        yield from _plain(who, turns, rows)
    for (who, turns), rows in grouped.items():
        if "failed" in rows[0]:
            yield Figure(f"{who}, {turns:,} turns: {rows[0]['failed']}", 0, "exchanges")
