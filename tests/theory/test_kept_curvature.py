"""Curvatures that are kept, or made from the parts of shared features, lead to the answers of Newton's method."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from thumbwise import plan
from thumbwise._typing import FloatArray
from thumbwise.datasets import make_one_coin
from thumbwise.numerics import solver
from thumbwise.numerics.maxent import Problem, curvature_at, evaluate, kkt_residuals, predict
from thumbwise.numerics.shared_features import SharedFeatures, as_rows, merge_ascending
from thumbwise.numerics.solver import Curvature, solve_dual


def make_game(n_classes: int, *, n_patterns: int = 60, n_rules: int = 5, width: float = 0.05) -> Problem:
    """Rules that speak for one class each, and class frequencies; a box around the moments of some weights."""
    rng = np.random.default_rng(n_classes)
    said = rng.integers(n_classes, size=(n_patterns, n_rules))
    features = np.zeros((n_patterns, n_classes, n_rules + n_classes))
    features[np.arange(n_patterns)[:, None], said, np.arange(n_rules)] = 1
    features[:, np.arange(n_classes), n_rules + np.arange(n_classes)] = 1
    masses = rng.dirichlet(np.ones(n_patterns))
    game = Problem.build(
        sp.csr_array(features.reshape(-1, features.shape[2])), masses, np.ones(features.shape[2]), *np.zeros((2, 1))
    )
    true = np.append(rng.uniform(0.5, 2, n_rules), rng.normal(0, 0.3, n_classes))
    moments = evaluate(true, game.with_bounds(np.zeros_like(true), np.ones_like(true))).moments
    return game.with_bounds(moments - width, moments + width)


def as_shared(game: Problem, n_rules: int = 5) -> Problem:
    """The same game with class columns that all patterns share."""
    rows, k = as_rows(game.features), game.n_classes
    shared = sp.csr_array(rows[:k].toarray() * (np.arange(rows.shape[1]) >= n_rules))
    extra = sp.csr_array(rows.toarray() * (np.arange(rows.shape[1]) < n_rules))
    cells = np.flatnonzero(np.diff(extra.indptr) * (abs(extra).sum(axis=1) > 0))
    return replace(game, features=SharedFeatures(shared, cells, sp.csr_array(extra[cells]), len(game.masses)))


def by_differences(game: Problem, weights: FloatArray) -> FloatArray:
    """Second derivative of the mean log-partition, from differences of the moments, which no curvature is used for."""
    step = 1e-5

    def totals(at: FloatArray) -> FloatArray:
        return np.asarray(predict(at, game).totals)

    columns = [
        (totals(weights + step * axis) - totals(weights - step * axis)) / (2 * step) for axis in np.eye(len(weights))
    ]
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("n_classes", [2, 3, 8])
def test_curvature_of_shared_features_is_the_slope_of_the_moments(n_classes: int) -> None:
    shared = as_shared(make_game(n_classes))
    features: Any = shared.features
    features.extra.data *= np.random.default_rng(0).uniform(-2, 2, features.extra.nnz)  # as losses, not all are 1
    weights = np.random.default_rng(1).normal(size=len(shared.shares))
    curvature = curvature_at(predict(weights, shared), shared)
    np.testing.assert_allclose(curvature, by_differences(shared, weights), atol=1e-8)
    np.testing.assert_allclose(curvature.diagonal(), predict(weights, shared).diagonal(), atol=1e-13)
    direction = np.random.default_rng(2).normal(size=len(weights))
    np.testing.assert_allclose(curvature @ direction, predict(weights, shared).product(direction), atol=1e-13)


@pytest.mark.parametrize("n_classes", [2, 3, 8])
@pytest.mark.parametrize("width", [0.0, 0.03])
def test_a_kept_curvature_leads_to_the_same_bound(
    n_classes: int, width: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_game(n_classes, width=width)
    newton = solve_dual(game)
    made: list[int] = []

    def counted(prediction: Any, problem: Problem) -> FloatArray:
        made.append(1)
        return curvature_at(prediction, problem)

    monkeypatch.setattr(solver, "curvature_at", counted)
    solve_dual(game)
    n_newton = len(made)
    monkeypatch.setattr(solver, "_DEAR_CELLS", 0)
    made.clear()
    kept = solve_dual(game)
    assert kept.dual_value == pytest.approx(newton.dual_value, abs=1e-12)
    point = evaluate(kept.weights, game)
    assert kkt_residuals(point, game).max() <= 1e-9
    assert len(made) < n_newton
    assert kept.curvature is None or kept.curvature.shape == (len(game.shares),) * 2


def test_a_curvature_of_elsewhere_costs_steps_and_not_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game(3)
    newton = solve_dual(game)
    monkeypatch.setattr(solver, "_DEAR_CELLS", 0)
    rng = np.random.default_rng(3)
    root = rng.normal(size=(len(game.shares), len(game.shares)))
    for wrong in (1e-6 * np.eye(len(root)), 1e6 * np.eye(len(root)), root @ root.T):
        misled = solve_dual(game, curvature=wrong)
        assert misled.dual_value == pytest.approx(newton.dual_value, abs=1e-12)
        assert misled.kkt_residual <= 1e-9


def test_a_curvature_is_forgotten_where_it_is_cheap_or_a_step_went_badly(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game(3)
    matrix = np.eye(len(game.shares))
    cheap = Curvature(matrix)
    cheap.judge(1.0, 0.01, game)
    assert cheap.matrix is None
    monkeypatch.setattr(solver, "_DEAR_CELLS", 0)
    good, bad = Curvature(matrix), Curvature(matrix)
    good.judge(1.0, 0.01, game)
    bad.judge(1.0, 0.9, game)
    assert good.matrix is matrix
    assert bad.matrix is None


def test_merging_is_the_union() -> None:
    rng = np.random.default_rng(0)
    for sizes in ((0, 0), (0, 5), (7, 0), (40, 60)):
        left, right = (np.unique(rng.integers(80, size=size)) for size in sizes)
        np.testing.assert_array_equal(merge_ascending(left, right), sorted({*left.tolist(), *right.tolist()}))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_plan_says_the_same_with_curvatures_that_are_kept(n_classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_one_coin(600, np.linspace(0.6, 0.9, 6), n_classes=n_classes, abstain=0.2, random_state=0)
    drawn = np.random.default_rng(0).choice(600, 80, replace=False)
    plans = []
    for cells in (2**60, 0):
        monkeypatch.setattr(solver, "_DEAR_CELLS", cells)
        plans.append(plan(made.votes.take(drawn), made.labels[drawn], pool=made.votes, gold_is="subset"))
    newton, kept = plans
    np.testing.assert_allclose([row.bound for row in kept.rows], [row.bound for row in newton.rows], atol=1e-9)
    assert kept.floor == pytest.approx(newton.floor, abs=1e-9)
    worth = [{row.rule: row.bound_without for row in one.worth} for one in plans]
    gains = [{row.rule: row.gain for row in one.rule_gains} for one in plans]
    for rule in worth[0]:
        assert worth[1][rule] == pytest.approx(worth[0][rule], abs=1e-9)
        assert gains[1][rule] == pytest.approx(gains[0][rule], abs=1e-9)
