"""thumbwise read: what votes and gold are understood as."""

from __future__ import annotations

from pathlib import Path

from thumbwise.cli.reading_options import VotesArgument, reads_votes
from thumbwise.cli.shared_options import Json, Overwrite
from thumbwise.io.roles import Roles


@reads_votes
def read(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Say what votes and gold are understood as, and compute nothing."""
    from thumbwise.cli.read import read_files

    read_files(votes, gold, roles, json=json, overwrite=overwrite)
