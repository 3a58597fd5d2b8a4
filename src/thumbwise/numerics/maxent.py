"""The game on patterns: predictions, dual value, moments, optimality. Arrays in, arrays out.

The prediction with weights u is g_t[c] = softmax over c of s_t[c] = sum_m u_m * feature_m(t, c), and the dual value

    D(u) = sum_t mass_t * logsumexp_c s_t[c]  -  sum_m share_m * min(u_m * lower_m, u_m * upper_m)

bounds the mean log loss of g(u) against every labeling whose moments lie in [lower, upper], for every u.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.shared_features import (
    Features,
    JoinedFeatures,
    Rows,
    SharedFeatures,
    as_rows,
    put_beside,
    take_columns,
)
from thumbwise.numerics.shared_prediction import SharedPrediction, weighted_squares

# Dense features up to this many cells are kept as they are; beyond it they are made dense a block at a time.
_DENSE_CELLS = 2**23
# One multiplication of a sparse product costs about this many of a dense one (measured, OpenBLAS, two threads).
_SPARSE_COST = 60
# Probabilities are made this many at a time.
_BLOCK_CELLS = 2**20


@dataclass(frozen=True, eq=False)
class Problem:
    """Moments of a population of patterns, and an interval for each.

    Attributes
    ----------
    features : ndarray, sparse array or SharedFeatures of shape (n_patterns * n_classes, n_moments)
    masses : ndarray of shape (n_patterns,)
        Share of the items that show each pattern; sums to 1.
    shares : ndarray of shape (n_moments,)
        Share of the items that each moment averages over.
    lower, upper : ndarray of shape (n_moments,)
    """

    features: Features
    masses: FloatArray
    shares: FloatArray
    lower: FloatArray
    upper: FloatArray
    n_classes: int

    @classmethod
    def build(
        cls, features: Rows, masses: FloatArray, shares: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> Problem:
        """Choose how to store the features: dense where that is small and not mostly zeros."""
        return cls(_stored(features), masses, shares, lower, upper, features.shape[0] // len(masses))

    def take(self, used: IntArray) -> Problem:
        """The game with some of its moments."""
        bounds = {name: getattr(self, name)[used] for name in ("shares", "lower", "upper")}
        return replace(self, features=_stored(take_columns(self.features, used)), **bounds)

    def beside(self, columns: FloatArray | Rows, shares: FloatArray) -> Problem:
        """The game with a few more moments, as yet between 0 and 1."""
        return replace(
            self,
            features=put_beside(self.features, columns),
            shares=np.append(self.shares, shares),
            lower=np.append(self.lower, np.zeros(len(shares))),
            upper=np.append(self.upper, np.ones(len(shares))),
        )

    def with_bounds(self, lower: FloatArray, upper: FloatArray) -> Problem:
        return replace(self, lower=lower, upper=upper)

    @cached_property
    def differences(self) -> FloatArray | sp.csr_array:
        """Of two classes, the features of the second less those of the first, shape (n_patterns, n_moments)."""
        rows: Any = as_rows(self.features) if isinstance(self.features, SharedFeatures) else self.features
        apart: FloatArray | sp.csr_array = rows[1::2] - rows[::2]
        return apart

    @property
    def in_one_part(self) -> Problem:
        """The same, with features that products can be taken of."""
        joined = isinstance(self.features, JoinedFeatures)
        return replace(self, features=_stored(as_rows(self.features))) if joined else self


def _stored(features: Features) -> Features:
    """Dense where that is small and not mostly zeros."""
    n_cells, n_moments = features.shape
    if not sp.issparse(features) or n_cells * n_moments > _DENSE_CELLS or _mostly_zero(features):
        return features
    return features.toarray()


def _mostly_zero(features: sp.csr_array) -> bool:
    """Whether products of rows are cheaper with zeros skipped."""
    n_cells, n_moments = features.shape
    per_row = np.diff(features.indptr).astype(float)
    return float(per_row @ per_row) * _SPARSE_COST < n_cells * n_moments**2


def log_softmax(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Row-wise log probabilities, and the log of each row's normaliser."""
    _, log_sums = _exponentials(scores)
    return scores - log_sums[:, None], log_sums


