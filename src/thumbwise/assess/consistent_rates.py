"""Accuracies and frequencies near those of gold that some labeling really has."""

from __future__ import annotations

from collections import Counter

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.box.gold import GoldCounts
from thumbwise.numerics.maxent import Point, Problem, evaluate, hessian


def consistent_rates(problem: Problem, counts: GoldCounts, *, tol: float = 1e-9, max_iter: int = 100) -> FloatArray:
    """Moments of the labeling that maximises mean entropy minus half the squared distances from gold's shares.

    Distances are in standard errors, sqrt(r (1 - r) / drawn) with r = (right + 2) / (drawn + 4), and moments with one
    key count once. In the dual each weight u gets the penalty (share * standard error * u)^2 / 2 and no kink, so
    Newton's method finds the one minimum; a moment without gold is left to the entropy.

    Parameters
    ----------
    problem : Problem
        Its bounds are not used.
    counts : GoldCounts

    Returns
    -------
    ndarray of shape (n_moments,)
    """
    is_seen = (counts.drawn > 0) & (problem.shares > 0)
    target = np.where(is_seen, counts.right / np.maximum(counts.drawn, 1), 0.0)
    penalty = np.where(is_seen, problem.shares**2 * _squared_errors(counts), 0.0)
    problem = problem.with_bounds(target, target)
    seen = np.flatnonzero(is_seen)
    point = evaluate(np.zeros(len(target)), problem)
    for _ in range(max_iter):
        slope = np.where(is_seen, problem.shares * (point.moments - target) + penalty * point.weights, 0.0)
        if np.max(np.abs(slope[seen] / problem.shares[seen]), initial=0.0) <= tol:
            break
        curvature = (hessian(point.proba, problem) + np.diag(penalty))[np.ix_(seen, seen)]
        step = np.zeros(len(target))
        step[seen] = -np.linalg.solve(curvature, slope[seen])
        point = _shorten(point, step, float(slope @ step), problem, penalty)
    return np.clip(point.moments, 0, 1)


def _shorten(point: Point, step: FloatArray, fall: float, problem: Problem, penalty: FloatArray) -> Point:
    """The first of the steps 1, 1/2, 1/4, ... that lowers the penalised dual value by a part of what its slope says."""
    before = point.value + penalty @ point.weights**2 / 2
    for length in 0.5 ** np.arange(40):
        candidate = evaluate(point.weights + length * step, problem)
        after = candidate.value + penalty @ candidate.weights**2 / 2
        if after <= before + 1e-4 * length * fall + 1e-15 * candidate.scale:
            return candidate
    return point


def _squared_errors(counts: GoldCounts) -> FloatArray:
    rate = (counts.right + 2) / (counts.drawn + 4)
    n_alike = Counter(counts.keys)
    alike = np.array([n_alike[key] for key in counts.keys])
    return np.asarray(alike * rate * (1 - rate) / np.maximum(counts.drawn, 1))
