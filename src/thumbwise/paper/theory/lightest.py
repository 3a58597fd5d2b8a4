"""The lightest of all weights with the same prediction: bounds depend on the size of weights."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

from thumbwise._typing import FloatArray
from thumbwise.box.moments.linear import build_moments
from thumbwise.box.moments.standard import STANDARD
from thumbwise.numerics.maxent import Problem, hessian
from thumbwise.paper.theory.family import check_weights, shares
from thumbwise.votes.votes import Votes

# Directions of weights whose scores differ between classes by less than this share of the largest are redundant.
_REDUNDANT = 1e-12


def lightest_weights(votes: Votes, weights: npt.ArrayLike) -> FloatArray:
    """Weights of the same prediction with the least ``|theta|_1 = n * sum_m share_m |u_m|``.

    Class weights may all be moved by a constant, and copies of a rule may share theirs in any way. Bounds depend on
    ``|theta|``; this choice, a linear program, makes ``|theta|_1`` definite and the bounds with it as low as they can
    be. Where several weights are lightest (copies, an even number of classes), they are one of them.

    Parameters
    ----------
    votes : Votes
    weights : array-like of shape (n_rules + n_classes,)
        Any of this prediction; those that are returned have the same shape.

    Examples
    --------
    >>> import thumbwise as tw
    >>> copies = tw.Votes([[0, 0], [1, 1]])
    >>> float(abs(tw.theory.lightest_weights(copies, [1.0, -0.5, 2.0, 2.0])).sum().round(9))
    0.5
    """
    start, prices = check_weights(votes, weights), shares(votes)
    moves = _redundant_directions(votes)
    m, n_moves = moves.shape
    # start + moves @ v = plus - minus, both at least 0.
    equalities = np.hstack([np.eye(m), -np.eye(m), -moves])
    costs = np.concatenate([prices, prices, np.zeros(n_moves)])
    limits = [(0, None)] * (2 * m) + [(None, None)] * n_moves
    answer = linprog(costs, A_eq=equalities, b_eq=start, bounds=limits, method="highs")
    # Every step along the directions predicts the same, so that an answer short of the optimum is only heavier.
    light = start if answer.x is None else start + moves @ answer.x[2 * m :]
    # Whatever is left where a weight should be 0 is rounding.
    light = np.where(np.abs(light) < 1e-12 * max(1.0, float(np.abs(start).max())), 0.0, light)
    return np.where(prices > 0, light, 0.0)


def _redundant_directions(votes: Votes) -> FloatArray:
    """Orthonormal directions along which no prediction changes: scores move by the same amount for all classes."""
    features = build_moments(STANDARD, votes).features
    n_patterns, k = votes.patterns.n_patterns, votes.n_classes
    zeros = np.zeros(features.shape[1])
    problem = Problem.build(features, np.full(n_patterns, 1 / n_patterns), zeros, zeros, zeros)
    eigenvalues, vectors = np.linalg.eigh(hessian(np.full((n_patterns, k), 1 / k), problem))
    return np.asarray(vectors[:, eigenvalues <= _REDUNDANT * eigenvalues.max()])
