"""What the README says works: the fourth bot runs as it is printed, the schemas are those of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from onthoud.events.booking import Booking
from onthoud.events.comment import Comment
from tests.fakes.world import START, World, lost, plenty

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def fourth_bot(world: World) -> Any:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), names)  # noqa: S102 - it is our own README
    names["runtime"] = world.runtime
    return names["greet"]


def test_the_fourth_bot_greets_once_whatever_the_queue_does() -> None:
    world = World()
    greet = fourth_bot(world)
    for _ in range(3):
        greet("bo-1", START, plenty())
    assert [message.text for message in world.channel.accepted] == ["Welcome to the club!"]


def test_the_fourth_bot_survives_a_lost_answer() -> None:
    world = World()
    world.channel.is_idempotent = False
    world.channel.faults = [lost()]
    greet = fourth_bot(world)
    with pytest.raises(Exception, match="answer was lost"):
        greet("bo-1", START, plenty())
    greet("bo-1", START, plenty())
    assert len(world.channel.accepted) == 1


@pytest.mark.parametrize("model", [Comment, Booking])
def test_the_published_schema_is_that_of_the_code(model: type[BaseModel]) -> None:
    """Written anew by `python -m tests.unit.test_readme` when a model changes."""
    assert json.loads(schema_file(model).read_text()) == model.model_json_schema(by_alias=True)


def schema_file(model: type[BaseModel]) -> Path:
    return ROOT / "docs" / "schemas" / f"onthoud.{model.__name__.lower()}.v1.json"


if __name__ == "__main__":
    for one in (Comment, Booking):
        schema_file(one).write_text(json.dumps(one.model_json_schema(by_alias=True), indent=2) + "\n")
