"""Datasets in three parts: a pool, gold and test items, each with votes and labels."""

from __future__ import annotations

from dataclasses import dataclass

from thumbwise._typing import IntArray
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class ThreeParts:
    """Votes and labels of the parts into which whoever published the data has split it.

    Attributes
    ----------
    votes, labels : Votes, ndarray of shape (n_items,)
        The pool, and classes by which predictions are judged.
    gold_votes, gold_labels : Votes, ndarray of shape (n_gold,)
    test_votes, test_labels : Votes, ndarray of shape (n_test,)
    """

    votes: Votes
    labels: IntArray
    gold_votes: Votes
    gold_labels: IntArray
    test_votes: Votes
    test_labels: IntArray
