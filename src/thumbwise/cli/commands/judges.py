"""thumbwise judges: how far to trust each judge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thumbwise.cli.reading_options import VotesArgument, reads_votes
from thumbwise.cli.shared_options import Confidence, Overwrite
from thumbwise.io.roles import Roles


@reads_votes
def judges(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    of: Annotated[
        str | None,
        typer.Option(metavar="CLASS", help="The class whose rates are wanted. [default: of two the second, else all]"),
    ] = None,
    cost: Annotated[
        list[str] | None, typer.Option(metavar="NAME=COST", help="What one vote of a judge costs; repeat for more.")
    ] = None,
    confidence: Confidence = 0.95,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Table of the gold items on which judges are wrong.")
    ] = None,
    json: Annotated[
        str | None, typer.Option(metavar="FILE", help="All that is found, as JSON; - prints it and nothing else.")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Say how far to trust each judge, and who errs with whom.

    Agreement with gold, rates, shared errors, costs, and where a judge is wrong.
    """
    from thumbwise.cli.judges import JudgeChoices, judge_files
    from thumbwise.cli.standard_output import table_to

    choices = JudgeChoices(confidence, of, cost or ())
    with table_to(output) as place:
        if roles.tags is not None:
            from thumbwise.cli.judged_tags import judge_tags

            judge_tags(votes, gold, roles, choices, output=place, json=json, overwrite=overwrite)
            return
        judge_files(votes, gold, roles, choices, output=place, json=json, overwrite=overwrite)
