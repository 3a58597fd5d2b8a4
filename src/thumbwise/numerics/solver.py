"""Newton's method with kinks for the dual of the game, which says how far it got.

Two ways to a Newton step. With few moments the curvature is a matrix, and the step is exact. With many, or when classes
are so many that features are shared, only products with the curvature are taken, each at the cost of the votes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray
from thumbwise.numerics.conjugate_gradient import KinkedQuadratic, minimise_by_products
from thumbwise.numerics.kinked_quadratic import minimise_kinked_quadratic
from thumbwise.numerics.maxent import (
    Point,
    Prediction,
    Problem,
    box_violation,
    evaluate,
    hessian,
    kkt_residuals,
    mean_entropy,
)
from thumbwise.numerics.shared_features import SharedFeatures

# Curvature, as a share of the items a moment averages over, that is added to the quadratic model: it keeps weights
# where they are along directions in which the dual is flat (class weights all shifted, duplicated rules), where the
# slope is rounding error. A rule pinned at accuracy 1 needs steps down to a curvature of about tol.
_DAMPING = 1e-13
# Above so many moments, products with the curvature are taken. Measured at 20,000 items with ten votes each: twice as
# fast as the matrix at 100 moments, seven times at 1,000. Where most rules vote on an item, or accuracies are pinned,
# two to four times as slow at 200 to 500.
_MANY_MOMENTS = 500
# With fewer moments too, if few rules vote on an item and there are many entries: forming the matrix multiplies all
# pairs of votes on an item. Measured on 10^6 items x 400 workers x 10 votes.
_MANY_ENTRIES = 3 * 10**6
_THIN = 0.05


@dataclass(frozen=True, eq=False)
class Solution:
    """Weights and what is known about them.

    Attributes
    ----------
    weights : ndarray of shape (n_moments,)
        Log-odds per vote.
    proba : ndarray of shape (n_patterns, n_classes)
        Made when first asked for if classes are many.
    dual_value : float
        Bounds the mean log loss of ``proba`` against every labeling in the box, converged or not.
    entropy : float
        Mean entropy of ``proba``; no bound can be lower if ``proba`` is in the box.
    kkt_residual, box_violation : float
        In natural units: 0.01 is one accuracy point.
    is_infeasible : bool
        The dual value is negative, which proves that no labeling satisfies the box.
    """

    weights: FloatArray
    prediction: Prediction
    n_classes: int
    dual_value: float
    entropy: float
    kkt_residual: float
    box_violation: float
    n_iter: int
    is_infeasible: bool

    @property
    def proba(self) -> FloatArray:
        return self.prediction.proba

    @property
    def gap(self) -> float:
        return self.dual_value - self.entropy


def solve_dual(
    problem: Problem, *, tol: float = 1e-9, max_iter: int = 200, start: FloatArray | None = None
) -> Solution:
    """Minimise the dual value over weights.

    Each iteration minimises the second-order model of the smooth part plus the exact kinks, then halves the step until
    the dual value falls. Stops when no moment is further than ``tol`` from where its weight wants it, when the dual
    value is negative (the box is infeasible, and these weights prove it), or after ``max_iter`` iterations. The box,
    and so whatever gold labels say, is settled before; when to stop may depend on anything, since the dual value bounds
    the loss at all weights.
    """
    find_target = _target_by_products if _is_large(problem) else _newton_target
    weights = np.zeros(len(problem.shares)) if start is None else start.astype(float)
    point = evaluate(np.where(problem.shares > 0, weights, 0.0), problem)
    n_iter = 0
    while n_iter < max_iter and not _proves_infeasible(point) and _residual(point, problem) > tol:
        n_iter += 1
        better = _line_search(point, find_target(point, problem, tol), problem)
        if better is None:
            break
        point = better
    return Solution(
        weights=point.weights,
        prediction=point.prediction,
        n_classes=problem.n_classes,
        dual_value=point.value,
        entropy=mean_entropy(point),
        kkt_residual=_residual(point, problem),
        box_violation=box_violation(point, problem),
        n_iter=n_iter,
        is_infeasible=_proves_infeasible(point),
    )


def _residual(point: Point, problem: Problem) -> float:
    return float(kkt_residuals(point, problem).max(initial=0.0))


def _proves_infeasible(point: Point) -> bool:
    """Negative beyond rounding: mean log loss cannot be negative, so no labeling is in the box."""
    return point.value < -1e-12 * point.scale


def _is_large(problem: Problem) -> bool:
    features = problem.features
    if isinstance(features, SharedFeatures) or len(problem.shares) > _MANY_MOMENTS:
        return True
    return sp.issparse(features) and _MANY_ENTRIES < features.nnz < _THIN * features.shape[0] * features.shape[1]


def _newton_target(point: Point, problem: Problem, _: float) -> FloatArray:
    """Weights that minimise the second-order model with kinks; weights at their kink are exactly 0.

    Moments are scaled so that the model has unit curvature in each: weights of a rule that is nearly always right and
    of one that votes once differ by many orders of magnitude in curvature.
    """
    curvature = hessian(point.proba, problem)
    damped = np.maximum(curvature.diagonal(), 0) + _DAMPING * np.where(problem.shares > 0, problem.shares, 1.0)
    np.fill_diagonal(curvature, damped)
    unit = np.sqrt(damped)
    scaled = curvature / np.outer(unit, unit)
    slopes = problem.shares * point.moments / unit
    here = point.weights * unit
    there = minimise_kinked_quadratic(
        linear=slopes - scaled @ here,
        curvature=scaled,
        fall=-problem.shares * problem.upper / unit,
        rise=-problem.shares * problem.lower / unit,
        start=here,
    )
    return np.where(problem.shares > 0, there / unit, 0.0)


def _target_by_products(point: Point, problem: Problem, tol: float) -> FloatArray:
    """The same target, roughly, from products with the curvature.

    The residual of the model is asked to fall by a factor that goes to 0 with the residual, as its root: far from the
    optimum a rough step is as good as an exact one, near it the steps become those of Newton's method.
    """
    shares = np.where(problem.shares > 0, problem.shares, 1.0)
    damping = _DAMPING * shares
    unit = np.sqrt(np.maximum(point.prediction.diagonal(), 0) + damping)
    residual = _residual(point, problem)

    def product(x: FloatArray) -> FloatArray:
        return (point.prediction.product(x / unit) + damping * x / unit) / unit

    here = point.weights * unit
    quadratic = KinkedQuadratic(
        linear=problem.shares * point.moments / unit - product(here),
        product=product,
        fall=-problem.shares * problem.upper / unit,
        rise=-problem.shares * problem.lower / unit,
    )
    there, _ = minimise_by_products(quadratic, here, unit / shares, max(0.1 * tol, min(0.1, residual**0.5) * residual))
    return np.where(problem.shares > 0, there / unit, 0.0)


def _line_search(point: Point, target: FloatArray, problem: Problem) -> Point | None:
    """First of the steps 1, 1/2, 1/4, ... that lowers the dual value, or, within its rounding error, the residual."""
    rounding = 1e-15 * point.scale
    residual = _residual(point, problem)
    for halvings in range(40):
        weights = target if halvings == 0 else point.weights + 0.5**halvings * (target - point.weights)
        candidate = evaluate(weights, problem)
        if candidate.value < point.value - rounding:
            return candidate
        if candidate.value <= point.value + rounding and _residual(candidate, problem) < residual:
            return candidate
    return None
