"""Iterations among few moments end where iterations with all of them end.

Kills, tried once: moments that are pulled off their kink never let in.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from thumbwise.numerics import solver
from thumbwise.numerics.maxent import Problem, evaluate, kkt_residuals
from thumbwise.numerics.shared_features import put_beside
from thumbwise.numerics.solver import solve_dual


def random_game(seed: int, n_classes: int, width: float) -> Problem:
    """Sixty accuracies within a width of what a labeling has, and a column that is no share."""
    rng = np.random.default_rng(seed)
    n, n_rules = 150, 60
    truth = rng.integers(n_classes, size=n)
    votes = np.where(rng.random((n, n_rules)) < 0.6, truth[:, None], rng.integers(n_classes, size=(n, n_rules)))
    features = (votes[:, None, :] == np.arange(n_classes)[:, None]) & (rng.random((n, 1, n_rules)) < 0.3)
    rows = features.reshape(-1, n_rules).astype(float)
    masses, shares = rng.dirichlet(np.ones(n)), np.full(n_rules, 0.3)
    moments = masses @ features[np.arange(n), truth] / shares
    problem = Problem.build(sp.csr_array(rows), masses, shares, moments - width, moments + width)
    losses = rng.exponential(size=(n, n_classes)) * np.where(np.arange(n_classes) == truth[:, None], 0.2, 1)
    problem = problem.beside(losses.reshape(-1, 1), np.ones(1))
    mean = float(masses @ losses[np.arange(n), truth])
    return problem.with_bounds(np.append(problem.lower[:-1], 0.0), np.append(problem.upper[:-1], mean + width))


@pytest.mark.parametrize("width", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_few_moments_lead_to_the_same_bound(
    seed: int, n_classes: int, width: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = random_game(seed, n_classes, width)
    few = solve_dual(problem, tol=1e-9)
    warm = solve_dual(problem.with_bounds(problem.lower - 0.01, problem.upper), tol=1e-9, start=few)
    monkeypatch.setattr(solver, "_SOME_MOMENTS", 10**9)
    every = solve_dual(problem.in_one_part, tol=1e-9)
    assert 0 < every.dual_value < np.log(n_classes) - 1e-3
    assert few.dual_value == pytest.approx(every.dual_value, abs=1e-12)
    assert kkt_residuals(evaluate(few.weights, problem), problem).max() <= 1e-9
    cold = solve_dual(problem.with_bounds(problem.lower - 0.01, problem.upper).in_one_part, tol=1e-9)
    assert warm.dual_value == pytest.approx(cold.dual_value, abs=1e-12)


def test_columns_beside_others_are_those_of_one_array() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.random((12, 5)) * (rng.random((12, 5)) < 0.5), rng.random((12, 2))
    whole = np.concatenate([first, second], axis=1)
    for stored in (first, sp.csr_array(first)):
        joined = put_beside(stored, second)
        x, y = rng.random(7), rng.random(12)
        np.testing.assert_allclose(joined @ x, whole @ x)
        np.testing.assert_allclose(joined.T @ y, whole.T @ y)
        assert joined.shape == whole.shape
