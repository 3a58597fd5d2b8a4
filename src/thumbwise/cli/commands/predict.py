"""thumbwise predict: a saved model on new votes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from thumbwise.cli.commands.label import ShapeChoice
from thumbwise.cli.reading_options import VotesArgument, reads_new_votes
from thumbwise.cli.shared_options import ForSpreadsheets, Json, ModelArgument, Overwrite
from thumbwise.io.roles import Roles


@reads_new_votes
def predict(
    model: ModelArgument,
    votes: VotesArgument,
    roles: Roles,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Labels and probabilities.")] = None,
    shape: Annotated[ShapeChoice, typer.Option(help="Columns of the output: ours, crowd-kit's or Snorkel's.")] = (
        ShapeChoice.TABLE
    ),
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if these votes differ from those of the fit.")
    ] = False,
    json: Json = None,
    memory: Annotated[
        str | None, typer.Option(help="Memory for data that stays in files: 4GB. [default: 80 % of the machine's]")
    ] = None,
    spill: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for what exceeds it. [default: the system's]")
    ] = None,
    for_spreadsheets: ForSpreadsheets = False,
    overwrite: Overwrite = False,
) -> None:
    """Label new items with a saved model, and look for drift.

    It says whether they are like those of the fit.
    """
    from thumbwise.cli.predict import predict_files
    from thumbwise.tables.databases import Limits

    run = partial(predict_files, shape=shape.value, limits=Limits(memory, spill), for_spreadsheets=for_spreadsheets)
    drift = run(model, votes, roles, output, json=json, overwrite=overwrite)
    if strict and drift.found:
        raise typer.Exit(1)
