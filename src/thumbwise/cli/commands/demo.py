"""thumbwise demo: a made-up case that needs no file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thumbwise.cli.shared_options import Json, Overwrite


def demo(
    write: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write votes.csv, gold.csv and items.csv there.")
    ] = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Label a made-up case that needs no file; see the truth beside it."""
    from thumbwise.cli.demo import show_demo

    show_demo(write, overwrite=overwrite, json=json)
