"""Scores that are sums over votes: a number for each class, and one for each vote and class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.numerics.maxent import log_softmax
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.vote_rates import log_rates


@dataclass(frozen=True, eq=False)
class AdditiveTerms:
    """Score of class c = sum over the votes v of rules j of ``by_vote[j, v, c]``, plus ``by_class[c]``.

    Attributes
    ----------
    by_vote : ndarray of shape (n_rules, n_classes, n_classes)
        By rule, class voted for, class that is scored.
    by_class : ndarray of shape (n_classes,)
    are_shares : bool
        Whether probabilities are scores divided by their sum (the same for all classes if that is 0). Otherwise they
        are a softmax.
    """

    by_vote: FloatArray
    by_class: FloatArray
    are_shares: bool = False

    @classmethod
    def of_rates(cls, rates: FloatArray, frequencies: FloatArray) -> AdditiveTerms:
        """Rules that err independently given the class: the log probability of votes together with each class.

        A rate of 0 counts as the smallest positive number: certain, and two contradicting certainties cancel.
        """
        return cls(log_rates(rates), log_rates(frequencies))

    def scores(self, patterns: Patterns) -> FloatArray:
        """Of each pattern and class, shape (n_patterns, n_classes)."""
        return np.asarray(patterns.indicators @ self.by_vote.reshape(-1, len(self.by_class)) + self.by_class)

    def proba(self, patterns: Patterns) -> FloatArray:
        """Probability of each class for each pattern, shape (n_patterns, n_classes)."""
        scores = self.scores(patterns)
        if not self.are_shares:
            return np.exp(log_softmax(scores)[0])
        scores[scores.sum(axis=1) == 0] = 1
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))

    def centred(self) -> AdditiveTerms:
        """What each vote adds, less its mean over the classes that the vote is not for: changes no softmax."""
        own = np.einsum("jvv->jv", self.by_vote)
        others = (self.by_vote.sum(axis=2) - own) / (self.by_vote.shape[2] - 1)
        return AdditiveTerms(self.by_vote - others[:, :, None], self.by_class)
