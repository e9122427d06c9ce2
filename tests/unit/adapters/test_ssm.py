"""Secrets from the parameter store."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from botocore.stub import Stubber

from onthoud.adapters import aws
from onthoud.adapters.ssm import MAX_AGE_S, ParameterSecrets
from onthoud.errors import NotFound, RetryableError


def stubbed(*values: str) -> tuple[ParameterSecrets, Stubber]:
    client = aws.client("ssm", retries=0)
    stub = Stubber(client)
    for value in values:
        stub.add_response("get_parameter", {"Parameter": {"Value": value}}, {"Name": "/a/key", "WithDecryption": True})
    return ParameterSecrets(client=client), stub


def test_a_secret_is_decrypted_and_kept_for_five_minutes() -> None:
    secrets, stub = stubbed("one", "two")
    with stub, time_machine.travel("2026-11-30T09:00:00Z", tick=False) as travel:
        assert secrets.get("/a/key") == "one"
        travel.shift(timedelta(seconds=MAX_AGE_S - 1))
        assert secrets.get("/a/key") == "one"
        travel.shift(timedelta(seconds=2))
        assert secrets.get("/a/key") == "two"


def test_a_fresh_one_is_fetched_at_once_and_kept() -> None:
    secrets, stub = stubbed("one", "two")
    with stub:
        assert secrets.get("/a/key") == "one"
        assert secrets.get("/a/key", fresh=True) == "two"
        assert secrets.get("/a/key") == "two"


def test_a_missing_parameter_is_named() -> None:
    secrets, stub = stubbed()
    stub.add_client_error("get_parameter", "ParameterNotFound")
    with stub, pytest.raises(NotFound, match="/a/key"):
        secrets.get("/a/key")


@pytest.mark.parametrize(
    ("code", "words"), [("AccessDeniedException", "check the function's role"), ("InternalServerError", "now")]
)
def test_a_store_that_cannot_be_read_is_retryable(code: str, words: str) -> None:
    secrets, stub = stubbed()
    stub.add_client_error("get_parameter", code, "a message")
    with stub, pytest.raises(RetryableError, match=words) as failed:
        secrets.get("/a/key")
    assert code in str(failed.value)
