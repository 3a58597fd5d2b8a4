"""Expectation maximisation over parameters that are probabilities, plain or accelerated. Arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.numerics.one_thread import one_thread

# The objective at some parameters, and the parameters that follow them.
Step: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]


@dataclass(frozen=True, eq=False)
class Ascent:
    """Where the iterations ended.

    Attributes
    ----------
    parameters : ndarray of shape (n_parameters,)
    path : ndarray of shape (n_iter,)
        Objective at each iteration; never decreases.
    change : float
        How far the last plain step moved.
    """

    parameters: FloatArray
    path: FloatArray
    change: float


@one_thread()
def ascend(
    start: FloatArray,
    step: Step,
    *,
    distance: Callable[[FloatArray], float],
    normalise: Callable[[FloatArray], FloatArray],
    size: Callable[[FloatArray], float],
    tol: float,
    max_iter: int,
    accelerate: bool = False,
) -> Ascent:
    """Iterate ``step`` until it moves by less than ``tol``.

    Accelerated, two steps are followed by a jump along them (SQUAREM, Varadhan and Roland 2008), which is taken back
    if the objective is then lower. It stops only where a plain step does, so its fixed points are those of ``step``.
    """
    parameters = start
    objective, following = step(parameters)
    path, change = [objective], np.inf
    while change >= tol and len(path) < max_iter:
        previous, parameters = parameters, following
        objective, following = step(parameters)
        path.append(objective)
        change = distance(parameters - previous)
        if accelerate and change >= tol and len(path) < max_iter:
            jump = normalise(_extrapolate(previous, parameters, following, size))
            jumped, after = step(jump)
            if jumped >= objective:
                parameters, following = jump, after
                path.append(jumped)
    return Ascent(parameters, np.array(path), change)


def _extrapolate(
    first: FloatArray, second: FloatArray, third: FloatArray, size: Callable[[FloatArray], float]
) -> FloatArray:
    """Follow the parabola through three iterates; where that leaves the positive numbers, stay at the third."""
    moved, bend = second - first, third - 2 * second + first
    length = size(bend)
    stride = max(1.0, size(moved) / length) if length > 0 else 1.0
    jump = first + 2 * stride * moved + stride**2 * bend
    return np.where(jump > 0, jump, third)
