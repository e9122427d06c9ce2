"""The local stack with the real template: Claude in the model's place, and what is kept between runs."""

from __future__ import annotations

import http.client
import json
import urllib.parse
from pathlib import Path
from typing import Any

import pytest

from infra.local.harness import LocalStack, Refused, start_stack
from infra.local.model_server import ModelServer
from tests.fakes.serving import serving

pytestmark = pytest.mark.stack


def comment(comment_id: str, text: str) -> dict[str, Any]:
    return {
        "schema": "onthoud.comment.v1",
        "comment_id": comment_id,
        "channel": "instagram",
        "account_id": "club",
        "verb": "created",
        "author": {"id": "ana", "name": "Ana", "is_self": False},
        "thread": {"post_id": "p-1", "parent_id": None},
        "text": text,
        "occurred_at": "2026-11-29T10:00:00Z",
    }


def answered(stack: LocalStack) -> list[str]:
    stack.drain()
    return [one["in_reply_to"] for one in stack.deliveries("reply")]


def test_with_a_key_the_requests_go_on_to_the_real_api_and_scripts_come_first() -> None:
    api = ModelServer(accepted_key="the-operators-key")
    with serving(api.app) as url:
        environment = {"ANTHROPIC_API_KEY": "the-operators-key", "ANTHROPIC_BASE_URL": url}
        with start_stack(arguments=["--live-model"], environment=environment) as stack:
            stack.send("comments", comment("c-1", "Do you have lights?"))
            assert answered(stack) == ["c-1"]
            assert len(api.calls) == 1
            [call] = stack.model_calls()
            assert (call["purpose"], call["response"]["type"]) == ("reply", "message")
            stack.script({"text": "Yes, until ten."})
            stack.send("comments", comment("c-2", "And on court 3?"))
            assert answered(stack) == ["c-1", "c-2"]
            assert len(api.calls) == 1


def test_an_api_that_cannot_be_reached_is_a_transient_fault() -> None:
    environment = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
    with start_stack(arguments=["--live-model"], environment=environment) as stack:
        stack.send("comments", comment("c-1", "Do you have lights?"))
        answer = stack.drain()
        assert (answer["dead_lettered"], stack.deliveries("reply")) == (1, [])


def test_what_the_far_end_and_the_index_know_outlives_the_process(tmp_path: Path) -> None:
    with start_stack(data=tmp_path) as stack:
        stack.send("comments", comment("c-1", "Do you have lights?"))
        assert answered(stack) == ["c-1"]
        before, memory = stack.deliveries("reply"), stack.memory("instagram", "club", "ana")
        stack.put_profile("instagram", "club", "a/b#ü %", {"name": "Ü", "preferred_courts": ["Court 3"]})
        index(stack, "upsert-data", [{"id": "v-1", "data": "Court rules", "metadata": {"title": "one"}}])
    with start_stack(data=tmp_path) as stack:
        assert stack.deliveries("reply") == before
        assert stack.memory("instagram", "club", "ana") == memory
        assert stack.memory("instagram", "club", "a/b#ü %")["profile"]["name"] == "Ü"
        assert stack.memory("instagram", "club", "a")["profile"] == {}
        with pytest.raises(Refused, match="experience_level"):
            stack.put_profile("instagram", "club", "a", {"experience_level": "wizard"})
        [found] = index(stack, "query-data", {"data": "rules of the court", "topK": 1, "includeMetadata": True})
        assert (found["id"], found["metadata"]) == ("v-1", {"title": "one"})
        stack.send("comments", comment("c-1", "Do you have lights?"))
        assert answered(stack) == ["c-1"]


def index(stack: LocalStack, operation: str, body: Any) -> Any:
    """Do one call of Upstash's protocol."""
    environment = stack.call("GET", "/local/environment")["environment"]
    address = urllib.parse.urlsplit(environment["ONTHOUD_UPSTASH_URL"])
    connection = http.client.HTTPConnection(str(address.hostname), address.port)
    try:
        headers = {"Authorization": "Bearer local-secret"}
        connection.request("POST", f"{address.path}/{operation}/n", json.dumps(body), headers)
        return json.loads(connection.getresponse().read())["result"]
    finally:
        connection.close()
