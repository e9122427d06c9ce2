"""`onthoud local`: the whole stack on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def local(
    port: Annotated[int, typer.Option(help="Port of the control interface on 127.0.0.1; 0 picks a free one.")] = 8765,
    data: Annotated[
        Path | None, typer.Option(help="Directory that keeps the state between runs.", file_okay=False)
    ] = None,
    parameter: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Set a parameter of the template; may be repeated.")
    ] = None,
    auto: Annotated[bool, typer.Option("--auto", help="Work off the queues as messages come.")] = False,
    template: Annotated[Path | None, typer.Option(help="Another template.", dir_okay=False, exists=True)] = None,
    functions: Annotated[Path | None, typer.Option(help="Its functions.", file_okay=False, exists=True)] = None,
    live_model: Annotated[
        bool, typer.Option("--live-model", help="Let Claude answer; needs ANTHROPIC_API_KEY. Scripts come first.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Start the functions anew when their code changes.")] = False,
) -> None:
    """Run the real template on this machine, without an account: engine, model, channel, vector index."""
    from infra.local.errors import TemplateError
    from infra.local.main import run
    from infra.local.stack import ROOT, Options

    chosen: dict[str, str] = {}
    for setting in parameter or []:
        name, separator, value = setting.partition("=")
        if not separator or not name:
            raise typer.BadParameter(f"{setting!r} is not NAME=VALUE", param_hint="--parameter")
        chosen[name] = value
    try:
        code = (functions or ROOT / "functions").resolve()
        options = Options(port, data, chosen, (template or ROOT / "template.yaml").resolve(), code, live_model)
        run(options, auto=auto, watch=watch)
    except TemplateError as error:
        typer.echo(f"onthoud local: {error}", err=True)
        raise typer.Exit(2) from error
    except OSError as error:
        typer.echo(f"onthoud local: port {port} of 127.0.0.1: {error.strerror or error}", err=True)
        raise typer.Exit(1) from error


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(local)
