"""How much of what the rules say is said twice: copies, errors made together, and an effective number of rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray, IntArray
from thumbwise.labels import UNKNOWN, code_labels
from thumbwise.patterns import Patterns
from thumbwise.votes import Votes

# Two rules are near-duplicates if, of the items on which either votes, this share gets the same vote from both ...
SAME = 0.98
# ... and this many items have a vote of both.
MIN_SHARED = 20


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
    shared, agreed = _count_pairs(votes.patterns)
    either = shared.diagonal()[:, None] + shared.diagonal()[None, :] - shared
    share = agreed / np.maximum(either, 1)
    found = np.argwhere(np.triu((share >= same) & (shared >= min_shared), k=1))
    rows = [
        Duplicate(
            votes.rule_names[i],
            votes.rule_names[j],
            float(share[i, j]),
            int(shared[i, j]),
            bool(agreed[i, j] == either[i, j]),
        )
        for i, j in found.tolist()
    ]
    return sorted(rows, key=lambda row: -row.same)


def _count_pairs(patterns: Patterns) -> tuple[IntArray, IntArray]:
    """Items with a vote of both rules, and with the same vote, shape (n_rules, n_rules)."""
    shape = (patterns.n_patterns, patterns.n_rules)
    counts = sp.diags_array(patterns.counts.astype(float))
    said = sp.csr_array((np.ones(len(patterns.rules)), patterns.rules, patterns.starts), shape=shape)
    agreed = np.zeros((patterns.n_rules, patterns.n_rules), dtype=float)
    for c in range(patterns.n_classes):
        of_class = said.copy()
        of_class.data = (patterns.classes == c).astype(float)
        agreed += (of_class.T @ (counts @ of_class)).toarray()
    shared = (said.T @ (counts @ said)).toarray()
    return np.rint(shared).astype(np.int64), np.rint(agreed).astype(np.int64)


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
    values = np.divide(covariance, spread, out=np.full_like(spread, np.nan), where=spread > 0)
    return ErrorCorrelation(gold_votes.rule_names, values, np.rint(both).astype(np.int64))


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
