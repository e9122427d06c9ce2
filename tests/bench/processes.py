"""What the processes of a running stack hold and use, as Linux tells it."""

from __future__ import annotations

import os
from pathlib import Path

from infra.local.harness import LocalStack

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def children(pid: int) -> list[int]:
    """Return the processes below one, parents first."""
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int(_stat(int(path.name))[1])
        except (OSError, IndexError):
            continue  # it has just ended
        if parent == pid:
            found += [int(path.name), *children(int(path.name))]
    return found


def resident_mb(pid: int) -> float:
    """Return the memory that a process holds now, in MB."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE / 1e6


def cpu_s(pid: int) -> float:
    """Return the seconds of one core that a process has used."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / _TICKS


def stack_pid(stack: LocalStack) -> int:
    """Return the process of the stack itself: engine, queues, model and far end."""
    assert stack.process is not None
    return stack.process.pid


def worker_pid(stack: LocalStack, function: str) -> int:
    """Return the process in which a function runs now: the newest that was forked for its handler."""
    found = [
        pid
        for pid in children(stack_pid(stack))
        if f"{function}.app.handler" in Path(f"/proc/{pid}/cmdline").read_text()
    ]
    return found[-1]
