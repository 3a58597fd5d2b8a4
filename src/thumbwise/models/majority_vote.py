"""Majority vote: the baseline that everything must beat."""

from __future__ import annotations

from typing import Any

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.models.additive_terms import AdditiveTerms
from thumbwise.models.base import LabelModel
from thumbwise.models.compared import Compared
from thumbwise.models.inputs import read_for_fit
from thumbwise.models.saved.fields import fields
from thumbwise.numerics.patterns import Patterns
from thumbwise.votes.counted_votes import CountedVotes


class MajorityVote(LabelModel):
    """Share of the votes that each class gets; an item without votes gets the same probability for all classes.

    The probability of class c is n_c / sum_c' n_c', with n_c votes for c on the item. Nothing is estimated, from votes
    or from labels. Assumes that all rules are equally good. *Guarantee*: none.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    rule_names_ : tuple of str

    Examples
    --------
    >>> import thumbwise as tw
    >>> tw.MajorityVote().fit([[0, 0, 1], [-1, -1, -1]]).predict_proba([[0, 0, 1], [-1, -1, -1]])
    array([[0.66666667, 0.33333333],
           [0.5       , 0.5       ]])
    """

    _learned = fields()
    _compared = (Compared("majority vote", by_default=True),)

    def fit(self, votes: Any, y: Any = None) -> MajorityVote:
        """Learn nothing but the names of rules and classes; ``y`` is ignored."""
        self._remember(read_for_fit(votes, y)[0])
        return self

    def additive_terms(self) -> AdditiveTerms:
        """One for the class that a vote is for; probabilities are shares."""
        k = len(self.classes_)
        return AdditiveTerms(np.tile(np.eye(k), (len(self.rule_names_), 1, 1)), np.zeros(k), are_shares=True)

    def _predict_patterns(self, votes: CountedVotes) -> FloatArray:
        return vote_shares(votes.patterns)


def vote_shares(patterns: Patterns) -> FloatArray:
    """Share of the votes for each class, uniform where there is no vote, shape (n_patterns, n_classes)."""
    shares = patterns.votes_per_class.astype(float)
    shares[patterns.votes_per_pattern == 0] = 1
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def share_totals(patterns: Patterns, counts: FloatArray) -> FloatArray:
    """Votes of each rule that the shares of votes expect to be right, and items that they expect of each class.

    Each pattern counts so many times; shape (n_rules + n_classes,). What :func:`vote_shares` sums to, from the votes
    alone.
    """
    k, owners = patterns.n_classes, patterns.owners
    cells = owners * np.int64(k) + patterns.classes
    _, place, n_alike = np.unique(cells, return_inverse=True, return_counts=True)
    each = counts[owners] / np.maximum(patterns.votes_per_pattern, 1)[owners]
    right = np.bincount(patterns.rules, each * n_alike[place], minlength=patterns.n_rules)
    by_class = np.bincount(patterns.classes, each, minlength=k)
    return np.concatenate([right, by_class + counts[patterns.votes_per_pattern == 0].sum() / k])
