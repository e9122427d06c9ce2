"""The program itself: help, errors, and how it finds the stack."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from infra.cli import main as program
from infra.cli import stack_environment
from infra.cli.main import build
from infra.cli.session import Session
from infra.local.names import queue_variable
from onthoud.errors import PermanentError
from tests.fakes.world import World
from tests.unit.cli.operator import PROGRAM, Operator


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield path, command
        return
    for name, one in inner.items():
        yield from commands(one, (*path, name))


EVERYTHING = list(commands(get_command(PROGRAM)))
LOOKING = [(path, one) for path, one in EVERYTHING if path[0] not in {"local", "deploy", "demo"}]


def test_the_commands_that_scripts_use_are_there() -> None:
    names = {" ".join(path) for path, _ in EVERYTHING}
    assert names >= {
        "explain",
        "memory show",
        "memory erase",
        *(f"drafts {name}" for name in ("list", "approve", "edit", "reject")),
        *(f"outbox {name}" for name in ("list", "settle")),
        *(f"switch {name}" for name in ("on", "off", "show")),
        *(f"dead-letters {name}" for name in ("list", "redrive")),
        *(f"quarantine {name}" for name in ("list", "show")),
        "local",
        "deploy",
    }


@pytest.mark.parametrize(
    ("path", "command"), EVERYTHING, ids=lambda one: " ".join(one) if isinstance(one, tuple) else ""
)
def test_every_command_and_every_option_says_what_it_is(path: tuple[str, ...], command: Any) -> None:
    assert command.help
    for param in command.params:
        assert param.name == "help" or getattr(param, "help", None), f"{' '.join(path)}: {param.name}"
    assert CliRunner().invoke(PROGRAM, [*path, "--help"]).exit_code == 0


@pytest.mark.parametrize(("path", "command"), LOOKING, ids=lambda one: " ".join(one) if isinstance(one, tuple) else "")
def test_every_command_that_looks_at_a_stack_prints_json_too(path: tuple[str, ...], command: Any) -> None:
    assert any("--json" in param.opts for param in command.params)


def test_without_a_stack_it_says_how_to_name_one() -> None:
    result = CliRunner().invoke(build(), ["drafts", "list"])
    assert result.exit_code == 1
    assert "--stack NAME" in result.stderr and "--local URL" in result.stderr and "Traceback" not in result.stderr


def test_two_stacks_at_once_are_wrong_usage() -> None:
    assert CliRunner().invoke(build(), ["--stack", "a", "--local", "b", "drafts", "list"]).exit_code == 2


def test_a_setting_that_is_wrong_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONTHOUD_TABLE", "memory")
    monkeypatch.setenv("ONTHOUD_WINDOW_TURNS", "many")
    result = CliRunner().invoke(build(), ["switch", "show"])
    assert result.exit_code == 1 and "ONTHOUD_WINDOW_TURNS" in result.stderr


def test_what_nobody_foresaw_is_one_line_without_content(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> Any:
        raise RuntimeError("ana's secret")

    monkeypatch.setattr(program, "build", lambda: broken)
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert "RuntimeError" in said and "secret" not in said
    monkeypatch.setenv(program.DEBUG, "1")
    with pytest.raises(RuntimeError):
        program.main()


def test_an_error_of_the_table_is_one_line() -> None:
    operator = Operator(World())

    def fail(operation: str, phase: str) -> None:
        from onthoud.errors import RetryableError

        raise RetryableError("DynamoDB answered ThrottlingException")

    operator.world.hooked(fail)
    operator.run("switch", "show", code=1)
    assert operator.errors == "onthoud: DynamoDB answered ThrottlingException\n"


def test_the_librarys_log_does_not_stand_among_what_a_program_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from onthoud.observability import logger

    before, said = logger.log_level, io.StringIO()
    handler = logging.StreamHandler(said)
    logger._logger.addHandler(handler)
    logger.setLevel("INFO")
    monkeypatch.setenv("ONTHOUD_TABLE", "memory")
    try:
        logger.error("before")
        assert Session().runtime.settings.table == "memory"
        logger.error("account stopped")
    finally:
        logger.setLevel(before)
        logger._logger.removeHandler(handler)
    assert "before" in said.getvalue() and "account stopped" not in said.getvalue()


def test_deploy_prints_steps() -> None:
    printed = Operator(World()).run("deploy")
    assert "sam deploy --guided" in printed and "put-parameter" in printed


@pytest.mark.parametrize(
    ("logical_id", "variable"),
    [
        ("CommentsQueue", "ONTHOUD_COMMENTS_QUEUE_URL"),
        ("CommentsDeadLetters", "ONTHOUD_COMMENTS_DEAD_LETTERS_URL"),
        ("KnowledgeDeadLetters", "ONTHOUD_KNOWLEDGE_DEAD_LETTERS_URL"),
        ("SomethingElse", ""),
    ],
)
def test_a_queues_address_has_a_variable(logical_id: str, variable: str) -> None:
    assert queue_variable(logical_id) == variable


class FakeAws:
    """CloudFormation and Lambda as `of_deployed` asks them."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment

    def client(self, service: str) -> Any:
        return self

    def get_paginator(self, operation: str) -> Any:
        assert operation == "list_stack_resources"
        return self

    def paginate(self, **asked: str) -> list[dict[str, Any]]:
        assert asked == {"StackName": "mine"}
        function = {"ResourceType": "AWS::Lambda::Function", "LogicalResourceId": "F", "PhysicalResourceId": "f"}
        queue = {
            "ResourceType": "AWS::SQS::Queue",
            "LogicalResourceId": "EventsDeadLetters",
            "PhysicalResourceId": "https://sqs/events-dead",
        }
        return [{"StackResourceSummaries": [function]}, {"StackResourceSummaries": [queue]}]

    def get_function_configuration(self, **asked: str) -> dict[str, Any]:
        assert asked == {"FunctionName": "f"}
        return {"Environment": {"Variables": self.environment}}


def test_a_deployed_stack_is_found_by_its_functions_own_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeAws({"ONTHOUD_TABLE": "t", "POWERTOOLS_SERVICE_NAME": "x"})
    monkeypatch.setattr("boto3.client", fake.client)
    assert Session(stack="mine").environment == {
        "ONTHOUD_TABLE": "t",
        "ONTHOUD_EVENTS_DEAD_LETTERS_URL": "https://sqs/events-dead",
    }
    monkeypatch.setattr("boto3.client", FakeAws({}).client)
    with pytest.raises(PermanentError, match="no function of Onthoud"):
        stack_environment.of_deployed("mine")


def test_a_stack_that_is_not_there_says_what_to_check(monkeypatch: pytest.MonkeyPatch) -> None:
    from botocore.exceptions import ClientError, NoCredentialsError

    def refuse(service: str) -> Any:
        raise ClientError({"Error": {"Code": "ValidationError"}}, "ListStackResources")

    monkeypatch.setattr("boto3.client", refuse)
    result = CliRunner().invoke(build(), ["--stack", "mine", "drafts", "list"])
    assert result.exit_code == 1 and "check its name" in result.stderr

    def nobody(service: str) -> Any:
        raise NoCredentialsError()

    monkeypatch.setattr("boto3.client", nobody)
    result = CliRunner().invoke(build(), ["--stack", "mine", "drafts", "list"])
    assert result.exit_code == 1 and "credentials" in result.stderr


def test_a_local_stack_that_does_not_answer_says_how_to_start_one() -> None:
    with pytest.raises(PermanentError, match="such as http"):
        stack_environment.of_local("file:///etc/passwd")
