"""Regression with a softmax: the mode of the weights under a Gaussian prior. Arrays in, arrays out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.class_tables import ClassTable, covariances_of, means_of, sum_at
from thumbwise.numerics.maxent import softmax
from thumbwise.numerics.one_thread import one_thread

_MAX_ITER = 50
_SMALLEST_STEP = 1e-6


@dataclass(frozen=True, eq=False)
class Prior:
    """Where weights are drawn to, and how strongly, shape (n_columns,) each."""

    mean: FloatArray
    precision: FloatArray


@one_thread()
def fit_ridge_softmax(
    table: ClassTable, labels: IntArray, prior: Prior, *, start: FloatArray | None = None, tol: float = 1e-6
) -> FloatArray:
    """Minimise the sum of log losses plus half the sum of ``precision * (weight - mean)^2``, by Newton's method.

    Parameters
    ----------
    table : ndarray or SparseTable of shape (n_items, n_classes, n_columns)
    labels : ndarray of shape (n_items,)
    prior : Prior
    start : ndarray of shape (n_columns,), optional
    tol : float
        Largest component of the gradient at the end.
    """
    weights = prior.mean.copy() if start is None else start.copy()
    if len(labels) == 0:
        return prior.mean.copy()
    of_labels = sum_at(table, labels)
    value, proba = _penalised(weights, table, of_labels, prior)
    for _ in range(_MAX_ITER):
        away = prior.precision * (weights - prior.mean)
        means = means_of(table, proba)
        gradient = means.sum(axis=0) - of_labels + away
        if np.abs(gradient).max() < tol:
            break
        step = np.linalg.solve(covariances_of(table, proba, means) + np.diag(prior.precision), gradient)
        length = 1.0
        while True:
            moved, proba = _penalised(weights - length * step, table, of_labels, prior)
            if moved <= value - 1e-4 * length * (gradient @ step) or length < _SMALLEST_STEP:
                break
            length /= 2
        weights, value = weights - length * step, moved
    return weights


def _penalised(weights: FloatArray, table: ClassTable, of_labels: FloatArray, prior: Prior) -> tuple[float, FloatArray]:
    """What is minimised, and the probabilities."""
    proba, log_sums = softmax(table @ weights)
    penalty = 0.5 * (prior.precision * (weights - prior.mean) ** 2).sum()
    return float(log_sums.sum() - of_labels @ weights + penalty), proba
