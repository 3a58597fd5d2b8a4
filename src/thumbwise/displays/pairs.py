"""Which rules say the same, and which err together, for every pair; and an order that puts the like side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from thumbwise._typing import FloatArray, IntArray
from thumbwise.displays.tidy import Tidy
from thumbwise.redundancy import correlate_errors, count_agreement
from thumbwise.votes import Votes


def agreement_table(votes: Votes, rules: Sequence[int] | None = None) -> Tidy:
    """For every two rules, the share of the items on which both vote that get the same vote from both.

    Parameters
    ----------
    votes : Votes
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
    counted = count_agreement(votes.patterns if rules is None else votes.patterns.with_rules(rules))
    return _as_table("agreement", counted.where_both_vote, counted.n_shared)


def errors_table(gold_votes: Votes, gold_labels: Any) -> Tidy:
    """For every two rules, the phi coefficient of their errors on the gold items on which both vote.

    Returns
    -------
    Tidy
        Columns ``first``, ``second``, ``correlation`` (None if one of them is always or never wrong there),
        ``n_shared``.
    """
    errors = correlate_errors(gold_votes, gold_labels)
    return _as_table("correlation", errors.values, errors.n_shared)


def square(table: Tidy, name: str, n_rules: int) -> FloatArray:
    """A column of pairs as a symmetric matrix with 1 on the diagonal, NaN where nothing is known."""
    matrix = np.eye(n_rules)
    first, second = np.array(table["first"], dtype=int), np.array(table["second"], dtype=int)
    values = np.array(table[name], dtype=float)
    matrix[first, second] = matrix[second, first] = values
    return matrix


def like_together(matrix: FloatArray) -> IntArray:
    """An order of the rules in which those with large values are neighbours: leaves of average linkage."""
    if len(matrix) < 3:
        return np.arange(len(matrix))
    distance = 1 - np.nan_to_num(matrix, nan=float(np.nanmin(matrix)))
    np.fill_diagonal(distance, 0)
    return np.asarray(leaves_list(linkage(squareform(distance, checks=False), "average")))


def _as_table(name: str, values: FloatArray, n_shared: IntArray) -> Tidy:
    first, second = np.triu_indices(len(values), k=1)
    known = [None if np.isnan(value) else value for value in values[first, second].tolist()]
    return Tidy.of({"first": first, "second": second, name: known, "n_shared": n_shared[first, second]})
