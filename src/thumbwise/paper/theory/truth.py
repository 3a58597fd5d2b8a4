"""Votes on items whose true class probabilities are known, on patterns, and the best approximator of the truth."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy
from sklearn.exceptions import ConvergenceWarning

from thumbwise._typing import FloatArray
from thumbwise.box.box import Box
from thumbwise.box.moments.linear import build_moments
from thumbwise.box.moments.standard import STANDARD
from thumbwise.game.pinning import pose_problem
from thumbwise.numerics.solver import solve_dual
from thumbwise.paper.theory.family import log_predictions, one_coin_estimates
from thumbwise.paper.theory.lightest import lightest_weights
from thumbwise.votes.labels import label_masses
from thumbwise.votes.votes import Votes

# Identities with the best approximator hold up to this residual times weights. The solver goes on as far as digits do.
_TIGHT, _TOLERATED = 1e-13, 1e-9


@dataclass(frozen=True, eq=False)
class Truth:
    """What is known about the items: everything. Make one with :meth:`of`.

    Attributes
    ----------
    votes : Votes
    masses : ndarray of shape (n_patterns, n_classes)
        Share of the items with each pattern and class; sums to 1.
    entropy : float
        Mean entropy of the true class probabilities, -eta.log eta / n; 0 if they are labels.
    moments, best_weights : ndarray of shape (n_rules + n_classes,)
        True accuracies and class frequencies; weights of the best approximator.
    one_coin : tuple of ndarray, of shapes (n_rules,) and (n_classes,)

    Examples
    --------
    >>> import thumbwise as tw
    >>> from thumbwise import theory
    >>> truth = theory.Truth.of(tw.Votes([[0, 0], [1, 1], [1, 0], [0, -1]]), [0, 1, 1, 1])
    >>> truth.moments.round(3)
    array([0.75 , 0.667, 0.25 , 0.75 ])
    >>> round(truth.divergence([1.0, 0.5, 0.0, 0.0]), 6)
    0.547541
    """

    votes: Votes
    masses: FloatArray
    entropy: float

    @classmethod
    def of(cls, votes: Votes, labels: Any) -> Truth:
        """Take the truth.

        Parameters
        ----------
        votes : Votes
        labels : array-like of shape (n_items,) or (n_items, n_classes)
            True classes, all known, or true class probabilities eta. Rows that miss a sum of 1 by rounding are scaled.
        """
        soft = np.asarray(labels)
        if soft.ndim != 2 or soft.shape != (votes.n_items, votes.n_classes):
            return cls(votes, label_masses(votes, labels) / votes.n_items, 0.0)
        label_masses(votes, soft)  # refuses what is not a probability
        soft = soft / soft.sum(axis=1, keepdims=True)
        entropy = -float(xlogy(soft, soft).sum() / votes.n_items)
        return cls(votes, label_masses(votes, soft) / votes.n_items, entropy)

    @cached_property
    def moments(self) -> FloatArray:
        """True accuracies, then class frequencies, shape (n_rules + n_classes,); 0 for a rule that never votes."""
        moments = build_moments(STANDARD, self.votes)
        return np.clip(moments.averages(self.masses * self.votes.n_items), 0, 1)

    @cached_property
    def one_coin(self) -> tuple[FloatArray, FloatArray]:
        """True accuracies and class frequencies, as Dawid-Skene has them: 1 / n_classes for a rule that never votes."""
        return one_coin_estimates(self.votes, self.moments)

    @cached_property
    def best_weights(self) -> FloatArray:
        """Weights of the best approximator g*: of the whole family, the least divergence from the truth.

        It is what ``BalsubramaniFreund`` predicts with ``Box.exact``, its moments are the true ones, and it is unique.
        Its weights are not; these are the lightest (:func:`lightest_weights`). A rule that is always right, or always
        wrong, makes g* a limit of the family: weights then are finite, and moments within 1e-9 of the true ones.
        """
        box = Box.from_bounds(self.votes, lower=self.moments, upper=self.moments)
        solution = solve_dual(pose_problem(self.votes, box), tol=_TIGHT)
        if solution.kkt_residual > _TOLERATED:
            warnings.warn(
                f"moments of the best approximator are off by {solution.kkt_residual:.1e} (tol={_TOLERATED:.1e}) after "
                f"{solution.n_iter} iterations; identities hold up to that times the weights.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return lightest_weights(self.votes, solution.weights)

    def divergence(self, weights: npt.ArrayLike) -> float:
        """d(eta, g) / n, the mean Kullback-Leibler divergence of a member of the family from the truth.

        Parameters
        ----------
        weights : array-like of shape (n_rules + n_classes,)
        """
        return self.divergence_of(log_predictions(self.votes, weights))

    def divergence_of(self, log_proba: FloatArray) -> float:
        """The same for any prediction, from log probabilities of patterns; infinite where one is -inf and possible.

        Parameters
        ----------
        log_proba : ndarray of shape (n_patterns, n_classes)

        Examples
        --------
        >>> import numpy as np
        >>> import thumbwise as tw
        >>> truth = tw.theory.Truth.of(tw.Votes([[0], [1]]), [0, 1])
        >>> round(truth.divergence_of(np.log([[0.8, 0.2], [0.2, 0.8]])), 4)
        0.2231
        """
        costs = np.where(self.masses > 0, -self.masses * log_proba, 0.0)
        return float(costs.sum()) - self.entropy
