"""thumbwise rate: the share of a class, and between which numbers it lies."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from thumbwise.cli.reading_options import VotesArgument, reads_votes
from thumbwise.cli.shared_options import Overwrite
from thumbwise.io.roles import Roles


class MethodOfRates(StrEnum):
    """How intervals for rates are made."""

    ASSISTED = "assisted"
    EXACT = "exact"
    ASYMPTOTIC = "asymptotic"


@reads_votes
def rate(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    of: Annotated[
        str | None, typer.Option(metavar="CLASS", help="The class whose share is wanted, such as pass.")
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Of comparisons: how often this system wins; --by opponent for each of them."
        ),
    ] = None,
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Column of groups, such as system.")] = None,
    versus: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Difference of two groups; without --by, of two columns of predictions."),
    ] = None,
    values: Annotated[
        str | None, typer.Option(metavar="1,2,...", help="The mean of these labels instead of a share; or a=1,b=2.")
    ] = None,
    method: Annotated[
        MethodOfRates, typer.Option(help="Helped by the rules, from gold alone, or PPI++ (no guarantee).")
    ] = MethodOfRates.ASSISTED,
    by_class: Annotated[
        bool, typer.Option("--by-class", help="Gold was drawn class by class, so many of each.")
    ] = False,
    confidence: Annotated[float, typer.Option(help="Probability that all intervals hold at once.")] = 0.95,
    looks: Annotated[
        str | None,
        typer.Option(metavar="N,N,...", help="Numbers of gold labels, planned before the first, at which to stop."),
    ] = None,
    anytime: Annotated[
        bool, typer.Option("--anytime", help="Labeling could stop at any moment: intervals hold after every label.")
    ] = False,
    json: Annotated[
        str | None, typer.Option(metavar="FILE", help="All that is found, as JSON; - prints it and nothing else.")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Say what share of the items is of a class, within what bounds.

    Also by group, and the difference of two groups.
    """
    from thumbwise.cli.rate import RateChoices, rate_files, read_looks, read_values
    from thumbwise.cli.reading_options import fields_of

    pair = None if versus is None else fields_of(versus)
    numbers = None if values is None else read_values(fields_of(values))
    stops = read_looks(None if looks is None else fields_of(looks), anytime)
    choices = RateChoices(of, by, pair, numbers, method.value, by_class, confidence, stops, system)
    if roles.tags is not None:
        from thumbwise.cli.tags import rate_tags

        rate_tags(votes, gold, roles, choices, json=json, overwrite=overwrite)
        return
    rate_files(votes, gold, roles, choices, json=json, overwrite=overwrite)
