"""What holds for every test: no way out of this machine, no account, and the same random examples in CI each time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

LOOPBACK = ["127.0.0.1", "::1", "localhost"]
REACHES_LOOPBACK = ("stack", "prove", "system")
IN_CI = os.environ.get("CI") == "true"
KEPT = "ONTHOUD_TEST_"
"""Variables for the tests themselves, such as another DynamoDB endpoint to run the integration tests against."""
SYSTEM_PACKAGES = {"dovecot": "dovecot-imapd"}
"""Programs that tests marked `system` start, and the Debian packages that bring them."""

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, print_blob=True)
settings.register_profile("prove", settings.get_profile("default"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if IN_CI else "default"))


def _forget_the_developers_account() -> None:
    for name in list(os.environ):
        if name.startswith(("AWS_", "ANTHROPIC_", "ONTHOUD_", "POWERTOOLS_", "UPSTASH_")) and not name.startswith(KEPT):
            del os.environ[name]
    os.environ.update(
        AWS_ACCESS_KEY_ID="test",
        AWS_SECRET_ACCESS_KEY="test",
        AWS_DEFAULT_REGION="eu-west-1",
        AWS_EC2_METADATA_DISABLED="true",
        AWS_CONFIG_FILE=os.devnull,
        AWS_SHARED_CREDENTIALS_FILE=os.devnull,
    )


_forget_the_developers_account()


def _missing_programs() -> list[str]:
    path = os.environ.get("PATH", "") + os.pathsep + "/usr/sbin"
    return [program for program in SYSTEM_PACKAGES if shutil.which(program, path=path) is None]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Open loopback to the tests that need it; leave out, outside CI, those whose program is not installed."""
    without = not IN_CI and bool(_missing_programs())
    left_out = [item for item in items if without and item.get_closest_marker("system")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    for item in items:
        if any(item.get_closest_marker(name) for name in REACHES_LOOPBACK):
            item.add_marker(pytest.mark.allow_hosts(LOOPBACK))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was not run, so that nobody takes silence for success."""
    if IN_CI:
        return
    for program in _missing_programs():
        terminalreporter.write_line(
            f"NOT RUN: tests marked `system` that start {program}; apt-get install {SYSTEM_PACKAGES[program]}",
            yellow=True,
        )


@pytest.fixture(autouse=True)
def _environment_as_found() -> Iterator[None]:
    before = dict(os.environ)
    yield
    if dict(os.environ) != before:
        os.environ.clear()
        os.environ.update(before)
