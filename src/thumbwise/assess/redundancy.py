"""Pairs of rules: who says the same, who errs together, and how many rules that makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.numerics.patterns import ABSTAIN, Patterns
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.labels import UNKNOWN, code_labels
from thumbwise.votes.votes import Votes

# Two rules are near-duplicates if, of the items on which either votes, this share gets the same vote from both ...
SAME = 0.98
# ... and this many items have a vote of both.
MIN_SHARED = 20
# Equal columns are copies if chance would bring any of them with at most this probability.
BY_CHANCE = 0.01
# Patterns that are dense at one time; products of small integers stay exact in float32 below 2^24.
_CHUNK = 2**14
_EXACT = 2**24
# With more classes than this most products of dense tables would be of zeros.
_MANY_CLASSES = 8
# A product of sparse entries takes as long as so many of dense ones.
_SPARSE_COST = 30


@dataclass(frozen=True)
class Duplicate:
    """Two rules that say nearly the same.

    Attributes
    ----------
    first, second : str
    same : float
        Share of the items on which either votes that get the same vote from both.
    n_shared : int
        Items on which both vote.
    is_identical : bool
        The same vote, or none, on every item. Identical rules count once in the error budget, near-duplicates do not.
    """

    first: str
    second: str
    same: float
    n_shared: int
    is_identical: bool


@dataclass(frozen=True)
class ErrorPair:
    """Whether two rules err on the same gold items.

    Attributes
    ----------
    first, second : str
    correlation : float
        Phi coefficient of "wrong" of the one and of the other, over gold items with a vote of both. 1: they err
        together always; 0: no more often than by chance; NaN: one of them is always or never wrong there.
    n_shared : int
        Gold items with a vote of both.
    """

    first: str
    second: str
    correlation: float
    n_shared: int


@dataclass(frozen=True, eq=False)
class ErrorCorrelation:
    """Phi coefficients of the errors of all pairs of rules on gold.

    Attributes
    ----------
    rule_names : tuple of str
    values : ndarray of shape (n_rules, n_rules)
        NaN where a rule is always or never wrong on the shared items.
    n_shared : ndarray of shape (n_rules, n_rules)
        Gold items with a vote of both; on the diagonal, of the rule.
    """

    rule_names: tuple[str, ...]
    values: FloatArray
    n_shared: IntArray

    def pairs(self) -> list[ErrorPair]:
        """Every pair with a correlation, the largest first."""
        first, second = np.triu_indices(len(self.rule_names), k=1)
        known = np.flatnonzero(~np.isnan(self.values[first, second]))
        rows = [
            ErrorPair(self.rule_names[i], self.rule_names[j], float(self.values[i, j]), int(self.n_shared[i, j]))
            for i, j in zip(first[known].tolist(), second[known].tolist(), strict=True)
        ]
        return sorted(rows, key=lambda row: -row.correlation)


@dataclass(frozen=True, eq=False)
class Agreement:
    """On how many items two rules both vote, and say the same, for all pairs of rules.

    Attributes
    ----------
    n_shared, n_same : ndarray of shape (n_rules, n_rules)
        Items with a vote of both, and with the same vote of both; on the diagonal, items with a vote of the rule.
    """

    n_shared: IntArray
    n_same: IntArray

    @property
    def n_either(self) -> IntArray:
        """Items on which at least one of them votes."""
        own = self.n_shared.diagonal()
        return np.asarray(own[:, None] + own[None, :] - self.n_shared)

    @property
    def where_both_vote(self) -> FloatArray:
        """Share of the items with a vote of both that get the same one; NaN if they share no item."""
        unknown = np.full(self.n_shared.shape, np.nan)
        return np.asarray(np.divide(self.n_same, self.n_shared, out=unknown, where=self.n_shared > 0))

    @property
    def where_either_votes(self) -> FloatArray:
        """Share of the items with a vote of either that get the same one of both."""
        return np.asarray(self.n_same / np.maximum(self.n_either, 1))


def count_agreement(patterns: Patterns) -> Agreement:
    """Count pairs of votes, by products of tables: dense ones, or sparse ones where most entries would be 0."""
    dense_work = patterns.n_patterns * patterns.n_rules**2
    if _SPARSE_COST * float((patterns.votes_per_pattern.astype(float) ** 2).sum()) < dense_work:
        shared, same = _sparse_products(patterns)
    else:
        shared, same = _dense_products(patterns)
    return Agreement(np.rint(shared).astype(np.int64), np.rint(same).astype(np.int64))


def _dense_products(patterns: Patterns) -> tuple[FloatArray, FloatArray]:
    shared, same = np.zeros((2, patterns.n_rules, patterns.n_rules))
    for start in range(0, patterns.n_patterns, _CHUNK):
        chosen = np.arange(start, min(start + _CHUNK, patterns.n_patterns))
        part = patterns.take(chosen, patterns.counts[chosen])
        rows = part.to_rows()
        dtype = np.float32 if part.n_items < _EXACT else np.float64
        shared += _products(rows != ABSTAIN, part.counts, dtype)
        if patterns.n_classes > _MANY_CLASSES:
            same += _sparse_products(part)[1]
            continue
        for c in range(patterns.n_classes):
            same += _products(rows == c, part.counts, dtype)
    return shared, same


def _products(is_so: npt.NDArray[np.bool_], counts: IntArray, dtype: type) -> FloatArray:
    table: AnyArray = is_so.astype(dtype)
    return np.asarray(table.T @ (table * counts[:, None].astype(dtype)))


def _sparse_products(patterns: Patterns) -> tuple[FloatArray, FloatArray]:
    """The same with a row for each pattern, and for each pattern and class that occurs in it."""
    cells, cell_of_vote = np.unique(patterns.owners * patterns.n_classes + patterns.classes, return_inverse=True)
    of_cells = patterns.counts[cells // patterns.n_classes]
    return _sparse(patterns, patterns.owners, patterns.counts), _sparse(patterns, cell_of_vote, of_cells)


def _sparse(patterns: Patterns, row_of_vote: IntArray, counts: IntArray) -> FloatArray:
    shape = (len(counts), patterns.n_rules)
    table: Any = sp.csr_array((np.ones(len(row_of_vote)), (row_of_vote, patterns.rules)), shape=shape)
    return np.asarray((table.T @ (sp.diags_array(counts.astype(float)) @ table)).toarray())


def find_duplicates(votes: Votes, *, same: float = SAME, min_shared: int = MIN_SHARED) -> list[Duplicate]:
    """Pairs of rules that give the same vote on nearly all items on which either of them votes.

    Agreement where both vote would not do: rules that only ever vote for one class agree wherever they meet.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> a, b = np.random.default_rng(0).integers(2, size=(2, 100))
    >>> votes = tw.Votes(np.column_stack([a, a, b]), rule_names=["a", "copy of a", "b"])
    >>> [(pair.first, pair.second, pair.is_identical) for pair in find_duplicates(votes)]
    [('a', 'copy of a', True)]
    """
    counted = count_agreement(votes.patterns)
    share, n_shared, is_identical = counted.where_either_votes, counted.n_shared, counted.n_same == counted.n_either
    alike = np.argwhere(np.triu((share >= same) & (n_shared >= min_shared), k=1)).tolist()
    names = votes.rule_names
    rows = [
        Duplicate(names[i], names[j], float(share[i, j]), int(n_shared[i, j]), bool(is_identical[i, j]))
        for i, j in alike
    ]
    return sorted(rows, key=lambda row: -row.same)


def find_copies(votes: CountedVotes, *, error: float = BY_CHANCE) -> list[tuple[str, ...]]:
    """Groups of rules that give the same vote, or none, on every item, where chance does not explain that.

    Let a rule vote on n items and say what the rules outside its group say as often as r, where they meet. A rule that
    is no copy would say the same on all n with probability r^n, if it were right or wrong by itself each time. A group
    counts if r^n, times the number of pairs of rules, is at most ``error``. A rule with one class says nothing but
    where it votes: r is then how large a part of the other rules votes there. Rules without votes are no copies.
    *Guarantee*: none; items on which all are right together make equal columns likelier than that.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> a, b = np.random.default_rng(0).integers(2, size=(2, 100))
    >>> find_copies(tw.Votes(np.column_stack([a, b, a, a]), rule_names=["a", "b", "c", "d"]))
    [('a', 'c', 'd')]
    """
    groups = [group for group in _equal_columns(votes.patterns) if len(group) > 1]
    n_pairs = votes.n_rules * (votes.n_rules - 1) / 2
    n_votes = votes.patterns.votes_per_rule
    return [
        tuple(votes.rule_names[j] for j in group)
        for group in groups
        if n_pairs * _meets_others(votes.patterns, group) ** int(n_votes[group[0]]) <= error
    ]


def _equal_columns(patterns: Patterns) -> list[list[int]]:
    """Rules with votes, by what they say about every pattern."""
    order = np.argsort(patterns.rules, kind="stable")
    ends = np.cumsum(np.bincount(patterns.rules, minlength=patterns.n_rules))
    owners, classes = (np.split(values[order], ends[:-1]) for values in (patterns.owners, patterns.classes))
    groups: dict[tuple[bytes, bytes], list[int]] = {}
    for rule, (where, what) in enumerate(zip(owners, classes, strict=True)):
        if len(where):
            groups.setdefault((where.tobytes(), what.tobytes()), []).append(rule)
    return list(groups.values())


def _meets_others(patterns: Patterns, group: list[int]) -> float:
    """How often rules outside a group of copies say what it says; for a group with one class, how often they vote."""
    of_first = np.flatnonzero(patterns.rules == group[0])
    where, what = patterns.owners[of_first], patterns.classes[of_first]
    counts, n_outside = patterns.counts[where], patterns.n_rules - len(group)
    n_voting = patterns.votes_per_pattern[where] - len(group)
    if (what == what[0]).all():
        return float(counts @ n_voting + 1) / float(counts.sum() * n_outside + 2)
    n_same = patterns.votes_per_class[where, what] - len(group)
    return float(counts @ n_same + 1) / float(counts @ n_voting + 2)


def correlate_errors(gold_votes: Votes, gold_labels: Any) -> ErrorCorrelation:
    """Phi coefficient of the errors of each pair of rules, over the gold items on which both vote.

    Examples
    --------
    >>> import thumbwise as tw
    >>> gold = tw.Votes([[0, 0], [1, 0], [0, 0], [1, 1]], rule_names=["a", "b"])
    >>> round(correlate_errors(gold, [0, 1, 1, 0]).pairs()[0].correlation, 3)  # wrong: 0011 and 0111
    0.577
    """
    labels = code_labels(gold_labels, gold_votes.class_names, gold_votes.n_items)
    known = labels != UNKNOWN
    array = gold_votes.array[known]
    voted = (array >= 0).astype(float)
    wrong = voted * (array != labels[known][:, None])
    both = voted.T @ voted
    # Sums over the items that a pair shares: entry (i, j) is about rule i where rule j votes too.
    sums = wrong.T @ voted
    covariance = both * (wrong.T @ wrong) - sums * sums.T
    variance = both * sums - sums**2
    spread = np.sqrt(variance * variance.T)
    phi = np.divide(covariance, spread, out=np.full_like(spread, np.nan), where=spread > 0)
    return ErrorCorrelation(gold_votes.rule_names, phi, np.rint(both).astype(np.int64))


def effective_number(errors: ErrorCorrelation) -> float:
    """How many rules with uncorrelated errors the rules amount to: sum_i 1 / sum_j r_ij^2.

    A rule whose errors d - 1 others repeat counts 1 / d, so p rules that err independently give p, p copies give 1,
    and five copies beside three others give 4. (The participation ratio of the eigenvalues, p^2 / sum_ij r_ij^2, would
    give 2.3 there, because the copies weigh five times.) Squared correlations of n items are 1 / (n - 1) too large on
    average where there is none; they are corrected for it, r^2 - (1 - r^2) / (n - 2), and a pair whose correlation is
    not known counts as uncorrelated. Rules without a vote on gold are left out.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> a, b = np.random.default_rng(0).integers(2, size=(2, 400))
    >>> copied = tw.Votes(np.column_stack([a, a, a, b]))
    >>> round(effective_number(correlate_errors(copied, np.zeros(400, int))), 1)
    2.0
    """
    seen = errors.n_shared.diagonal() > 0
    squares = errors.values[np.ix_(seen, seen)] ** 2
    n_shared = errors.n_shared[np.ix_(seen, seen)]
    squares = np.nan_to_num(squares - (1 - squares) / np.maximum(n_shared - 2, 1))
    np.fill_diagonal(squares, 1.0)
    return float((1 / np.maximum(squares.sum(axis=1), 1.0)).sum())
