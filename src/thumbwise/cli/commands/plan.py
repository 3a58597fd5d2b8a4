"""thumbwise plan: what more gold labels would buy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thumbwise.cli.reading_options import VotesArgument, reads_votes
from thumbwise.cli.shared_options import Confidence, Overwrite
from thumbwise.io.roles import Roles


@reads_votes
def plan(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    confidence: Confidence = 0.95,
    target: Annotated[float | None, typer.Option(help="A bound on the mean log loss that is wanted.")] = None,
    rate: Annotated[
        str | None, typer.Option(metavar="CLASS", help="Plan for the share of this class instead; see --within.")
    ] = None,
    within: Annotated[
        float | None, typer.Option(metavar="SHARE", help="With --rate: how near the share is wanted, such as 0.03.")
    ] = None,
    accuracy: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Plan for a guaranteed share of right labels instead: 0.9.")
    ] = None,
    precision: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Plan for labels that triage accepts at this precision.")
    ] = None,
    draw: Annotated[
        int | None, typer.Option(metavar="N", help="Draw N random items without a gold label, to be labeled next.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="With --draw: gold so far and the items drawn, to fill in.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    json: Annotated[
        str | None, typer.Option(metavar="FILE", help="The plans, as JSON; - prints them and nothing else.")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Say what more gold labels would buy, and draw the next items.

    By default in log loss; else in points of a share, in right labels, or in labels that triage would accept.
    """
    from thumbwise.cli.plan import check_draw, plan_files
    from thumbwise.cli.planned_rates import check_aims

    aims = check_aims(target, rate, within, accuracy, precision)
    wanted = check_draw(votes, gold, draw, output, seed)
    plan_files(votes, gold, roles, confidence=confidence, aims=aims, draw=wanted, json=json, overwrite=overwrite)
