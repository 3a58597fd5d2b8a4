"""The inner problem of a Newton step: optimal by its subgradient, and no worse than a general-purpose solver."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from support.problems import FloatArray
from thumbwise.numerics.kinked_quadratic import minimise_kinked_quadratic

Parts = tuple[FloatArray, FloatArray, FloatArray, FloatArray]


def make(seed: int) -> Parts:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 25))
    factor = rng.normal(size=(size, int(rng.integers(1, 2 * size + 1))))
    curvature = factor @ factor.T / size + 10.0 ** rng.integers(-6, 1) * np.eye(size)
    fall, rise = np.sort(rng.normal(size=(2, size)), axis=0)
    smooth = rng.random(size) < 0.3
    return rng.normal(size=size), curvature, fall, np.where(smooth, fall, rise)


def objective(x: FloatArray, parts: Parts) -> float:
    linear, curvature, fall, rise = parts
    return float(linear @ x + x @ curvature @ x / 2 + np.where(x > 0, rise * x, fall * x).sum())


@pytest.mark.parametrize("seed", range(200))
def test_zero_is_a_subgradient(seed: int) -> None:
    parts = make(seed)
    linear, curvature, fall, rise = parts
    x = minimise_kinked_quadratic(*parts, start=np.random.default_rng(seed).normal(size=len(linear)))
    slopes = linear + curvature @ x
    scale = 1e-11 * (1 + (np.abs(curvature) @ np.abs(x)).max())
    at_kink = x == 0
    assert (np.abs(slopes + np.where(x > 0, rise, fall))[~at_kink] <= scale).all()
    assert (slopes + rise >= -scale)[at_kink].all()
    assert (slopes + fall <= scale)[at_kink].all()


@pytest.mark.parametrize("seed", range(20))
def test_not_beaten_by_a_bounded_solver_on_the_split_problem(seed: int) -> None:
    """x = a - b with a, b >= 0 turns the kinks into bounds."""
    parts = make(seed)
    linear, curvature, fall, rise = parts
    size = len(linear)

    def split(ab: FloatArray) -> tuple[float, FloatArray]:
        a, b = ab[:size], ab[size:]
        slopes = linear + curvature @ (a - b)
        value = linear @ (a - b) + (a - b) @ curvature @ (a - b) / 2 + rise @ a - fall @ b
        return float(value), np.concatenate([slopes + rise, -slopes - fall])

    other = minimize(split, np.zeros(2 * size), jac=True, bounds=[(0, None)] * (2 * size), method="L-BFGS-B")
    mine = objective(minimise_kinked_quadratic(*parts, start=np.zeros(size)), parts)
    assert mine <= other.fun + 1e-9 * (1 + abs(other.fun))


def test_a_flat_direction_that_rounding_has_bent_upwards_is_no_obstacle() -> None:
    """Only x + y counts, but for a curvature of -1e-15 that is rounding: minimise (x + y)^2 / 2 - (x + y)."""
    curvature = np.array([[1.0, 1.0], [1.0, 1.0 - 1e-15]])
    none = np.zeros(2)
    x = minimise_kinked_quadratic(-np.ones(2), curvature, none, none, none)
    assert x.sum() == pytest.approx(1, abs=1e-9)
