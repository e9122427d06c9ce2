"""`python -m infra.local`: the same as `onthoud local`, without importing the other commands."""

from __future__ import annotations

import typer

from infra.cli.local import local

if __name__ == "__main__":
    typer.run(local)
