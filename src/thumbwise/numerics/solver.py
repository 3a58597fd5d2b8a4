"""Newton's method with kinks for the dual of the game, which says how far it got.

Two ways to a Newton step. With few moments the curvature is a matrix, and the step is exact. With many, or when classes
are so many that features are shared, only products with the curvature are taken, each at the cost of the votes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.conjugate_gradient import KinkedQuadratic, minimise_by_products
from thumbwise.numerics.kinked_quadratic import minimise_kinked_quadratic
from thumbwise.numerics.maxent import (
    Point,
    Prediction,
    Problem,
    box_violation,
    curvature_at,
    evaluate,
    kkt_residuals,
)
from thumbwise.numerics.one_thread import one_thread
from thumbwise.numerics.shared_features import SharedFeatures

# Curvature, as a share of the items a moment averages over, that is added to the quadratic model: it keeps weights
# where they are along directions in which the dual is flat (class weights all shifted, duplicated rules), where the
# slope is rounding error. A rule pinned at accuracy 1 needs steps down to a curvature of about tol.
_DAMPING = 1e-13
# Above so many moments, products with the curvature are taken. Measured at 20,000 items with ten votes each: twice as
# fast as the matrix at 100 moments, seven times at 1,000. Where most rules vote on an item, or accuracies are pinned,
# two to four times as slow at 200 to 500.
_MANY_MOMENTS = 500
# So many times as many of two classes, where the matrix is one product: measured at 10^5 items with ten votes each, 14
# times as fast as products at 1,000 moments.
_OF_TWO_CLASSES = 2.4
# With fewer moments too, if few rules vote on an item and there are many entries: forming the matrix multiplies all
# pairs of votes on an item. Measured on 10^6 items x 400 workers x 10 votes.
_MANY_ENTRIES = 3 * 10**6
_THIN = 0.05
# If no more than this share of the moments is in play, the others are left out for some iterations.
_FEW = 0.5
# Of fewer moments none is left out: the whole model costs little, and sees further.
_SOME_MOMENTS = 40
# With so many numbers in the features the curvature costs ten to thirty predictions, and one is used for several steps:
# as long as each takes the residual down to this share. Below, every step has its own, which is Newton's method.
_DEAR_CELLS = 2**21
_GOES_WELL = 0.5


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
    kkt_residual, box_violation : float
        In natural units: 0.01 is one accuracy point.
    is_infeasible : bool
        The dual value is negative, which proves that no labeling satisfies the box.
    entropy : float
        Mean entropy of ``proba``; no bound can be lower if ``proba`` is in the box.
    curvature : ndarray of shape (n_moments, n_moments) or None
        Second derivative of the dual value at weights on the way, if it was kept: good for steps of games much alike.
    """

    weights: FloatArray
    prediction: Prediction
    n_classes: int
    dual_value: float
    kkt_residual: float
    box_violation: float
    n_iter: int
    is_infeasible: bool
    curvature: FloatArray | None = None

    @property
    def proba(self) -> FloatArray:
        return self.prediction.proba

    @cached_property
    def entropy(self) -> float:
        return self.prediction.entropy

    @property
    def gap(self) -> float:
        return self.dual_value - self.entropy


@dataclass(eq=False)
class Curvature:
    """Second derivative of the dual value, kept from step to step where it is dear.

    Any positive definite matrix gives a step downhill; the true one gives the best. What is kept is that of an earlier
    point, and steps then gain a constant factor each in place of squaring the residual, at a small part of the cost.
    """

    matrix: FloatArray | None = None

    def at(self, point: Point, problem: Problem) -> FloatArray:
        """What is kept, or that of the point."""
        if self.matrix is None:
            self.matrix = curvature_at(point.prediction, problem)
        return self.matrix

    def judge(self, before: float, after: float, problem: Problem) -> None:
        """Forget it unless it is dear and the step went well."""
        if after > _GOES_WELL * before or not is_dear(problem):
            self.matrix = None

    def among(self, used: IntArray) -> Curvature:
        """For some of the moments."""
        return Curvature(None if self.matrix is None else self.matrix[np.ix_(used, used)])


def is_dear(problem: Problem) -> bool:
    """Whether a curvature costs many predictions."""
    n_cells, n_moments = problem.features.shape
    return int(n_cells) * int(n_moments) > _DEAR_CELLS


def takes_curvature(problem: Problem) -> bool:
    """Whether a search begins with a curvature that it is given: where that is dear, and a matrix is used at all."""
    return is_dear(problem) and not _is_large(problem)


