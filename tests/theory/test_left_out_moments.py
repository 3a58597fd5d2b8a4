"""A moment that averages over nothing, but whose features are there, is as if it were not: same game, same steps."""

from __future__ import annotations

import numpy as np
import pytest

from thumbwise.numerics import solver
from thumbwise.numerics.maxent import Problem
from thumbwise.numerics.solver import solve_dual


def make(seed: int, n_classes: int) -> Problem:
    """Random dense features, and intervals around the moments of some labeling."""
    rng = np.random.default_rng(seed)
    n_patterns, n_moments = 40, 8
    features = rng.random((n_patterns * n_classes, n_moments)) * (rng.random((1, n_moments)) < 0.9)
    masses, truth = rng.dirichlet(np.ones(n_patterns)), rng.dirichlet(np.ones(n_classes), size=n_patterns)
    averages = features.T @ (masses[:, None] * truth).ravel()
    widths = 0.02 * rng.random((2, n_moments))
    return Problem(features, masses, np.ones(n_moments), averages - widths[0], averages + widths[1], n_classes)


@pytest.mark.parametrize("by_products", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(10))
def test_the_steps_are_those_of_the_game_without_it(
    monkeypatch: pytest.MonkeyPatch, seed: int, n_classes: int, by_products: bool
) -> None:
    monkeypatch.setattr(solver, "_is_large", lambda problem: by_products)
    whole = make(seed, n_classes)
    left = np.array([0, 2, 3, 5, 6, 7])
    shares = np.isin(np.arange(8), left).astype(float)
    part = Problem(whole.features, whole.masses, shares, whole.lower, whole.upper, n_classes)
    silenced, without = solve_dual(part), solve_dual(whole.take(left))
    assert not silenced.weights[[1, 4]].any()
    assert silenced.dual_value == pytest.approx(without.dual_value, abs=1e-12)
    np.testing.assert_allclose(silenced.weights[left], without.weights, atol=1e-6)
    assert silenced.n_iter == without.n_iter
