"""thumbwise compare: methods side by side on gold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thumbwise.cli.reading_options import VotesArgument, reads_votes
from thumbwise.cli.shared_options import Json, Overwrite
from thumbwise.io.roles import Roles

if TYPE_CHECKING:
    from thumbwise.assess.baselines import MethodChoice


@reads_votes
def compare(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    methods: Annotated[
        str, typer.Option(help='"default", "all", or names as the table shows them, separated by commas.')
    ] = "default",
    confidence: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Compare methods on gold, and say which differences are real.

    Each gold label is predicted by a fit that has not seen it.
    """
    from thumbwise.cli.compare import compare_files

    compare_files(
        votes, gold, roles, methods=_method_choice(methods), confidence=confidence, json=json, overwrite=overwrite
    )


def _method_choice(text: str) -> MethodChoice:
    if text == "all":
        return "all"
    return "default" if text == "default" else [name.strip() for name in text.split(",") if name.strip()]