@one_thread()
def solve_dual(
    problem: Problem,
    *,
    tol: float = 1e-9,
    max_iter: int = 200,
    start: FloatArray | Solution | None = None,
    curvature: FloatArray | None = None,
) -> Solution:
    """Minimise the dual value over weights.

    Each iteration minimises the second-order model of the smooth part plus the exact kinks, then halves the step until
    the dual value falls. While most moments rest at their kinks, iterations see the others alone. Stops when no moment
    is further than ``tol`` from where its weight wants it, when the dual value is negative (the box is infeasible, and
    these weights prove it), or after ``max_iter`` iterations. The box, and so whatever gold labels say, is settled
    before; when to stop may depend on anything, since the dual value bounds the loss at all weights.

    Parameters
    ----------
    problem : Problem
    tol : float
    max_iter : int
    start : ndarray of shape (n_moments,) or Solution, optional
        Weights to begin with, or a solution of this game with other bounds.
    curvature : ndarray of shape (n_moments, n_moments), optional
        Of a game much like this one at weights much like the start, where a curvature is dear; else it is not used.
    """
    kept = _first_curvature(problem, start, curvature)
    begun, n_first = _begin(problem, tol, max_iter, start, kept)
    point, n_iter = _descend(begun, problem, tol, max_iter - n_first, kept)
    n_left = max_iter - n_first - n_iter
    if n_left > 0 and not _proves_infeasible(point) and _residual(point, problem) > tol:
        # Few moments by themselves led to where no step helps: begin anew, with all of them in every step.
        point, n_more = _descend(_plain_start(problem, start), problem, tol, n_left, Curvature(), sees_all=True)
        n_iter += n_more
    return Solution(
        weights=point.weights,
        prediction=point.prediction,
        n_classes=problem.n_classes,
        dual_value=point.value,
        kkt_residual=_residual(point, problem),
        box_violation=box_violation(point, problem),
        n_iter=n_first + n_iter,
        is_infeasible=_proves_infeasible(point),
        curvature=kept.matrix,
    )


def _first_curvature(problem: Problem, start: FloatArray | Solution | None, curvature: FloatArray | None) -> Curvature:
    if curvature is None and isinstance(start, Solution):
        curvature = start.curvature
    return Curvature(curvature if takes_curvature(problem) else None)


def _plain_start(problem: Problem, start: FloatArray | Solution | None) -> Point:
    weights = start.weights if isinstance(start, Solution) else start
    return evaluate(
        np.zeros(len(problem.shares)) if weights is None else np.where(problem.shares > 0, weights, 0.0), problem
    )


def _descend(
    point: Point, problem: Problem, tol: float, max_iter: int, kept: Curvature, *, sees_all: bool = False
) -> tuple[Point, int]:
    """Iterate from a point; where it ends, and after how many iterations.

    If few moments are in play, iterations go on among them until they are done; then all are looked at again, and
    whoever is pulled off its kink by the new weights is in play too. The dual value falls all along.
    """
    n_iter = 0
    while n_iter < max_iter and not _proves_infeasible(point) and _residual(point, problem) > tol:
        used, better = _in_play(point, problem), None
        if not sees_all and _are_few(used, problem):
            weights, n_steps = _iterate_among(used, point.weights, problem, tol, max_iter - n_iter, kept)
            candidate = evaluate(weights, problem)
            better = candidate if _is_better(candidate, point, problem) else None
            n_iter += n_steps
        if better is None:  # all are in play, or those that are get nowhere by themselves
            better = _step(point, problem, tol, kept)
            n_iter += 1
        if better is None:
            break
        point = better
    return point, n_iter


def _begin(
    problem: Problem, tol: float, max_iter: int, start: FloatArray | Solution | None, kept: Curvature
) -> tuple[Point, int]:
    """The first point at which all moments are looked at, and iterations until there.

    A solution of the same game with other bounds brings its prediction along. Of weights, those that are not 0 are the
    first to be changed if they are few: the others may never be needed.
    """
    if isinstance(start, Solution):
        return evaluate(start.weights, problem, start.prediction), 0
    weights = np.zeros(len(problem.shares)) if start is None else np.where(problem.shares > 0, start, 0.0)
    used = np.flatnonzero((weights != 0) | ((problem.lower == problem.upper) & (problem.shares > 0)))
    n_iter = 0
    if len(used) and _are_few(used, problem):
        weights, n_iter = _iterate_among(used, weights, problem, tol, max_iter, kept)
    return evaluate(weights, problem), n_iter


