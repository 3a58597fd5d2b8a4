"""Votes on the items of the bench: row by row the same items, and looked up one by one after they were labeled."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.bench.items import Items
from thumbwise.exceptions import InvalidVotesError
from thumbwise.io.roles import Roles
from thumbwise.io.sources import read_source
from thumbwise.votes.votes import Votes


class VotesOnItems:
    """Votes whose rows are those of the items.

    Attributes
    ----------
    votes : Votes
    """

    def __init__(self, votes: Votes) -> None:
        self.votes = votes

    def on(self, row: int) -> list[dict[str, str]]:
        """Who voted for what on an item."""
        names = [str(name) for name in self.votes.class_names]
        voted = zip(self.votes.rule_names, self.votes.array[row].tolist(), strict=True)
        return [{"rule": str(rule), "vote": names[vote]} for rule, vote in voted if vote >= 0]


def read_votes_on(items: Items, path: Path, classes: tuple[str, ...]) -> VotesOnItems:
    """Votes in a file, matched with the items by the text of their ids.

    Columns that are shown are no votes, if both are in one file. No label has a part in it.
    """
    is_same_file = path.exists() and items.path.exists() and path.samefile(items.path)
    roles = Roles(
        item_id=items.id_name if is_same_file else None,
        ignore=items.names if is_same_file else (),
        class_names=classes,
    )
    votes = read_source(path, None, roles).votes
    rows = _rows(items, votes, path)
    return VotesOnItems(votes if rows is None else votes.take(rows))


def _rows(items: Items, votes: Votes, path: Path) -> IntArray | None:
    """The row of the votes on each item; None if it is the same."""
    there = votes.item_ids.tolist()
    if len(there) == len(items) and all(str(one) == str(other) for one, other in zip(items.ids, there, strict=True)):
        return None
    row_of = {str(item): row for row, item in enumerate(there)}
    wanted = [str(item) for item in items.ids]
    missing = [item for item in wanted if item not in row_of]
    if missing:
        raise InvalidVotesError(
            f"there must be votes, or a row without any, on each item; {path} has none on item {missing[0]!r} "
            f"({len(missing):,} of {len(wanted):,} items). Name a file with a row for each, or leave the votes out."
        )
    return np.array([row_of[item] for item in wanted])
