"""With products of the curvature alone the solver finds what it finds with the matrix, and proves as much."""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from support.problems import SmallProblem, item_dual, item_moments, make_problem, pose
from thumbwise.numerics import solver
from thumbwise.numerics.conjugate_gradient import KinkedQuadratic, minimise_by_products
from thumbwise.numerics.solver import Solution, solve_dual


def worst_residual(small: SmallProblem, solution: Solution) -> float:
    """KKT residual from moments that are averaged item by item."""
    moments = item_moments(small.votes, solution.proba[small.votes.inverse])
    used = np.append((small.votes.array >= 0).any(axis=0), [True] * small.votes.n_classes)
    wanted = np.where(solution.weights > 0, small.lower, small.upper)
    inside = np.clip(moments, small.lower, small.upper)
    return float(np.abs(moments - np.where(solution.weights == 0, inside, wanted))[used].max())


@pytest.mark.parametrize("block", range(5))
def test_both_ways_to_a_newton_step_agree(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random intervals, equalities, pinned rules, copies.

    Kills: a product without its mean term; coordinates at a kink that never leave it downwards; kinks taken off.
    """
    n_feasible = 0
    for seed in range(3000 + 15 * block, 3015 + 15 * block):
        small = make_problem(seed)
        problem = pose(small)
        exact = solve_dual(problem)
        with monkeypatch.context() as patch:
            patch.setattr(solver, "_MANY_MOMENTS", 0)
            rough = solve_dual(problem)
        assert rough.is_infeasible == exact.is_infeasible, f"seed {seed}"
        if rough.is_infeasible:
            assert item_dual(small.votes, rough.weights, small.lower, small.upper) < 0
            continue
        n_feasible += 1
        assert worst_residual(small, rough) <= 1.1e-9, f"seed {seed}"
        # A residual of 1e-9 costs at most as much as the weights that it is multiplied by.
        slack = 1e-11 + 1e-9 * (np.abs(rough.weights).sum() + np.abs(exact.weights).sum())
        assert abs(rough.dual_value - exact.dual_value) <= slack, f"seed {seed}"
    assert n_feasible >= 5


@pytest.mark.parametrize("width", [0.0, 0.03])
def test_they_agree_on_some_hundred_rules(width: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred rules with three votes an item, known closely; some vote once or are always right."""
    rng = np.random.default_rng(5)
    labels = rng.integers(3, size=600)
    array = np.where(
        rng.random((600, 200)) < rng.uniform(0.3, 1, 200), labels[:, None], rng.integers(3, size=(600, 200))
    )
    array[rng.random(array.shape) > 3 / 200] = -1
    small = with_widths(array, labels, width)
    exact = solve_dual(pose(small))
    monkeypatch.setattr(solver, "_MANY_MOMENTS", 0)
    rough = solve_dual(pose(small))
    assert worst_residual(small, exact) <= 1.1e-9
    assert worst_residual(small, rough) <= 1.1e-9
    np.testing.assert_allclose(rough.proba, exact.proba, atol=1e-5 if width == 0 else 1e-7)


def with_widths(array: np.ndarray, labels: np.ndarray, width: float) -> SmallProblem:
    votes = tw.Votes(array, n_classes=3)
    truth = item_moments(votes, np.eye(3)[labels])
    return SmallProblem(votes, np.clip(truth - width, 0, 1), np.clip(truth + width, 0, 1), labels)


@pytest.mark.parametrize("seed", range(60))
def test_the_inner_problem_is_solved_up_to_its_tolerance(seed: int) -> None:
    """Zero is nearly a subgradient, on quadratics with random kinks, some of them smooth."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 40))
    factor = rng.normal(size=(size, 2 * size))
    curvature = factor @ factor.T / size + 0.01 * np.eye(size)
    fall, rise = np.sort(rng.normal(size=(2, size)), axis=0)
    rise = np.where(rng.random(size) < 0.3, fall, rise)
    quadratic = KinkedQuadratic(rng.normal(size=size), lambda x: curvature @ x, fall, rise)
    x = rng.normal(size=size)
    for _ in range(10):  # each call has few rounds
        x, _ = minimise_by_products(quadratic, x, np.ones(size), 1e-8)
    slopes = quadratic.linear + curvature @ x
    away, kinked = x != 0, fall < rise
    assert np.abs(slopes + np.where(x > 0, rise, fall))[away | ~kinked].max(initial=0.0) <= 1.1e-8
    assert (slopes + rise >= -1.1e-8)[kinked & ~away].all()
    assert (slopes + fall <= 1.1e-8)[kinked & ~away].all()