def _iterate_among(
    used: IntArray, weights: FloatArray, problem: Problem, tol: float, max_iter: int, kept: Curvature
) -> tuple[FloatArray, int]:
    """The game with some of its moments, where the others have weight 0. Its dual value is that of the whole game."""
    part = problem.take(used)
    inner, n_iter = _descend(evaluate(weights[used], part), part, tol, max_iter, kept.among(used))
    there = np.zeros(len(weights))
    there[used] = inner.weights
    return there, n_iter


def _are_few(used: IntArray, problem: Problem) -> bool:
    return len(problem.shares) >= _SOME_MOMENTS and len(used) <= _FEW * len(problem.shares)


def _in_play(point: Point, problem: Problem) -> IntArray:
    """Moments that are not at their kink, have none, or are pulled off it."""
    is_in = (point.weights != 0) | (problem.lower == problem.upper) | (kkt_residuals(point, problem) > 0)
    return np.flatnonzero(is_in & (problem.shares > 0))


def _residual(point: Point, problem: Problem) -> float:
    return float(kkt_residuals(point, problem).max(initial=0.0))


def _proves_infeasible(point: Point) -> bool:
    """Negative beyond rounding: mean log loss cannot be negative, so no labeling is in the box."""
    return point.value < -1e-12 * point.scale


def _is_large(problem: Problem) -> bool:
    features = problem.features
    most = _MANY_MOMENTS * (_OF_TWO_CLASSES if problem.n_classes == 2 else 1)
    if isinstance(features, SharedFeatures) or len(problem.shares) > most:
        return True
    return sp.issparse(features) and _MANY_ENTRIES < features.nnz < _THIN * features.shape[0] * features.shape[1]


def _step(point: Point, problem: Problem, tol: float, kept: Curvature) -> Point | None:
    """A better point; None if there is none, with a curvature of this point."""
    if _is_large(problem):
        return _line_search(point, _target_by_products(point, problem, tol), problem)
    was_kept = kept.matrix is not None
    better = _line_search(point, _newton_target(point, problem, kept.at(point, problem)), problem)
    after = np.inf if better is None else _residual(better, problem)
    kept.judge(_residual(point, problem), after, problem)
    return _step(point, problem, tol, kept) if better is None and was_kept else better


def _newton_target(point: Point, problem: Problem, curvature: FloatArray) -> FloatArray:
    """Weights that minimise the second-order model with kinks; weights at their kink are exactly 0.

    Moments are scaled so that the model has unit curvature in each: weights of a rule that is nearly always right and
    of one that votes once differ by many orders of magnitude in curvature.
    """
    is_used = problem.shares > 0
    curvature = curvature * np.outer(is_used, is_used)  # a rule left out has features all the same
    damped = np.maximum(curvature.diagonal(), 0) + _DAMPING * np.where(is_used, problem.shares, 1.0)
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
    return np.where(is_used, there / unit, 0.0)


def _target_by_products(point: Point, problem: Problem, tol: float) -> FloatArray:
    """The same target, roughly, from products with the curvature.

    The residual of the model is asked to fall by a factor that goes to 0 with the residual, as its root: far from the
    optimum a rough step is as good as an exact one, near it the steps become those of Newton's method.
    """
    is_used = problem.shares > 0
    shares = np.where(is_used, problem.shares, 1.0)
    damping = _DAMPING * shares
    unit = np.sqrt(np.maximum(point.prediction.diagonal(), 0) + damping)
    residual = _residual(point, problem)

    def product(x: FloatArray) -> FloatArray:
        return np.where(is_used, (point.prediction.product(x / unit) + damping * x / unit) / unit, 0.0)

    here = point.weights * unit
    quadratic = KinkedQuadratic(
        linear=problem.shares * point.moments / unit - product(here),
        product=product,
        fall=-problem.shares * problem.upper / unit,
        rise=-problem.shares * problem.lower / unit,
    )
    there, _ = minimise_by_products(quadratic, here, unit / shares, max(0.1 * tol, min(0.1, residual**0.5) * residual))
    return np.where(is_used, there / unit, 0.0)


def _line_search(point: Point, target: FloatArray, problem: Problem) -> Point | None:
    """First of the steps 1, 1/2, 1/4, ... that lowers the dual value, or, within its rounding error, the residual."""
    for halvings in range(40):
        weights = target if halvings == 0 else point.weights + 0.5**halvings * (target - point.weights)
        candidate = evaluate(weights, problem)
        if _is_better(candidate, point, problem):
            return candidate
    return None


def _is_better(candidate: Point, point: Point, problem: Problem) -> bool:
    rounding = 1e-15 * point.scale
    if candidate.value < point.value - rounding:
        return True
    return candidate.value <= point.value + rounding and _residual(candidate, problem) < _residual(point, problem)
