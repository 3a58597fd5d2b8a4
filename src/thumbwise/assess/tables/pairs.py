"""Pairs of rules: who says the same, who errs together; and an order that puts the like side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.redundancy import correlate_errors, count_agreement
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.exceptions import Argument, InPython, InvalidLabelsError
from thumbwise.votes.inputs import as_votes, held_votes, read_items


def agreement_table(votes: Any, rules: Sequence[int] | None = None) -> Tidy:
    """For every two rules, the share of the items on which both vote that get the same vote from both.

    Parameters
    ----------
    votes : Votes, LazyVotes, Reading, array-like or frame
    rules : sequence of int, optional
        Positions of the rules to compare; absent: all. Pairs are then numbered within it.

    Returns
    -------
    Tidy
        Columns ``first``, ``second`` (positions of rules, the first one smaller), ``agreement`` (None if they share no
        item), ``n_shared``.

    Examples
    --------
    >>> import thumbwise as tw
    >>> table = agreement_table(tw.Votes([[0, 0, -1], [1, 0, -1], [1, 1, -1], [-1, 1, 1]]))
    >>> list(zip(table["first"], table["second"], table["agreement"], table["n_shared"]))
    [(0, 1, 0.6666666666666666, 3), (0, 2, None, 0), (1, 2, 1.0, 1)]
    """
    patterns = as_votes(held_votes(votes)).patterns
    counted = count_agreement(patterns if rules is None else patterns.with_rules(rules))
    return _as_table("agreement", counted.where_both_vote, counted.n_shared)


def errors_table(gold_votes: Any, gold_labels: Any = None) -> Tidy:
    """For every two rules, the phi coefficient of their errors on the gold items on which both vote.

    Parameters
    ----------
    gold_votes : Votes, Reading, array-like or frame
        On the gold items; a Reading brings its own gold.
    gold_labels : array-like of shape (n_gold,)
        Without a Reading: classes of the gold items, -1 or missing where unknown.

    Returns
    -------
    Tidy
        Columns ``first``, ``second``, ``correlation`` (None if one of them is always or never wrong there),
        ``n_shared``.

    Examples
    --------
    >>> import thumbwise as tw
    >>> table = tw.displays.errors_table([[0, 0], [1, 0], [0, 0], [1, 1]], [0, 1, 1, 0])
    >>> [round(value, 3) for value in table["correlation"]]
    [0.577]
    """
    if gold_labels is None:
        gold_votes, gold_labels = _gold_of(gold_votes)
    votes, labels = read_items(gold_votes, gold_labels)
    errors = correlate_errors(votes, labels)
    return _as_table("correlation", errors.values, errors.n_shared)


def _gold_of(reading: Any) -> tuple[Any, Any]:
    """Gold votes and labels, by class name, of a reading."""
    votes, labels = (getattr(reading, name, None) for name in ("gold_votes", "gold_labels"))
    if votes is None or labels is None:
        raise InvalidLabelsError(
            f"errors need labels; found {type(reading).__name__} without any. Pass ",
            Argument("gold_labels"),
            InPython(" too, or a Reading that has gold"),
            ".",
        )
    return votes, [votes.class_names[c] for c in labels.tolist()]


def square(table: Tidy, name: str, n_rules: int) -> FloatArray:
    """A column of pairs as a symmetric matrix with 1 on the diagonal, NaN where nothing is known."""
    matrix = np.eye(n_rules)
    first, second = np.array(table["first"], dtype=int), np.array(table["second"], dtype=int)
    of_pairs = np.array(table[name], dtype=float)
    matrix[first, second] = matrix[second, first] = of_pairs
    return matrix


def like_together(matrix: FloatArray) -> IntArray:
    """An order of the rules in which those with large values are neighbours: leaves of average linkage."""
    if len(matrix) < 3:
        return np.arange(len(matrix))
    from scipy.cluster.hierarchy import leaves_list, linkage  # noqa: PLC0415  # only pictures of many rules need it
    from scipy.spatial.distance import squareform  # noqa: PLC0415

    distance = 1 - np.nan_to_num(matrix, nan=float(np.nanmin(matrix)))
    np.fill_diagonal(distance, 0)
    return np.asarray(leaves_list(linkage(squareform(distance, checks=False), "average")))


def _as_table(name: str, matrix: FloatArray, n_shared: IntArray) -> Tidy:
    first, second = np.triu_indices(len(matrix), k=1)
    known = [None if np.isnan(value) else value for value in matrix[first, second].tolist()]
    return Tidy.of({"first": first, "second": second, name: known, "n_shared": n_shared[first, second]})
