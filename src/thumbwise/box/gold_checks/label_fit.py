"""Whether gold labels belong to their votes: labels moved to other rows agree with them no better than by chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.votes.votes import Votes


@dataclass(frozen=True)
class LabelFit:
    """How many gold votes are right, beside what shuffled labels would give.

    Attributes
    ----------
    n_votes, n_right : int
        Votes on the gold items, and how many of them are right.
    expected : float
        Mean number of right votes over all orders of the labels.
    p_value : float
        Share of random orders, the given one among them, with at least as many right votes.
    error : float
        Labels fit if the p-value is at most this.
    only_class : str or None
        The class of all gold items, if they are all of one: every order of such labels is the same, and nothing can be
        said.
    """

    n_votes: int
    n_right: int
    expected: float
    p_value: float
    error: float
    only_class: str | None = None

    @property
    def fits(self) -> bool:
        return self.p_value <= self.error

    def __str__(self) -> str:
        right = f"{self.n_right:,} of {self.n_votes:,} gold votes are right"
        counts = f"{right}, shuffled labels would give {self.expected:,.0f}"
        if self.only_class is not None:
            return (
                f"Gold shows only class {self.only_class!r}, so that nothing tells whether its labels belong to these "
                f"votes ({right}). Label more items drawn at random, or check whether labels of other classes are "
                "missing."
            )
        if self.fits:
            return f"The gold labels fit the votes ({counts})."
        return (
            f"The gold labels fit the votes no better than shuffled labels would ({counts}, p = {self.p_value:.2g}). "
            "Either the rules know nothing, or labels and items are not aligned: check the rows."
        )


def check_labels(
    gold_votes: Votes, labels: IntArray, *, error: float = 0.05, n_permutations: int = 999, random_state: int = 0
) -> LabelFit:
    """Compare the number of right gold votes with that of shuffled labels.

    *Guarantee*: if labels and votes have nothing to do with each other, ``fits`` is true with probability at most
    ``error``; a permutation test, exact. A p-value above it proves nothing, but is a reason to look.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> votes = tw.Votes(np.repeat([[0, 0], [1, 1]], 20, axis=0))
    >>> check_labels(votes, np.repeat([0, 1], 20)).fits
    True
    >>> print(check_labels(votes, np.tile([0, 1], 20)))  # doctest: +NORMALIZE_WHITESPACE
    The gold labels fit the votes no better than shuffled labels would (40 of 80 gold votes are right, shuffled labels
    would give 40, p = 0.61). Either the rules know nothing, or labels and items are not aligned: check the rows.
    """
    votes_by_class = gold_votes.patterns.votes_per_class[gold_votes.inverse]
    rows = np.arange(len(labels))
    n_right = int(votes_by_class[rows, labels].sum())
    rng = np.random.default_rng(random_state)
    shuffled = [int(votes_by_class[rows, rng.permutation(labels)].sum()) for _ in range(n_permutations)]
    shares = np.bincount(labels, minlength=gold_votes.n_classes) / len(labels)
    p_value = (1 + sum(right >= n_right for right in shuffled)) / (1 + n_permutations)
    seen = np.flatnonzero(shares)
    only = str(gold_votes.class_names[seen[0]]) if len(seen) == 1 else None
    n_votes, expected = int(votes_by_class.sum()), float(votes_by_class.sum(axis=0) @ shares)
    return LabelFit(n_votes, n_right, expected, p_value, error, only)
