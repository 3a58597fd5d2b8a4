"""Expectation maximisation for rules that are right with one probability each, at the cost of the votes.

Wrong votes are for any other class alike, so a prediction is one of the maximum-entropy family, with a weight
log(b_j / q_j) for rule j, where q_j = (1 - b_j) / (k - 1), and log w_c for class c; all that the next estimates need is
its moments. Nothing of size rules x classes x classes is made. Arrays in, arrays out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.numerics.maxent import Problem, predict
from thumbwise.numerics.rate_vectors import CoinVectors
from thumbwise.numerics.shared_features import Features
from thumbwise.numerics.vote_rates import log_rates


@dataclass(frozen=True, eq=False)
class OneCoinVotes:
    """Votes, labels and prior counts that accuracies b and class frequencies w are estimated from.

    Parameters are one vector, of ``vectors``: accuracies b, rates q of each wrong vote, class frequencies w.

    Attributes
    ----------
    features : array or SharedFeatures of shape (n_patterns * n_classes, n_rules + n_classes)
        1 where a rule votes for the class, and where the class is the one in question.
    unlabeled : ndarray of shape (n_patterns,)
        Number of items without a label.
    labeled : ndarray of shape (n_rules + n_classes,)
        Right votes of each rule on items with a label, and items with the label of each class.
    n_votes : ndarray of shape (n_rules,)
    n_classes : int
    prior_right, prior_wrong, prior_class : float
        As if each rule had been right and wrong so often on items of each class, and each class been seen so often.
    """

    features: Features
    unlabeled: FloatArray
    labeled: FloatArray
    n_votes: FloatArray
    n_classes: int
    prior_right: float
    prior_wrong: float
    prior_class: float

    @cached_property
    def vectors(self) -> CoinVectors:
        return CoinVectors(len(self.n_votes), self.n_classes, by_class=False)

    @cached_property
    def _game(self) -> Problem:
        nothing = np.zeros(len(self.labeled))
        return Problem(self.features, self.unlabeled, nothing, nothing, nothing, self.n_classes)

    def maximise(self, totals: FloatArray) -> FloatArray:
        """Parameters that fit best, from expected right votes of the unlabeled items and their expected classes."""
        right, by_class = np.split(totals + self.labeled, [len(self.n_votes)])
        right, by_class = right + self.n_classes * self.prior_right, by_class + self.prior_class
        seen = self.n_votes + self.n_classes * (self.prior_right + self.prior_wrong)
        accuracies = np.divide(right, seen, out=np.full_like(right, 1 / self.n_classes), where=seen > 0)
        return self.vectors.join(accuracies, by_class / by_class.sum())

    def step(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Log posterior of the parameters up to a constant, and the E and M step that follow."""
        right, wrong, by_class = self.vectors.parts(log_rates(parameters))
        weights = np.concatenate([right - wrong, by_class])
        prediction = predict(weights, self._game)
        objective = self.unlabeled @ prediction.log_sums + weights @ self.labeled + self.n_votes @ wrong
        objective += self.n_classes * (self.prior_right * right.sum() + self.prior_wrong * wrong.sum())
        objective += self.prior_class * by_class.sum()
        return float(objective), self.maximise(prediction.totals)
