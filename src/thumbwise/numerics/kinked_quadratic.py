"""Minimiser of a convex quadratic plus one kink per coordinate: the step of a Newton method on the dual.

    minimise  linear'x + x'curvature x / 2 + sum_m kink_m(x_m),   kink(x) = rise * x for x > 0,  fall * x for x < 0

with fall <= rise. This is a lasso with its own two slopes per coordinate. The method guesses signs, solves the linear
system of the coordinates that are not zero, walks towards its solution as far as the objective falls (a coordinate that
meets its kink at the lowest point stays there), and lets in zero coordinates whose slope wants them to move.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from thumbwise._typing import FloatArray

_MAX_ROUNDS = 200
_ROUNDING = 1e-13  # relative error of a sum, with room for some thousand terms
# Shares of the diagonal that are added where rounding has made a matrix indefinite, ten times as much each time.
_SMALLEST_RIDGE, _LARGEST_RIDGE = 1e-14, 1e-3


def minimise_kinked_quadratic(
    linear: FloatArray, curvature: FloatArray, fall: FloatArray, rise: FloatArray, start: FloatArray
) -> FloatArray:
    """Minimiser of the sum above; ``curvature`` must be positive definite.

    Coordinates with ``fall == rise`` have no kink. Every round lowers the objective, so stopping after many rounds
    still returns a better point than the start.
    """
    x = start.copy()
    smooth = fall == rise
    sizes = np.abs(linear) + np.abs(rise) + np.abs(fall)
    for _ in range(_MAX_ROUNDS):
        slopes = linear + curvature @ x
        tolerance = _ROUNDING * (sizes + np.abs(curvature) @ np.abs(x))
        sign = np.sign(x)
        free = (sign != 0) | smooth
        pull = slopes + np.where(sign > 0, rise, fall)
        if (np.abs(pull[free]) <= tolerance[free]).all():
            # A coordinate rests at its kink while minus its slope lies in [fall, rise].
            wish = np.where(slopes + rise < -tolerance, 1.0, np.where(slopes + fall > tolerance, -1.0, 0.0))
            wish[free] = 0
            if not wish.any():
                return x
            step = _step_with_newcomers(slopes, curvature, fall, rise, free, wish)
        else:
            step = _step(pull, curvature, free)
        moved = walk(x, step, slopes, float(step @ (curvature @ step)), fall, rise)
        if moved is None:
            return x
        x = moved
    return x


def _step_with_newcomers(
    slopes: FloatArray, curvature: FloatArray, fall: FloatArray, rise: FloatArray, free: FloatArray, wish: FloatArray
) -> FloatArray:
    """Step that lets zero coordinates move the way they wish.

    Coordinates that, moved together with the others, would go against their wish are left out again. The one with the
    strongest wish, alone, never does: the free coordinates are at their optimum, and a Schur complement is positive.
    """
    pull = slopes + np.where(wish > 0, rise, fall)
    strongest = int(np.argmax(np.where(wish != 0, np.abs(pull), -1.0)))
    pull = np.where(wish != 0, pull, 0.0)
    comers = wish != 0
    while comers.any():
        step = _step(pull, curvature, free | comers)
        against = comers & (step * wish <= 0)
        if not against.any():
            return step
        comers &= ~against
    comers[strongest] = True
    return _step(pull, curvature, free | comers)


def _step(pull: FloatArray, curvature: FloatArray, free: FloatArray) -> FloatArray:
    """Newton step on the free coordinates, 0 on the others."""
    step = np.zeros_like(pull)
    at = np.flatnonzero(free)
    step[at] = -_solve(curvature[np.ix_(at, at)], pull[at])
    return step


def _solve(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """Solution of the linear system.

    A matrix that rounding has left short of definite, as along directions in which all class weights shift, gets the
    smallest ridge that mends it: such a direction then is not walked along, and the others keep their solution.
    """
    ridge = 0.0
    while True:
        try:
            factor = cho_factor(matrix + ridge * np.diag(matrix.diagonal()), check_finite=False)
            return np.asarray(cho_solve(factor, right, check_finite=False))
        except LinAlgError:
            if ridge > _LARGEST_RIDGE:
                raise
            ridge = max(_SMALLEST_RIDGE, 10 * ridge)


def walk(
    x: FloatArray, step: FloatArray, slopes: FloatArray, bend: float, fall: FloatArray, rise: FloatArray
) -> FloatArray | None:
    """Lowest point of the objective on the segment from x to x + step; None if it is x.

    ``bend`` is the curvature along the step, ``step' curvature step``. Along the segment the slope is piecewise linear
    and increasing; it jumps where a coordinate passes its kink.
    """
    ahead = np.where(x != 0, np.sign(x), np.sign(step))
    slope = float(slopes @ step + np.where(ahead > 0, rise, fall) @ step)
    if slope >= 0 or bend <= 0:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        meets = np.where((x != 0) & (step * x < 0) & (fall < rise), -x / step, np.inf)
    position = 0.0
    for m in np.argsort(meets, kind="stable"):
        end = min(1.0, float(meets[m]))
        lowest = position - slope / bend
        if lowest <= end or meets[m] >= 1:
            return _land(x, step, min(lowest, end), meets)
        slope += bend * (end - position)
        slope += (rise[m] - fall[m]) * abs(step[m])
        position = end
        if slope >= 0:
            return _land(x, step, position, meets)
    return _land(x, step, min(1.0, position - slope / bend), meets)


def _land(x: FloatArray, step: FloatArray, position: float, meets: FloatArray) -> FloatArray:
    landed = x + position * step
    landed[meets == position] = 0.0
    return landed
