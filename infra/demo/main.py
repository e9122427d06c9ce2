"""`onthoud demo`: starts the local stack and plays the scenes on it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from rich.console import Console

from infra.demo import bookings, comments, knowledge, mornings
from infra.demo.scene import Scene, Stage
from infra.local.harness import start_stack

KEY = "ANTHROPIC_API_KEY"
PARAMETERS = {"OwnIds": "club"}
SCENES: tuple[Scene, ...] = (comments.play, bookings.play, knowledge.play, mornings.play)


def run(console: Console, environment: Mapping[str, str] = os.environ) -> None:
    """Play the demo; with a key in the environment Claude answers, without one the rehearsal model."""
    started = time.monotonic()
    console.print("[bold]Onthoud[/bold]: a memory for serverless bots that can be trusted.")
    if environment.get(KEY):
        console.print(f"{KEY} is set: Claude answers. (This costs a few cents.)")
    else:
        console.print(
            f"The answers come from a rehearsal model, which only shows what a model would be given; set {KEY} to "
            "play with Claude. Everything else is real: handlers, SDKs, queues, tables, signed requests, on loopback."
        )
    with console.status("starting the local stack"):
        context = start_stack(PARAMETERS, arguments=["--live-model"] if environment.get(KEY) else [])
        stack = context.__enter__()
    try:
        stage = Stage(stack, console)
        for scene in SCENES:
            scene(stage)
    finally:
        context.__exit__(None, None, None)
    console.print(
        f"\nPlayed in {time.monotonic() - started:.0f} s. Next: [bold]uv run onthoud local[/bold], README.md."
    )
