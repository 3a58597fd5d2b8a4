"""thumbwise explain: why a saved model says what it says of an item."""

from __future__ import annotations

from typing import Annotated

import typer

from thumbwise.cli.reading_options import VotesArgument, reads_new_votes
from thumbwise.cli.shared_options import Json, ModelArgument, Overwrite
from thumbwise.io.roles import Roles


@reads_new_votes
def explain(
    model: ModelArgument,
    votes: VotesArgument,
    roles: Roles,
    item: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Id of an item to explain; repeat for more.")
    ] = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Show what each vote adds to the label of an item.

    And what the label would be without it.
    """
    from thumbwise.cli.explain import explain_files

    explain_files(model, votes, roles, item or (), json=json, overwrite=overwrite)
