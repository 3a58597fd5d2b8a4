"""Triaged items as tables: labels that are accepted, and items for people to look at, with a column to fill in."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.exceptions import Argument, InvalidFileError
from thumbwise.io.readings import Reading
from thumbwise.io.reviewed import LABEL
from thumbwise.models.explained.explanation import show
from thumbwise.numerics.patterns import Patterns
from thumbwise.tables.formats import Column
from thumbwise.tables.table_files import Table, check_names
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.engines.predictions import label_names
from thumbwise.votes.votes import Votes

TEXT = "text"
RANK, VOTES, PROPOSED, PROBABILITY, WHY = "rank", "votes", "proposed", "probability", "why"
# Rules that have a column each in a review, at most; the votes of more are told in words, of which these many are.
MOST_COLUMNS = 50


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
    voted = [VOTES] if are_told(reading.votes) else reading.votes.rule_names
    return _apart([RANK, reading.id_name, *texts, *voted, PROPOSED, PROBABILITY, WHY, LABEL])


def are_told(votes: CountedVotes) -> bool:
    """Whether a review tells votes in words, one column for all rules, because there are too many of them."""
    return votes.n_rules > MOST_COLUMNS


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
    """A row for each item to look at, the most useful first; votes as :func:`voted_columns` says.

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
    used, place = np.unique(votes.inverse[rows], return_inverse=True)
    columns = [
        np.arange(1, len(rows) + 1),
        votes.item_ids[rows],
        *texts,
        *(column[place] for column in voted_columns(votes, used)),
        names[items.labels[rows]],
        items.sureness[rows],
        why,
        np.ma.MaskedArray(np.full(len(rows), "", dtype=object), mask=True),
    ]
    return Table(dict(zip(review_names(reading, text), map(np.ma.asarray, columns), strict=True)))


def voted_columns(votes: CountedVotes, places: IntArray) -> list[Column]:
    """What rules say of some patterns: a column per rule, masked where it abstains; or one in words for all rules."""
    patterns = votes.patterns.take(places, votes.patterns.counts[places])
    if are_told(votes):
        return [tell_votes(patterns, votes.rule_names, votes.class_names)]
    names = label_names(votes.class_names)
    return [np.ma.MaskedArray(names[np.maximum(said, 0)], mask=said < 0) for said in patterns.to_rows().T]


def tell_votes(patterns: Patterns, rule_names: Sequence[str], class_names: Sequence[Hashable]) -> Column:
    """Who votes for what, in the order of the rules, and how many more there are; masked where nobody votes.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, -1, 1], [-1, -1, -1]], rule_names=["ann", "bob", "cy"], class_names=["fail", "pass"])
    >>> tell_votes(votes.patterns, votes.rule_names, votes.class_names).tolist()
    [None, 'ann: fail; cy: pass']
    """
    rules, classes = [show(name) for name in rule_names], [show(name) for name in class_names]
    told = np.full(patterns.n_patterns, "", dtype=object)
    for t, (start, end) in enumerate(itertools.pairwise(patterns.starts.tolist())):
        part = slice(start, min(end, start + MOST_COLUMNS))
        pairs = zip(patterns.rules[part].tolist(), patterns.classes[part].tolist(), strict=True)
        more = [f"and {end - part.stop:,} more"] if end > part.stop else []
        told[t] = "; ".join([*(f"{rules[j]}: {classes[c]}" for j, c in pairs), *more])
    return np.ma.MaskedArray(told, mask=patterns.votes_per_pattern == 0)
