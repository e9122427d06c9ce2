"""`onthoud`: one program for the operator. Each module beside this one brings its own commands by `register`."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import infra.cli
from infra.cli.session import DEBUG, Session
from onthoud.errors import Conflict, OnthoudError

HELP = """A memory that serverless bots can be trusted with.

Commands that look at a stack find it by --stack NAME (a deployed one), by --local URL (one that `onthoud local` runs),
or by the environment variables that its functions have (ONTHOUD_TABLE and so on).
"""


class Program(TyperGroup):
    """Errors that were raised on purpose are one line and exit code 1; none is ever a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except Conflict:
            typer.echo(
                "onthoud: somebody else was quicker, and nothing was changed: look again, then repeat it", err=True
            )
        except OnthoudError as error:
            typer.echo(f"onthoud: {error}", err=True)
        raise typer.Exit(1)


def build() -> typer.Typer:
    """Return the program with the commands of every module of this package that has `register(app)`."""
    app = typer.Typer(
        name="onthoud",
        cls=Program,
        help=HELP,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback(help=HELP)(_program)
    for module in sorted(one.name for one in pkgutil.iter_modules(infra.cli.__path__)):
        register = getattr(importlib.import_module(f"infra.cli.{module}"), "register", None)
        if register is not None:
            register(app)
    return app


def _program(
    ctx: typer.Context,
    stack: Annotated[
        str, typer.Option(metavar="NAME", envvar="ONTHOUD_STACK", help="The deployed CloudFormation stack to look at.")
    ] = "",
    local: Annotated[
        str, typer.Option(metavar="URL", envvar="ONTHOUD_LOCAL", help="The local stack to look at, as it prints it.")
    ] = "",
) -> None:
    """Choose the stack."""
    if stack and local:
        raise typer.BadParameter("only one stack at a time", param_hint="--stack, --local")
    if ctx.obj is None:
        ctx.obj = Session(stack=stack, local=local)


def main() -> None:
    """Run the program. What nobody foresaw is one line too, which names no content; ONTHOUD_DEBUG=1 shows all of it."""
    try:
        build()()
    except Exception as error:  # the last place before the operator: a line, never a traceback
        if os.environ.get(DEBUG):
            raise
        typer.echo(f"onthoud: {type(error).__name__}: not foreseen; {DEBUG}=1 shows where", err=True)
        sys.exit(1)
