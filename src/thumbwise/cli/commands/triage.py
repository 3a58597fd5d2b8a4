"""thumbwise triage: labels to accept, and items to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thumbwise.cli.reading_options import VotesArgument, reads_votes
from thumbwise.cli.shared_options import ForSpreadsheets, Overwrite, RequireGuarantee
from thumbwise.io.roles import Roles


@reads_votes
def triage(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    precision: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SHARE",
            help="Share of the accepted labels that must be right, such as 0.95; or CLASS=SHARE, repeated for more, "
            "where no other class is accepted.",
        ),
    ] = None,
    per_class: Annotated[
        bool, typer.Option("--per-class", help="The same precision for each class, with a threshold of its own.")
    ] = False,
    recall: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLASS=SHARE",
            help="toxic=0.95: at most 5 % of the toxic items are accepted under another label; repeat for more.",
        ),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(metavar="N", help="Instead: people can look at N items; what is then guaranteed for everything."),
    ] = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COST",
            help="What one vote costs, for every judge: cheap ones are asked first, and an item stops at the first "
            "stage that is sure enough.",
        ),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Probability that all targets are reached at once.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Which part of gold teaches; settle it before you look.")] = 0,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Labels that are accepted.")] = None,
    review: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Items to look at, the most useful first; label --reviewed takes it back."),
    ] = None,
    text: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column of texts, for the review. [default: text, if ignored]")
    ] = None,
    json: Annotated[
        str | None, typer.Option(metavar="FILE", help="All that is found, as JSON; - prints it and nothing else.")
    ] = None,
    for_spreadsheets: ForSpreadsheets = False,
    overwrite: Overwrite = False,
    require_guarantee: RequireGuarantee = False,
) -> None:
    """Accept labels that are good enough; list the items to look at.

    What is accepted is as often right as was asked for, guaranteed; people look at the others.
    """
    from thumbwise.cli.standard_output import table_to
    from thumbwise.cli.triage import TriageChoices, TriageOutputs, triage_files

    choices = TriageChoices(
        tuple(precision or ()),
        tuple(recall or ()),
        per_class,
        budget,
        confidence,
        seed,
        require_guarantee,
        cost or (),
    )
    with table_to(output) as place:
        outputs = TriageOutputs(place, review, text, json, overwrite, for_spreadsheets)
        if roles.tags is not None:
            from thumbwise.cli.judged_tags import triage_tags

            triage_tags(votes, gold, roles, choices, outputs)
            return
        triage_files(votes, gold, roles, choices, outputs)
