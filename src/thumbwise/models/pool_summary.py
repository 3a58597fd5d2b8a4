"""What a fitted model keeps of its pool: numbers that do not grow with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.counted_votes import CountedVotes


@dataclass(frozen=True, eq=False)
class PoolSummary:
    """Size of a pool, and how often each rule gives each vote.

    Attributes
    ----------
    n_items : int
    counts : ndarray of shape (n_rules, n_classes)
        On how many items each rule votes for each class; it abstains on the others.
    fingerprint : str
        Of the votes: equal for the same votes in any order of the items.
    """

    n_items: int
    counts: IntArray
    fingerprint: str

    @classmethod
    def of(cls, votes: CountedVotes) -> PoolSummary:
        return cls(votes.n_items, count_votes(votes), votes.fingerprint)


def count_votes(votes: CountedVotes) -> IntArray:
    """Items by rule and class, shape (n_rules, n_classes). Sums of counts are exact in floats up to 2^53."""
    patterns, k = votes.patterns, votes.n_classes
    cells = patterns.rules.astype(np.int64) * k + patterns.classes
    weights = np.repeat(patterns.counts, np.diff(patterns.starts))
    counts = np.bincount(cells, weights, minlength=votes.n_rules * k)
    return np.rint(counts).astype(np.int64).reshape(votes.n_rules, k)
