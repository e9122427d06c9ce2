"""`onthoud demo`: several days of the bots on bundled real input."""

from __future__ import annotations

import typer


def demo() -> None:
    """Play several days of the bots on real input, without an account, and show what each memory changed."""
    from rich.console import Console

    from infra.demo.main import run

    run(Console(highlight=False))


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)
