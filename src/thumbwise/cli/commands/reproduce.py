"""thumbwise reproduce: the paper's experiments."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from thumbwise.cli.shared_options import Json


class Reproduced(StrEnum):
    """What of the paper is reproduced."""

    TABLES = "tables"
    FIGURES = "figures"
    ALL = "all"


def reproduce(
    what: Annotated[Reproduced, typer.Argument(help="The result tables, the figures, or both.")],
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder with the paper's datasets. [default: THUMBWISE_DATA, or the cache]"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="DIR", help="Where to write. [default: reproduced, or reproduced-quick]"
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Three datasets, three runs: under a minute.")] = False,
    processes: Annotated[int, typer.Option(min=1, help="How many fits to run at a time.")] = 2,
    json: Json = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace JSON that is there already.")] = False,
) -> None:
    """Run the paper's experiments beside its own numbers.

    An interrupted run is gone on with.
    """
    from thumbwise.cli.reproduce import reproduce as reproduce_paper

    reproduce_paper(what.value, data, output, quick=quick, processes=processes, json=json, overwrite=overwrite)
