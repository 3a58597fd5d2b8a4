"""thumbwise check: what commonly goes wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thumbwise.cli.reading_options import VotesArgument, reads_votes
from thumbwise.cli.shared_options import Confidence, Json, Overwrite
from thumbwise.io.roles import Roles


@reads_votes
def check(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    confidence: Confidence = 0.95,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 on warnings too.")] = False,
    skip: Annotated[list[str] | None, typer.Option(help="Code that is not looked at; repeat for more.")] = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Look for what commonly goes wrong with rules, gold and fit.

    The exit code is 1 if there are errors.
    """
    from thumbwise.cli.check import check_files

    code = check_files(
        votes, gold, roles, confidence=confidence, strict=strict, skip=skip or (), json=json, overwrite=overwrite
    )
    raise typer.Exit(code)
