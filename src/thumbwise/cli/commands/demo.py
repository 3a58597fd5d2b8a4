"""thumbwise demo: a made-up case that needs no file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thumbwise.cli.shared_options import Overwrite


def demo(
    write: Annotated[Path | None, typer.Option(metavar="DIR", help="Also write votes.csv and gold.csv there.")] = None,
    overwrite: Overwrite = False,
) -> None:
    """Label a made-up case that needs no file, and compare with the truth."""
    from thumbwise.cli.demo import show_demo

    show_demo(write, overwrite=overwrite)
