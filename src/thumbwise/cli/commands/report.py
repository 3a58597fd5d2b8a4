"""thumbwise report: one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thumbwise.cli.reading_options import VotesArgument, reads_votes
from thumbwise.cli.shared_options import Confidence, Json, OnInfeasible, OnInfeasibleOption, Overwrite
from thumbwise.io.roles import Roles


@reads_votes
def report(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    output: Annotated[Path, typer.Option("-o", "--output", help="The page, .html.")],
    confidence: Confidence = 0.95,
    on_infeasible: OnInfeasibleOption = OnInfeasible.RAISE,
    title: Annotated[str | None, typer.Option(help="Title of the page. [default: the name of VOTES]")] = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Write all that is found on one HTML page.

    What is proved, what each rule does, and which items to look at.
    """
    from thumbwise.cli.label import FitChoices
    from thumbwise.cli.report import report_files

    choices = FitChoices(confidence, on_infeasible.value)
    report_files(votes, gold, output, roles, choices, title=title, overwrite=overwrite, json=json)
