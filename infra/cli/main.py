"""`onthoud`: one program for the operator. Each module beside this one brings its own commands by `register`."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import typer

import infra.cli
from onthoud.errors import OnthoudError


def build() -> typer.Typer:
    """Return the program with the commands of every module of this package that has `register(app)`."""
    app = typer.Typer(
        name="onthoud",
        help="A memory that serverless bots can be trusted with.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(_program)
    for module in sorted(one.name for one in pkgutil.iter_modules(infra.cli.__path__)):
        register = getattr(importlib.import_module(f"infra.cli.{module}"), "register", None)
        if register is not None:
            register(app)
    return app


def _program() -> None:
    """A memory that serverless bots can be trusted with."""


def main() -> None:
    """Run the program; an error that was raised on purpose is one line, not a traceback."""
    try:
        build()()
    except OnthoudError as error:
        typer.echo(f"onthoud: {error}", err=True)
        sys.exit(1)
