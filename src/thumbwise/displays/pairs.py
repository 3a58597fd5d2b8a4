"""Which rules say the same, and which err together, for every pair; and an order that puts the like side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from thumbwise._typing import FloatArray, IntArray
from thumbwise.displays.tidy import Tidy
from thumbwise.patterns import ABSTAIN, Patterns
from thumbwise.redundancy import correlate_errors
from thumbwise.votes import Votes

# Patterns that are dense at one time; products of small integers stay exact in float32 below 2^24.
_CHUNK = 2**14
_EXACT = 2**24
# With more classes than this most products of dense tables would be of zeros.
_MANY_CLASSES = 8


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
    shared, same = _count_pairs(votes.patterns if rules is None else votes.patterns.with_rules(rules))
    share = np.divide(same, shared, out=np.full(shared.shape, np.nan), where=shared > 0)
    return _as_table("agreement", share, shared)


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


def _count_pairs(patterns: Patterns) -> tuple[IntArray, IntArray]:
    """Items with a vote of both rules, and with the same vote of both, shape (n_rules, n_rules)."""
    shared, same = np.zeros((2, patterns.n_rules, patterns.n_rules))
    for start in range(0, patterns.n_patterns, _CHUNK):
        chosen = np.arange(start, min(start + _CHUNK, patterns.n_patterns))
        part = patterns.take(chosen, patterns.counts[chosen])
        rows = part.to_rows()
        dtype = np.float32 if part.n_items < _EXACT else np.float64
        shared += _products(rows != ABSTAIN, part.counts, dtype)
        if patterns.n_classes > _MANY_CLASSES:
            same += _same_votes(part)
            continue
        for c in range(patterns.n_classes):
            same += _products(rows == c, part.counts, dtype)
    return np.rint(shared).astype(np.int64), np.rint(same).astype(np.int64)


def _same_votes(patterns: Patterns) -> FloatArray:
    """Items with the same vote of both rules, by a row for each pattern and class that occurs in it."""
    cells, row = np.unique(patterns.owners * patterns.n_classes + patterns.classes, return_inverse=True)
    shape = (len(cells), patterns.n_rules)
    table = sp.csr_array((np.ones(len(row)), (row, patterns.rules)), shape=shape)
    counts = patterns.counts[cells // patterns.n_classes].astype(float)
    return np.asarray((table.T @ (sp.diags_array(counts) @ table)).toarray())


def _products(is_so: Any, counts: IntArray, dtype: type) -> FloatArray:
    table = is_so.astype(dtype)
    return np.asarray(table.T @ (table * counts[:, None].astype(dtype)))
