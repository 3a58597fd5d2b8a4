"""Minimiser of a convex quadratic plus one kink per coordinate, with products of its curvature alone.

The same problem as in :mod:`thumbwise.numerics.kinked_quadratic`, for so many coordinates that the curvature cannot be
held or factorised. Each round solves roughly, by conjugate gradients, for the coordinates that are not at their kink or
wish to leave it, and then moves all of them at once; those that would pass their kink stop at it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.numerics.kinked_quadratic import walk

_MAX_ROUNDS = 10  # a Newton step far from the optimum need not be exact
_MAX_STEPS = 250  # conjugate directions a round
_MAX_TRIALS = 6
_HALVINGS = 4

Product = Callable[[FloatArray], FloatArray]


def inner(left: FloatArray, right: FloatArray) -> float:
    """Sum of products, without the threads of linear algebra, which wait for each other longer than they add."""
    return float(np.einsum("i,i->", left, right))


@dataclass(frozen=True, eq=False)
class KinkedQuadratic:
    """linear'x + x'curvature x / 2 + sum_m (rise_m * x_m if x_m > 0, fall_m * x_m if x_m < 0), with fall <= rise."""

    linear: FloatArray
    product: Product
    fall: FloatArray
    rise: FloatArray

    def value(self, x: FloatArray, bent: FloatArray) -> float:
        """The objective at x, where ``bent`` is the product of x."""
        return inner(self.linear, x) + inner(x, bent) / 2 + inner(np.where(x > 0, self.rise, self.fall), x)

    def pulls(self, x: FloatArray, bent: FloatArray) -> FloatArray:
        """The subgradient of least size: 0 where a coordinate is content.

        At a kink, the step from -slopes to the nearest point of [fall, rise].
        """
        slopes = self.linear + bent
        at_kink = (x == 0) & (self.fall < self.rise)
        outward = np.minimum(slopes + self.rise, 0.0) + np.maximum(slopes + self.fall, 0.0)
        return np.where(at_kink, outward, slopes + np.where(x > 0, self.rise, self.fall))


def minimise_by_products(
    quadratic: KinkedQuadratic, start: FloatArray, units: FloatArray, tol: float
) -> tuple[FloatArray, int]:
    """A point where no coordinate is pulled by more than ``tol / units``, or the best one found; and the products used.

    Every round lowers the objective, so that a point short of the tolerance is still better than the start.
    """
    x, bent, n_products = start.copy(), quadratic.product(start), 1
    for _ in range(_MAX_ROUNDS):
        pulls = quadratic.pulls(x, bent)
        if np.max(np.abs(pulls) * units, initial=0.0) <= tol:
            break
        step, n_steps = _step_as_wished(quadratic.product, x, pulls, units, tol)
        moved, n_tries = _move(quadratic, x, bent, step, pulls)
        n_products += n_steps + n_tries
        if moved is None:
            break
        x, bent = moved
    return x, n_products


def _step_as_wished(
    product: Product, x: FloatArray, pulls: FloatArray, units: FloatArray, tol: float
) -> tuple[FloatArray, int]:
    """Step of all that are away from their kink or pulled off it; who would leave it the wrong way is left out."""
    free, n_products = (x != 0) | (pulls != 0), 0
    for _ in range(_MAX_TRIALS):
        step, n_steps = _conjugate_step(product, pulls, units, tol, free)
        n_products += n_steps
        against = (x == 0) & (step * pulls > 0)
        if not against.any():
            break
        free &= ~against
    return np.where(against, 0.0, step), n_products


def _conjugate_step(
    product: Product, pulls: FloatArray, units: FloatArray, tol: float, free: FloatArray
) -> tuple[FloatArray, int]:
    """Rough solution of ``curvature step = -pulls`` on the free coordinates, 0 on the others.

    Stops well below the tolerance, or once directions have no curvature left that rounding does not hide.
    """
    step, rest = np.zeros_like(pulls), np.where(free, -pulls, 0.0)
    direction, size = rest.copy(), inner(rest, rest)
    n_steps = 0
    while n_steps < _MAX_STEPS and np.max(np.abs(rest) * units, initial=0.0) > tol / 2:
        n_steps += 1
        bent = np.where(free, product(direction), 0.0)
        bend = inner(direction, bent)
        if bend <= 0:
            break
        step += size / bend * direction
        rest -= size / bend * bent
        size, before = inner(rest, rest), size
        direction = rest + size / before * direction
    return (step, n_steps) if step.any() else (rest, n_steps)


def _move(
    quadratic: KinkedQuadratic, x: FloatArray, bent: FloatArray, step: FloatArray, pulls: FloatArray
) -> tuple[tuple[FloatArray, FloatArray] | None, int]:
    """A lower point along the step: kinks stop who meets them; or else the lowest on a straight line.

    Kinks bend the path, and the bent path may only rise. A straight line along the step, or against the pulls, falls.
    """
    here = quadratic.value(x, bent)
    for halvings in range(_HALVINGS):
        there = x + 0.5**halvings * step
        there[(x * there < 0) & (quadratic.fall < quadratic.rise)] = 0.0
        its_bent = quadratic.product(there)
        if quadratic.value(there, its_bent) < here - 0.1 * abs(inner(pulls, there - x)):
            return (there, its_bent), halvings + 1
    for line in (step, -pulls):
        lowest = walk(
            x, line, quadratic.linear + bent, inner(line, quadratic.product(line)), quadratic.fall, quadratic.rise
        )
        if lowest is not None:
            return (lowest, quadratic.product(lowest)), _HALVINGS + 2
    return None, _HALVINGS + 2
