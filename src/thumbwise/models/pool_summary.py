"""Summary of its pool that a fitted model keeps: numbers that do not grow with it."""

from __future__ import annotations

from dataclasses import dataclass

from thumbwise._typing import IntArray
from thumbwise.votes.counted_votes import CountedVotes


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
        return cls(votes.n_items, votes.patterns.vote_table, votes.fingerprint)