def softmax(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Row-wise probabilities, and the log of each row's normaliser."""
    by_class, log_sums = _exponentials(scores)
    by_class /= by_class.sum(axis=0)
    return np.array(by_class.T, order="C"), log_sums


def _exponentials(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Exponentials of scores less the largest of their row, class by class, and logs of the sums of exponentials.

    Class by class, because a reduction along rows of two or three numbers costs twenty times as much.
    """
    by_class = np.array(scores.T, order="C")
    top = by_class.max(axis=0)
    by_class -= top
    np.exp(by_class, out=by_class)
    return by_class, top + np.log(by_class.sum(axis=0))


def scores(weights: FloatArray, features: Features, n_classes: int) -> FloatArray:
    """Sum of the weights that speak for each class, shape (n_patterns, n_classes)."""
    return np.asarray(features @ weights).reshape(-1, n_classes)


def probabilities(weights: FloatArray, features: Features, n_classes: int) -> FloatArray:
    """Softmax of the scores, shape (n_patterns, n_classes), holding little else."""
    proba = scores(weights, features, n_classes)
    size = max(1, _BLOCK_CELLS // n_classes)
    for start in range(0, len(proba), size):
        rows = slice(start, start + size)
        proba[rows] = np.exp(log_softmax(proba[rows])[0])
    return proba


class TablePrediction:
    """Softmax of the scores as a table of patterns and classes, and what follows from it.

    Attributes
    ----------
    proba, log_proba : ndarray of shape (n_patterns, n_classes)
    log_sums : ndarray of shape (n_patterns,)
    totals : ndarray of shape (n_moments,)
        Sums of the features over patterns and classes, weighted by mass and probability.
    """

    def __init__(
        self, weights: FloatArray, features: FloatArray | sp.csr_array | JoinedFeatures, masses: FloatArray
    ) -> None:
        self.features, self.masses = features, masses
        n_classes = features.shape[0] // len(masses)
        self.scores = scores(weights, features, n_classes)
        self.proba, self.log_sums = softmax(self.scores)
        self.cell_masses = (masses[:, None] * self.proba).ravel()
        self.totals = features.T @ self.cell_masses

    @property
    def log_proba(self) -> FloatArray:
        return np.asarray(self.scores - self.log_sums[:, None])

    @property
    def entropy(self) -> float:
        terms = np.where(self.proba > 0, self.proba * self.log_proba, 0.0)
        return float(-(self.masses @ terms.sum(axis=1)))

    def product(self, direction: FloatArray) -> FloatArray:
        """Second derivative of the mean log-partition times a direction, at the cost of two passes over the votes."""
        centred = scores(direction, self.features, self.proba.shape[1])
        centred -= (self.proba * centred).sum(axis=1, keepdims=True)
        return np.asarray(self._by_moment @ (self.cell_masses * centred.ravel()))

    @cached_property
    def _by_moment(self) -> Any:
        """Features with a row for each moment: its cells are then gathered, where columns would be scattered."""
        transposed = self.features.T
        return sp.csr_array(transposed) if sp.issparse(transposed) else transposed

    def diagonal(self) -> FloatArray:
        """Diagonal of the second derivative."""
        features = as_rows(self.features)
        means = _fold(self.proba) @ features
        return np.asarray(features.power(2).T @ self.cell_masses - means.power(2).T @ self.masses)


Prediction: TypeAlias = TablePrediction | SharedPrediction


@dataclass(frozen=True, eq=False)
class Point:
    """Everything about one choice of weights.

    Attributes
    ----------
    value : float
        The dual value D(u).
    scale : float
        Size of the terms that were added up in it; its rounding error is some multiple of ``1e-16 * scale``.
    moments : ndarray of shape (n_moments,)
        Moments of the prediction, in natural units.
    proba : ndarray of shape (n_patterns, n_classes)
    """

    weights: FloatArray
    prediction: Prediction
    value: float
    scale: float
    moments: FloatArray

    @property
    def proba(self) -> FloatArray:
        return self.prediction.proba

    @property
    def log_proba(self) -> FloatArray:
        return self.prediction.log_proba


def evaluate(weights: FloatArray, problem: Problem, prediction: Prediction | None = None) -> Point:
    """Prediction, dual value and moments at some weights; the prediction need not be made again for other bounds."""
    prediction = predict(weights, problem) if prediction is None else prediction
    log_sums, totals = prediction.log_sums, prediction.totals
    pay = cheapest_moments(weights, problem)
    moments = np.divide(totals, problem.shares, out=np.zeros_like(totals), where=problem.shares > 0)
    scale = 1 + problem.masses @ np.abs(log_sums) + np.abs(pay).sum()
    value = problem.masses @ log_sums - pay.sum()
    return Point(weights, prediction, float(value), float(scale), moments)


def predict(weights: FloatArray, problem: Problem) -> Prediction:
    """The prediction with some weights, stored as its features are."""
    if isinstance(problem.features, SharedFeatures):
        return SharedPrediction(weights, problem.features, problem.masses)
    return TablePrediction(weights, problem.features, problem.masses)


def cheapest_moments(weights: FloatArray, problem: Problem) -> FloatArray:
    """share_m * min(u_m * lower_m, u_m * upper_m) for each moment."""
    return problem.shares * np.minimum(weights * problem.lower, weights * problem.upper)


def dual_value(weights: FloatArray, problem: Problem) -> float:
    """Mean log-partition minus the cheapest moments in the box; bounds the mean log loss for every weights."""
    return float(problem.masses @ predict(weights, problem).log_sums - cheapest_moments(weights, problem).sum())


def kkt_residuals(point: Point, problem: Problem) -> FloatArray:
    """Distance of each moment from where its weight wants it: lower if u > 0, upper if u < 0, the interval if u = 0.

    In natural units: a residual of 0.01 on an accuracy is one accuracy point.
    """
    at_least = np.where(point.weights < 0, problem.upper, problem.lower)
    at_most = np.where(point.weights > 0, problem.lower, problem.upper)
    outside = np.maximum(at_least - point.moments, point.moments - at_most)
    return np.where(problem.shares > 0, np.maximum(outside, 0), 0.0)


def box_violation(point: Point, problem: Problem) -> float:
    """Largest distance of a moment of the prediction from its interval."""
    outside = np.maximum(problem.lower - point.moments, point.moments - problem.upper)
    return float(np.max(outside, initial=0.0, where=problem.shares > 0))


def mean_entropy(point: Point) -> float:
    """Mean entropy of the prediction: the value of the game for the other player if the prediction is in the box."""
    return point.prediction.entropy


def curvature_at(prediction: Prediction, problem: Problem) -> FloatArray:
    """Second derivative of the dual value at a prediction, the way that its features are stored."""
    if isinstance(prediction, SharedPrediction):
        return prediction.curvature()
    return hessian(prediction.proba, problem)


def hessian(proba: FloatArray, problem: Problem) -> FloatArray:
    """Second derivative of the dual value: covariances of the features, sum_t mass_t * cov_{c ~ g_t}(features).

    Three ways to the same numbers: features that are stored dense or mostly filled go through dense products of centred
    features, a block of patterns at a time; others through sparse products, whose cost follows the number of votes. Of
    two classes only the difference of their features counts, with the variance g_t[0] g_t[1].
    """
    problem = problem.in_one_part
    if problem.n_classes == 2:
        return _hessian_of_two(problem.masses * proba[:, 0] * proba[:, 1], problem.differences)
    if sp.issparse(problem.features) and _mostly_zero(problem.features):
        return _sparse_hessian(proba, problem.features, problem.masses)
    n_moments = len(problem.shares)
    total = np.zeros((n_moments, n_moments))
    for rows, features in _dense_blocks(problem):
        chances = proba[rows][:, :, None]
        centred = features - (chances * features).sum(axis=1, keepdims=True)
        centred *= np.sqrt(problem.masses[rows][:, None, None] * chances)
        flat = centred.reshape(-1, n_moments)
        total += flat.T @ flat
    return total


def _hessian_of_two(variances: FloatArray, differences: FloatArray | sp.csr_array) -> FloatArray:
    """Sum over patterns of their variance times the product of differences."""
    if sp.issparse(differences) and _mostly_zero(differences):
        return np.asarray(weighted_squares(differences, variances).toarray())
    n_patterns, n_moments = differences.shape
    total = np.zeros((n_moments, n_moments))
    for rows in _blocks(n_patterns, n_moments):
        part = differences[rows] if isinstance(differences, np.ndarray) else differences[rows].toarray()
        part = part * np.sqrt(variances[rows])[:, None]
        total += part.T @ part
    return total


def _blocks(n_patterns: int, width: int) -> Iterator[slice]:
    """Patterns in blocks that stay in cache, each with so many numbers."""
    size = max(1, 2**16 // max(1, width))
    for start in range(0, n_patterns, size):
        yield slice(start, min(start + size, n_patterns))


def _dense_blocks(problem: Problem) -> Iterator[tuple[slice, FloatArray]]:
    """Features as (patterns, classes, moments), in blocks that stay in cache."""
    k, n_moments = problem.n_classes, len(problem.shares)
    for rows in _blocks(len(problem.masses), k * n_moments):
        cells = slice(rows.start * k, rows.stop * k)
        stored: Any = problem.features
        dense = stored[cells] if isinstance(stored, np.ndarray) else np.asarray(stored[cells].todense())
        yield rows, dense.reshape(-1, k, n_moments)


def _sparse_hessian(proba: FloatArray, features: sp.csr_array, masses: FloatArray) -> FloatArray:
    """Mean of products minus product of means, with sparse features F: F' diag(mass * g) F - M' diag(mass) M."""
    means = sp.csr_array(_fold(proba) @ features)
    squares = weighted_squares(features, (masses[:, None] * proba).ravel())
    return np.asarray((squares - weighted_squares(means, masses)).toarray())


def _fold(proba: FloatArray) -> sp.csr_array:
    """Times features, their mean under each pattern's prediction."""
    n_patterns, k = proba.shape
    return sp.csr_array((proba.ravel(), np.arange(n_patterns * k), np.arange(0, n_patterns * k + 1, k)))
