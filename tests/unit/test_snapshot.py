"""The slow imports happen in the run that is snapshot, and in no other."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from onthoud.snapshot import preload
kept = preload({environment!r})
print(kept, "anthropic" in sys.modules, "boto3" in sys.modules)
"""


@pytest.mark.parametrize(
    ("environment", "printed"),
    [
        ({"AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start"}, "True True True"),
        ({"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"}, "False False False"),
        ({}, "False False False"),
    ],
)
def test_slow_imports_belong_to_the_snapshot_alone(environment: dict[str, str], printed: str) -> None:
    program = PROGRAM.format(environment=environment)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == printed
