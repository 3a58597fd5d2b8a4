"""Predictions of the family, on patterns: what the game and one-coin Dawid-Skene have in common.

Members are given by weights, log-odds per vote, rules first, then classes: the prediction is the softmax over classes
of the weights of the rules that vote for each, plus the weight of the class. All values are in nats per item; times
``n_items`` they are the sums of An and Dasgupta (2024), whose weights are theta = n_items * share * weight.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thumbwise._typing import FloatArray
from thumbwise.box.moments.linear import build_moments
from thumbwise.box.moments.standard import STANDARD
from thumbwise.numerics.maxent import log_softmax, scores
from thumbwise.votes.votes import Votes


def log_predictions(votes: Votes, weights: npt.ArrayLike) -> FloatArray:
    """Log probabilities of a member of the family, shape (n_patterns, n_classes), finite for finite weights.

        log g_t[c] = s_t[c] - log sum_c' exp s_t[c'],   s_t[c] = u_c + sum of u_j over rules j that vote c on pattern t

    Parameters
    ----------
    votes : Votes
    weights : array-like of shape (n_rules + n_classes,)
        u, rules first.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 0], [1, 0]])
    >>> np.exp(tw.theory.log_predictions(votes, [1.0, 0.5, 0.0, 0.0])).round(3).tolist()
    [[0.818, 0.182], [0.378, 0.622]]
    """
    weights = check_weights(votes, weights)
    return log_softmax(scores(weights, build_moments(STANDARD, votes).features, votes.n_classes))[0]


def divergence(votes: Votes, first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """d(g, g') / n between two members of the family, given by weights: the mean over items of KL(g_i, g'_i).

    Parameters
    ----------
    votes : Votes
    first, second : array-like of shape (n_rules + n_classes,)
        Weights of g and of g'.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 0], [1, 1], [1, 0], [0, -1]])
    >>> round(tw.theory.divergence(votes, [1.0, 0.5, 0, 0], [0.5, 0.5, 0, 0]), 4)
    0.0245
    """
    p, q = log_predictions(votes, first), log_predictions(votes, second)
    per_pattern = (np.exp(p) * (p - q)).sum(axis=1)
    return float(votes.patterns.counts @ per_pattern / votes.n_items)


def predicted_moments(votes: Votes, weights: npt.ArrayLike) -> FloatArray:
    """Accuracies and class frequencies that a member of the family would have if it were the truth.

    Parameters
    ----------
    votes : Votes
    weights : array-like of shape (n_rules + n_classes,)

    Returns
    -------
    ndarray of shape (n_rules + n_classes,)

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 0], [1, 1], [1, 0], [0, -1]])
    >>> tw.theory.predicted_moments(votes, [1.0, 0.5, 0.0, 0.0]).round(3).tolist()
    [0.747, 0.671, 0.527, 0.473]
    """
    masses = votes.patterns.counts[:, None] * np.exp(log_predictions(votes, weights))
    return build_moments(STANDARD, votes).averages(masses)


def one_coin_estimates(votes: Votes, moments: FloatArray) -> tuple[FloatArray, FloatArray]:
    """M step: moments as accuracies and class frequencies; 1 / n_classes for a rule that never votes."""
    accuracies, frequencies = np.split(moments, [votes.n_rules])
    silent = votes.patterns.votes_per_rule == 0
    return np.where(silent, 1 / votes.n_classes, accuracies), frequencies


def shares(votes: Votes) -> FloatArray:
    """Share of the items that each moment averages over: n_j / n for rules, 1 for classes."""
    return np.asarray(build_moments(STANDARD, votes).sizes / votes.n_items)


def paper_weights(votes: Votes, weights: npt.ArrayLike) -> FloatArray:
    """Weights in the units of An and Dasgupta (2024): theta_j = n_j * u_j for rules, n * u for classes.

    Parameters
    ----------
    votes : Votes
    weights : array-like of shape (n_rules + n_classes,)
        Per vote, as everywhere else.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> from thumbwise import theory
    >>> votes = tw.Votes([[0, 0], [1, 1], [1, 0], [0, -1]])
    >>> theta = theory.paper_weights(votes, theory.one_coin_weights(np.array([0.75, 0.5]), np.array([0.25, 0.75])))
    >>> theta.round(3)
    array([ 4.394,  0.   , -5.545, -1.151])
    >>> theory.one_coin_parameters(theory.weights_from_paper(votes, theta), 2)
    (array([0.75, 0.5 ]), array([0.25, 0.75]))
    """
    return check_weights(votes, weights) * shares(votes) * votes.n_items


def weights_from_paper(votes: Votes, theta: npt.ArrayLike) -> FloatArray:
    """Weights per vote from those of the paper, back from :func:`paper_weights`; 0 for a rule that never votes.

    Parameters
    ----------
    votes : Votes
    theta : array-like of shape (n_rules + n_classes,)

    Examples
    --------
    >>> import thumbwise as tw
    >>> tw.theory.weights_from_paper(tw.Votes([[0, 0], [1, -1]]), [4.0, 3.0, 0.0, 2.0]).tolist()
    [2.0, 3.0, 0.0, 1.0]
    """
    sizes = shares(votes) * votes.n_items
    return np.divide(check_weights(votes, theta), sizes, out=np.zeros(len(sizes)), where=sizes > 0)


def check_weights(votes: Votes, weights: npt.ArrayLike) -> FloatArray:
    """Finite numbers, one per rule and class."""
    checked = np.asarray(weights, dtype=float)
    wanted = votes.n_rules + votes.n_classes
    if checked.shape != (wanted,) or not np.isfinite(checked).all():
        raise ValueError(
            f"weights must be {wanted} finite numbers, {votes.n_rules} for the rules and then {votes.n_classes} for "
            f"the classes; found shape {checked.shape} with {int((~np.isfinite(checked)).sum())} that are not finite. "
            "For an accuracy of 0 or 1 take one_coin_weights, which stay finite."
        )
    return checked
