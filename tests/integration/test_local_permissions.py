"""A permission that the template forgets fails on the local stack, with AWS's reason, and not only in the cloud."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.local.harness import start_stack
from tests.template.load import Document, changed

pytestmark = pytest.mark.stack

COMMENT = {
    "schema": "onthoud.comment.v1",
    "comment_id": "c-1",
    "channel": "instagram",
    "account_id": "club",
    "verb": "created",
    "author": {"id": "ana-1", "name": "Ana", "is_self": False},
    "thread": {"post_id": "p-1", "parent_id": None},
    "text": "Do you have lights on court 3?",
}


def _without_batch_reads(document: Document) -> None:
    statements = document["Resources"]["SocialReplyRole"]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"]
    [memory] = [one for one in statements if one.get("Sid") == "Memory"]
    memory["Action"].remove("dynamodb:BatchGetItem")


def test_a_forgotten_permission_is_refused_and_named(tmp_path: Path) -> None:
    template = changed(tmp_path, _without_batch_reads)
    with start_stack({"MaxAttempts": "1"}, arguments=["--template", str(template)]) as stack:
        stack.send("comments", {**COMMENT, "occurred_at": stack.call("GET", "/local/clock")["now"]})
        stack.drain()
        assert stack.deliveries("reply") == []
        [letter] = [one for one in stack.call("GET", "/local/dead-letters") if one["queue"] == "comments"]
    assert "AccessDenied" in letter["reason"]
