"""The game as logistic regression, and logistic regression as a game.

The dual value of the game is, for every weights u and every truth eta with moments b*,

    D(u) = -eta.log g(u) / n + sum_m share_m [(b*_m - lower_m) u_m^+ + (upper_m - b*_m) u_m^-]:

cross entropy of a logistic regression whose features are votes, with a penalty that has two slopes for each weight. The
other way round, multinomial logistic regression with an L1 penalty is a game whose moments are sums of x_i[f] z_i[c].
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from thumbwise._typing import FloatArray
from thumbwise.box.box import Box
from thumbwise.box.moments.linear import build_moments
from thumbwise.box.moments.standard import STANDARD
from thumbwise.numerics.maxent import Problem, log_softmax
from thumbwise.numerics.shared_features import as_rows
from thumbwise.numerics.solver import solve_dual
from thumbwise.paper.theory.family import shares
from thumbwise.paper.theory.truth import Truth
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class LogisticForm:
    """A box and a truth as a logistic regression on patterns, per item.

    Attributes
    ----------
    features : sparse array of shape (n_patterns, n_moments * n_classes)
        What each moment says of each class, moment by moment; ``features[votes.inverse]`` are those of the items.
    masses : ndarray of shape (n_patterns, n_classes)
        Share of the items with each pattern and class: sample weights.
    rise, fall : ndarray of shape (n_moments,)
        Price of a unit of positive weight, share * (b* - lower), and of negative weight, share * (upper - b*). At least
        0 if the box holds the true moments.
    """

    features: sp.csr_array
    masses: FloatArray
    rise: FloatArray
    fall: FloatArray

    def objective(self, weights: npt.ArrayLike) -> float:
        """Cross entropy plus penalty, in nats per item: the dual value of the game, whatever the truth.

            -sum masses.log g(u) + rise.u^+ + fall.u^-

        Parameters
        ----------
        weights : array-like of shape (n_moments,)
        """
        u = np.asarray(weights, dtype=float)
        log_proba, _ = log_softmax(np.asarray(self.features @ weight_matrix(u, self.masses.shape[1]).T))
        penalty = self.rise @ np.maximum(u, 0) + self.fall @ np.maximum(-u, 0)
        return float(penalty - np.vdot(self.masses, log_proba))

    @property
    def contrasts(self) -> sp.csr_array:
        """Features of the second class less those of the first, shape (n_patterns, n_moments), for two classes.

        With these as columns the game is a binary logistic regression without intercept: 1 where a rule votes for the
        second class, -1 where it votes for the first.
        """
        if self.masses.shape[1] != 2:
            raise ValueError(
                f"a binary logistic regression needs two classes; found {self.masses.shape[1]}. With more, weights are "
                "shared between classes: use features and weight_matrix."
            )
        return sp.csr_array(self.features[:, 1::2] - self.features[:, 0::2])


def as_logistic_regression(truth: Truth, box: Box) -> LogisticForm:
    """The game for a box as logistic regression with the truth as labels.

    The minimiser does not depend on the truth, which enters cross entropy and penalty with opposite signs. With labels
    whose moments are the middle of the box, rise and fall are equal: an ordinary L1 penalty, half of share * width.

    Parameters
    ----------
    truth : Truth
        Labels or class probabilities.
    box : Box

    Examples
    --------
    >>> import thumbwise as tw
    >>> from thumbwise import theory
    >>> votes = tw.Votes([[0, 0], [1, 1], [1, 0], [0, -1]])
    >>> box = tw.Box.from_bounds(votes, {"rule_0": (0.6, 0.8)})
    >>> form = theory.as_logistic_regression(theory.Truth.of(votes, [0, 1, 1, 1]), box)
    >>> form.rise.round(3), form.fall.round(3)
    (array([0.15, 0.5 , 0.25, 0.75]), array([0.05, 0.25, 0.75, 0.25]))
    >>> round(form.objective([0.0, 0.0, 0.0, 0.0]), 6), round(form.objective([1.0, 0.0, 0.0, 0.0]), 6)
    (0.693147, 0.713262)
    >>> form.contrasts[votes.inverse].toarray()
    array([[-1., -1., -1.,  1.],
           [ 1.,  1., -1.,  1.],
           [ 1., -1., -1.,  1.],
           [-1.,  0., -1.,  1.]])
    """
    sizes = shares(truth.votes)
    rise, fall = sizes * (truth.moments - box.lower), sizes * (box.upper - truth.moments)
    return LogisticForm(logistic_features(truth.votes), truth.masses, rise, fall)


def logistic_features(votes: Votes) -> sp.csr_array:
    """Features of patterns, shape (n_patterns, n_moments * n_classes): moment by moment, class by class.

    Parameters
    ----------
    votes : Votes

    Examples
    --------
    >>> import thumbwise as tw
    >>> tw.theory.logistic_features(tw.Votes([[0], [1]])).toarray().astype(int).tolist()
    [[1, 0, 1, 0, 0, 1], [0, 1, 1, 0, 0, 1]]
    """
    k = votes.n_classes
    cells = sp.coo_array(as_rows(build_moments(STANDARD, votes).features))
    shape = (votes.patterns.n_patterns, cells.shape[1] * k)
    return sp.csr_array((cells.data, (cells.row // k, cells.col * np.int64(k) + cells.row % k)), shape=shape)


def weight_matrix(weights: npt.ArrayLike, n_classes: int) -> FloatArray:
    """(u_1 I, u_2 I, ...), shape (n_classes, n_moments * n_classes): times the features of an item, its scores.

    Parameters
    ----------
    weights : array-like of shape (n_moments,)
    n_classes : int

    Examples
    --------
    >>> from thumbwise import theory
    >>> theory.weight_matrix([2, 3], 2).tolist()
    [[2.0, 0.0, 3.0, 0.0], [0.0, 2.0, 0.0, 3.0]]
    """
    return np.kron(np.asarray(weights, dtype=float)[None, :], np.eye(n_classes))


@dataclass(frozen=True, eq=False)
class L1Regression:
    """Multinomial logistic regression with an L1 penalty, solved as a game.

    Attributes
    ----------
    coefficients : ndarray of shape (n_classes, n_features)
    objective : float
        -sum_i eta_i.log g_i + penalty, summed over items, in nats.
    kkt_residual : float
        Largest distance of a mean of x[f] z[c] from where its coefficient wants it.
    """

    coefficients: FloatArray
    objective: float
    kkt_residual: float


def l1_regression_game(features: npt.ArrayLike, truth: npt.ArrayLike, penalty: npt.ArrayLike) -> Problem:
    """The game whose dual value is the objective of multinomial logistic regression over n, for every coefficients.

    Moment (f, c) is the mean of x_i[f] z_i[c], at place f * n_classes + c, with bounds moments(eta) -+ penalty / n.
    Parameters are those of :func:`solve_l1_regression`, with class probabilities as truth.

    Returns
    -------
    Problem
        What :func:`thumbwise.numerics.solver.solve_dual` takes.

    Examples
    --------
    >>> from thumbwise import theory
    >>> game = theory.l1_regression_game([[1.0], [3.0]], [[1, 0], [0, 1]], penalty=0.5)
    >>> game.lower.tolist(), game.upper.tolist()
    ([0.25, 1.25], [0.75, 1.75])
    """
    x, eta = np.asarray(features, dtype=float), np.asarray(truth, dtype=float)
    (n, d), k = x.shape, eta.shape[1]
    centres = (x.T @ eta / n).ravel()
    room = np.repeat(np.broadcast_to(np.asarray(penalty, dtype=float), d), k) / n
    cells = sp.csr_array(sp.kron(x, sp.eye_array(k), format="csr"))
    return Problem.build(cells, np.full(n, 1 / n), np.ones(d * k), centres - room, centres + room)


def solve_l1_regression(
    features: npt.ArrayLike,
    labels: npt.ArrayLike,
    penalty: npt.ArrayLike,
    *,
    tol: float = 1e-10,
    max_iter: int = 200,
) -> L1Regression:
    """Minimise ``-sum_i eta_i.log softmax(W x_i) + sum_f penalty_f sum_c |W[c, f]|`` with the solver of the game.

    There is no intercept: add a column of ones, with penalty 0 if it is to be free. Coefficients of a feature may all
    be moved by a constant if that changes no penalty (a free intercept; two classes), so that they are not unique then.

    Parameters
    ----------
    features : array-like of shape (n_items, n_features)
    labels : array-like of shape (n_items,) or (n_items, n_classes)
        Class numbers, or class probabilities.
    penalty : float or array-like of shape (n_features,)
        At least 0; scikit-learn's 1 / C.
    tol, max_iter
        As in :func:`thumbwise.numerics.solver.solve_dual`.

    Returns
    -------
    L1Regression

    Examples
    --------
    >>> from thumbwise import theory
    >>> solved = theory.solve_l1_regression([[1, 0], [1, 1], [1, 2], [1, 3]], [0, 1, 0, 1], penalty=[0, 0.1])
    >>> (solved.coefficients[1] - solved.coefficients[0]).round(3)
    array([-1.193,  0.795])
    """
    eta = _as_probabilities(np.asarray(labels))
    x = np.asarray(features, dtype=float)
    if x.ndim != 2 or len(x) != len(eta) or not np.isfinite(x).all():
        raise ValueError(
            f"features must be finite and have one row per label; found shape {x.shape} for {len(eta)} labels."
        )
    if (np.asarray(penalty) < 0).any():
        raise ValueError(f"the penalty must be at least 0; found {np.min(np.asarray(penalty))}.")
    solution = solve_dual(l1_regression_game(x, eta, penalty), tol=tol, max_iter=max_iter)
    if solution.kkt_residual > tol:
        warnings.warn(
            f"KKT residual {solution.kkt_residual:.1e} exceeds tol={tol:.1e} after {solution.n_iter} iterations.",
            ConvergenceWarning,
            stacklevel=2,
        )
    coefficients = solution.weights.reshape(x.shape[1], eta.shape[1]).T
    return L1Regression(coefficients, solution.dual_value * len(x), solution.kkt_residual)


def _as_probabilities(labels: npt.NDArray[np.generic]) -> FloatArray:
    if labels.ndim == 2:
        return labels.astype(float)
    if labels.dtype.kind not in "iu" or labels.min() < 0:
        raise ValueError(f"labels must be class numbers 0, 1, ... or class probabilities; found {labels[:3].tolist()}.")
    return np.eye(max(2, int(labels.max()) + 1))[labels.astype(np.int64)]
