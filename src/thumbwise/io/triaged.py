"""Triaged items as tables: labels that are accepted, and items for people to look at, with a column to fill in."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.exceptions import Argument, InvalidFileError
from thumbwise.io.readings import Reading
from thumbwise.io.reviewed import LABEL
from thumbwise.tables.formats import Column
from thumbwise.tables.table_files import Table, check_names
from thumbwise.votes.engines.predictions import label_names
from thumbwise.votes.votes import Votes

TEXT = "text"
RANK, PROPOSED, PROBABILITY, WHY = "rank", "proposed", "probability", "why"


@dataclass(frozen=True, eq=False)
class TriagedItems:
    """What becomes of items in memory.

    Attributes
    ----------
    labels, sureness : ndarray of shape (n_items,)
        Class number, proposed or known, and its probability.
    accepted, review : ndarray of int
        Positions of the items whose label is accepted, and of those to look at, the most useful first.
    """

    labels: IntArray
    sureness: FloatArray
    accepted: IntArray
    review: IntArray


def accepted_names(reading: Reading) -> list[str]:
    """Names of the columns of accepted labels; those that were passed on come last, as in a table of labels."""
    return _apart([reading.id_name or "item", LABEL, PROBABILITY, *reading.passed_on])


def review_names(reading: Reading, text: str | None) -> list[str]:
    """Names of the columns of a review; it needs ids, by which labels that are filled in find their items again."""
    if reading.id_name is None:
        raise InvalidFileError(
            "a review needs items with ids, by which labels that are filled in find them again; these votes have none. "
            "Name the column with ",
            Argument("item_id", "NAME"),
            ".",
        )
    texts = [] if text is None else [text]
    return _apart([RANK, reading.id_name, *texts, *reading.votes.rule_names, PROPOSED, PROBABILITY, WHY, LABEL])


def find_text(reading: Reading, named: str | None = None) -> str | None:
    """The column of texts: the one that is named, else one that is passed on and called ``text``; None if none is."""
    if named is None:
        return next((name for name in reading.passed_on if name.strip().lower() == TEXT), None)
    if named not in reading.passed_on:
        have = ", ".join(map(repr, reading.passed_on)) or "none"
        raise InvalidFileError(
            Argument("text"),
            f" must name a column of the votes that is no rule; found {named!r}, and such columns are: {have}. Pass it "
            "on with ",
            Argument("ignore", [named]),
            ".",
        )
    return named


def _apart(names: list[str]) -> list[str]:
    try:
        check_names(names)
    except InvalidFileError as error:
        shown = ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
        raise InvalidFileError(f"the output would have the columns {shown}: ", error) from None
    return names


def accepted_table(reading: Reading, votes: Votes, items: TriagedItems) -> Table:
    """A row for each accepted label, in the order of the items."""
    rows = items.accepted
    label = label_names(votes.class_names)[items.labels[rows]]
    columns = [votes.item_ids[rows], label, items.sureness[rows], *(c[rows] for c in reading.passed_on.values())]
    return Table(dict(zip(accepted_names(reading), map(np.ma.asarray, columns), strict=True)))


def review_table(reading: Reading, votes: Votes, items: TriagedItems, why: AnyArray, text: str | None) -> Table:
    """A row for each item to look at, the most useful first; votes by name, empty where a rule abstains.

    Parameters
    ----------
    reading : Reading
        For ids and columns that are passed on.
    votes : Votes
    items : TriagedItems
    why : ndarray of shape (n_review,)
        Of each row.
    text : str or None
        The column of texts, among those passed on.
    """
    rows, names = items.review, label_names(votes.class_names)
    texts = [] if text is None else [reading.passed_on[text][rows]]
    voted = voted_names(votes.patterns.to_rows(), votes.class_names)
    columns = [
        np.arange(1, len(rows) + 1),
        votes.item_ids[rows],
        *texts,
        *(column[votes.inverse[rows]] for column in voted),
        names[items.labels[rows]],
        items.sureness[rows],
        why,
        np.ma.MaskedArray(np.full(len(rows), "", dtype=object), mask=True),
    ]
    return Table(dict(zip(review_names(reading, text), map(np.ma.asarray, columns), strict=True)))


def voted_names(patterns: IntArray, class_names: Sequence[Hashable]) -> list[Column]:
    """For each rule, the class that it votes for by pattern, masked where it abstains."""
    names = label_names(class_names)
    return [np.ma.MaskedArray(names[np.maximum(votes, 0)], mask=votes < 0) for votes in patterns.T]
