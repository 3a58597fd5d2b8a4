"""Moments near those of gold that some labeling really has."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from thumbwise._typing import AnyArray, FloatArray
from thumbwise.box.gold import GoldCounts
from thumbwise.numerics.maxent import Point, Problem, evaluate
from thumbwise.numerics.one_thread import one_thread
from thumbwise.numerics.solver import Curvature

# How much a nat of entropy weighs against half a squared distance. With less, many rules with few gold votes each are
# followed into their luck, and the floor of a plan comes out too low (docs/plan-and-compare.md).
_PULL = 10.0


@dataclass(frozen=True, eq=False)
class Observed:
    """What gold shows of each moment.

    Attributes
    ----------
    is_seen : ndarray of shape (n_moments,)
        Whether it shows anything.
    values, squared_errors : ndarray of shape (n_moments,)
        Means over gold items, and the squares of their standard errors.
    """

    is_seen: AnyArray
    values: FloatArray
    squared_errors: FloatArray

    @classmethod
    def of(cls, counts: GoldCounts) -> Observed:
        """Shares that were counted, with standard errors sqrt(r (1 - r) / drawn), r = (right + 2) / (drawn + 4).

        Moments with one key count once: the square of each is as many times larger.
        """
        drawn = np.maximum(counts.drawn, 1)
        rate = (counts.right + 2) / (counts.drawn + 4)
        n_alike = Counter(counts.keys)
        alike = np.array([n_alike[key] for key in counts.keys])
        return cls(counts.drawn > 0, counts.right / drawn, np.asarray(alike * rate * (1 - rate) / drawn))

    def with_mean(self, values: FloatArray) -> Observed:
        """And the mean of some number over gold items, as one more moment."""
        squared_error = max(float(values.var()), 1e-6) / len(values)
        return Observed(
            np.append(self.is_seen, True),
            np.append(self.values, values.mean()),
            np.append(self.squared_errors, squared_error),
        )


@one_thread()
def consistent_labeling(problem: Problem, observed: Observed, *, tol: float = 1e-11, max_iter: int = 100) -> Point:
    """The labeling that maximises ten times its mean entropy minus half the squared distances from what gold shows.

    Distances are in standard errors. In the dual each weight u gets the penalty 10 (share * standard error * u)^2 / 2
    and no kink, so Newton's method finds the one minimum; a moment without gold is left to the entropy.

    Parameters
    ----------
    problem : Problem
        Its bounds are not used.
    observed : Observed
    """
    is_seen = observed.is_seen & (problem.shares > 0)
    target = np.where(is_seen, observed.values, 0.0)
    penalty = np.where(is_seen, _PULL * problem.shares**2 * observed.squared_errors, 0.0)
    problem = problem.with_bounds(target, target)
    seen = np.flatnonzero(is_seen)
    point, kept, before = evaluate(np.zeros(len(target)), problem), Curvature(), np.inf
    for _ in range(max_iter):
        slope = np.where(is_seen, problem.shares * (point.moments - target) + penalty * point.weights, 0.0)
        residual = float(np.max(np.abs(slope[seen] / problem.shares[seen]), initial=0.0))
        if residual <= tol:
            break
        kept.judge(before, residual, problem)
        before, is_fresh = residual, kept.matrix is None
        curvature = (kept.at(point, problem) + np.diag(penalty))[np.ix_(seen, seen)]
        step = np.zeros(len(target))
        step[seen] = -np.linalg.solve(curvature, slope[seen])
        better = _shorten(point, step, float(slope @ step), problem, penalty)
        if better is point and is_fresh:
            break
        point = better
    return point


def _shorten(point: Point, step: FloatArray, fall: float, problem: Problem, penalty: FloatArray) -> Point:
    """The first of the steps 1, 1/2, 1/4, ... that lowers the penalised dual value by a part of what its slope says."""
    before = point.value + penalty @ point.weights**2 / 2
    for length in 0.5 ** np.arange(40):
        candidate = evaluate(point.weights + length * step, problem)
        after = candidate.value + penalty @ candidate.weights**2 / 2
        if after <= before + 1e-4 * length * fall + 1e-15 * candidate.scale:
            return candidate
    return point
