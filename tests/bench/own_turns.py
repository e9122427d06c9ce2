"""Onthoud's own replies, measured from outside: the real handler in this process, on a running stack's real sockets.

Prints JSON: for each length of history what a reply asks of DynamoDB. Run by `tests.bench.bench_peers` in a process of
its own, as the other packages are.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from datetime import UTC, datetime
from typing import Any

ROUNDS = 8
COMMENT = "And is there light on the court beside it as well?"


class _Context:
    function_name = "social_reply"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:eu-west-1:000000000000:function:social_reply"
    aws_request_id = "bench"

    def get_remaining_time_in_millis(self) -> int:
        return 180_000


def _event(customer: str, number: int) -> dict[str, Any]:
    comment = {
        "schema": "onthoud.comment.v1",
        "comment_id": f"{customer}-{number}",
        "channel": "instagram",
        "account_id": "club",
        "verb": "created",
        "author": {"id": customer, "name": "Ana", "is_self": False},
        "thread": {"post_id": f"post-{customer}-{number}", "parent_id": None},
        "text": COMMENT,
        "attachments": [],
        "occurred_at": datetime.now(UTC).isoformat(),
    }
    attributes = {"MessageGroupId": customer, "ApproximateReceiveCount": "1"}
    return {"Records": [{"messageId": f"m-{customer}-{number}", "body": json.dumps(comment), "attributes": attributes}]}


def main(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Answer each customer's comments; return per round what it took."""
    os.environ.update(given["environment"])
    import boto3

    from tests.bench.wire import Wire

    boto3.setup_default_session()
    from social_reply import app

    wire = Wire().attach(boto3.DEFAULT_SESSION.events)  # type: ignore[union-attr]
    found = []
    for position in range(ROUNDS + 1):  # the first round pays for connections and imports, and does not count
        for length, customer in given["customers"].items():
            wire.clear()
            started = time.perf_counter()
            with contextlib.redirect_stdout(sys.stderr):
                answer = app.handler(_event(customer, position), _Context())  # type: ignore[arg-type]
            assert answer == {"batchItemFailures": []}
            whole_s = time.perf_counter() - started
            if position:
                found.append({"history": int(length), "whole_s": whole_s, **wire.figures()})
    return found


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
