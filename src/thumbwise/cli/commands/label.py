"""thumbwise label: labels with a bound on their error, of votes and gold labels."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from thumbwise.cli.reading_options import VotesArgument, reads_votes
from thumbwise.cli.shared_options import (
    Confidence,
    ForSpreadsheets,
    OnInfeasible,
    OnInfeasibleOption,
    Overwrite,
    RequireGuarantee,
)
from thumbwise.io.roles import Roles


class ShapeChoice(StrEnum):
    """Columns of the output."""

    TABLE = "table"
    CROWD_KIT = "crowd-kit"
    SNORKEL = "snorkel"


@reads_votes
def label(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help='Who labels: a name that compare prints, or "auto" for the lowest cross-fitted log loss on gold; '
            "any gets a certificate. [default: Balsubramani-Freund]",
        ),
    ] = None,
    caution: Annotated[
        str | None,
        typer.Option(
            metavar="C",
            help="For Balsubramani-Freund: 1 plays the worst case, less aims at gold too; the bound holds for all. "
            "[default: auto, a bound at most 10 % above the best]",
        ),
    ] = None,
    reviewed: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Items that people looked at, not at random: ids and a column label, empty where nobody did. They "
            "keep their label and are no gold.",
        ),
    ] = None,
    confidence: Confidence = 0.95,
    on_infeasible: OnInfeasibleOption = OnInfeasible.RAISE,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE", help="Leave this rule out, its part of the error budget spent; repeat for more."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Labels and probabilities; - is standard output, as CSV.")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The fitted model (.json), for predict, explain and sql."),
    ] = None,
    shape: Annotated[ShapeChoice, typer.Option(help="Columns of the output: ours, crowd-kit's or Snorkel's.")] = (
        ShapeChoice.TABLE
    ),
    json: Annotated[
        str | None, typer.Option(metavar="FILE", help="What is proved, as JSON; - prints it and nothing else.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="Memory for data that stays in files: 4GB. [default: 80 % of the machine's]")
    ] = None,
    spill: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for what exceeds it. [default: the system's]")
    ] = None,
    for_spreadsheets: ForSpreadsheets = False,
    overwrite: Overwrite = False,
    require_guarantee: RequireGuarantee = False,
) -> None:
    """Turn votes and gold into labels with a bound on their error."""
    from thumbwise.cli.label import FitChoices, label_files
    from thumbwise.cli.methods import read_caution
    from thumbwise.cli.standard_output import table_to
    from thumbwise.tables.databases import Limits

    wanted = read_caution(caution)
    choices = FitChoices(confidence, on_infeasible.value, drop or (), require_guarantee, method, wanted)
    if roles.tags is not None:
        from thumbwise.cli.tags import label_tags, refuse_options

        other_shape = None if shape is ShapeChoice.TABLE else shape
        refuse_options({"--reviewed": reviewed, "--shape": other_shape, "--memory": memory, "--spill": spill})
        refuse_options({"--save": save, "--for-spreadsheets": for_spreadsheets})
        with table_to(output) as place:
            label_tags(votes, gold, place, roles, choices, json=json, overwrite=overwrite)
        return
    limits = Limits(memory, spill)
    run = partial(label_files, shape=shape.value, limits=limits, for_spreadsheets=for_spreadsheets)
    with table_to(output) as place:
        run(votes, gold, place, roles, choices, json=json, overwrite=overwrite, reviewed=reviewed, save=save)
