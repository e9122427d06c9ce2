"""What a SnapStart snapshot should hold: the slow imports that a function otherwise leaves until it needs them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

SLOW = ("anthropic", "boto3")


def preload(environment: Mapping[str, str]) -> bool:
    """Import the SDKs now if this is the run whose memory is kept and restored; return whether it was.

    Lambda says so in AWS_LAMBDA_INITIALIZATION_TYPE. Elsewhere they stay where they are needed: a function that finds
    nothing to do then never pays for them. Only imports belong in here: a connection or an id made now would be shared
    by every environment that is restored.
    """
    if environment.get("AWS_LAMBDA_INITIALIZATION_TYPE") != "snap-start":
        return False
    for name in SLOW:
        importlib.import_module(name)
    return True
