"""The dual function: value, derivatives and weak duality, against the definitions evaluated item by item."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import thumbwise as tw
from support.problems import SmallProblem, item_dual, item_moments, make_problem, pose
from thumbwise.numerics import maxent
from thumbwise.numerics.maxent import evaluate, hessian
from thumbwise.numerics.shared_features import as_rows

SEEDS = range(0, 60, 3)


@pytest.mark.parametrize("seed", SEEDS)
def test_value_is_the_formula_item_by_item(seed: int) -> None:
    small = make_problem(seed)
    weights = np.random.default_rng(seed).normal(size=len(small.lower)) * 3
    expected = item_dual(small.votes, weights, small.lower, small.upper)
    assert evaluate(weights, pose(small)).value == pytest.approx(expected, abs=1e-12)
    assert maxent.dual_value(weights, pose(small)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_moments_of_the_prediction_are_averages_over_items(seed: int) -> None:
    small = make_problem(seed)
    weights = np.random.default_rng(seed).normal(size=len(small.lower))
    point = evaluate(weights, pose(small))
    expected = item_moments(small.votes, point.proba[small.votes.inverse])
    np.testing.assert_allclose(point.moments, expected, atol=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_slope_is_the_distance_of_a_moment_from_its_bound(seed: int) -> None:
    """Away from kinks, dD/du_m = share_m * (moment_m - bound_m), by central differences."""
    small, h = make_problem(seed), 1e-6
    problem = pose(small)
    weights = np.random.default_rng(seed).normal(size=len(small.lower))
    point = evaluate(weights, problem)
    slopes = [
        (maxent.dual_value(weights + h * e, problem) - maxent.dual_value(weights - h * e, problem)) / (2 * h)
        for e in np.eye(len(weights))
    ]
    bound = np.where(weights > 0, small.lower, small.upper)
    np.testing.assert_allclose(slopes, problem.shares * (point.moments - bound), atol=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_violation_and_residual_are_those_of_a_loop_over_the_moments(seed: int) -> None:
    """At weights that are far from the best ones. The last rule never votes: its interval cannot be violated."""
    small = make_problem(seed)
    n_rules = small.votes.n_rules
    array = np.column_stack([small.votes.array, np.full(small.votes.n_items, -1)])
    votes = tw.Votes(array, class_names=small.votes.class_names)
    lower, upper = (np.insert(bound, n_rules, 0.9) for bound in (small.lower, small.upper))
    problem = pose(SmallProblem(votes, lower, upper, small.labels))
    weights = np.random.default_rng(seed).normal(size=len(lower)) * (np.arange(len(lower)) % 3)
    point = evaluate(weights, problem)
    values = item_moments(votes, point.proba[votes.inverse])
    voted = np.append((array >= 0).any(axis=0), [True] * votes.n_classes)
    worst, residuals = 0.0, []
    for m, value in enumerate(values):
        outside = max(lower[m] - value, value - upper[m], 0.0)
        distance = {1: abs(value - lower[m]), -1: abs(value - upper[m]), 0: outside}[int(np.sign(weights[m]))]
        worst = max(worst, outside if voted[m] else 0.0)
        residuals.append(distance if voted[m] else 0.0)
    assert maxent.box_violation(point, problem) == pytest.approx(worst, abs=1e-12)
    np.testing.assert_allclose(maxent.kkt_residuals(point, problem), residuals, atol=1e-12)


def test_some_violations_are_positive_and_some_problems_have_none() -> None:
    """What the loop above compares must differ from 0, and from what a moment over no item would give."""
    small = make_problem(1)
    inside = tw.Box.from_bounds(small.votes)
    wide = pose(SmallProblem(small.votes, inside.lower, inside.upper, small.labels))
    assert maxent.box_violation(evaluate(np.zeros(len(inside)), wide), wide) == 0
    found = []
    for seed in SEEDS:
        problem = pose(make_problem(seed))
        found.append(maxent.box_violation(evaluate(np.zeros(len(problem.shares)), problem), problem))
    assert max(found) > 0.1


@pytest.mark.parametrize("seed", SEEDS)
def test_hessian_is_the_slope_of_the_slope(seed: int) -> None:
    problem, h = pose(make_problem(seed)), 1e-5
    weights = np.random.default_rng(seed).normal(size=len(problem.shares))
    columns = [
        problem.shares
        * (evaluate(weights + h * e, problem).moments - evaluate(weights - h * e, problem).moments)
        / (2 * h)
        for e in np.eye(len(weights))
    ]
    np.testing.assert_allclose(hessian(evaluate(weights, problem).proba, problem), np.array(columns), atol=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_dense_blocked_and_sparse_hessians_agree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = pose(make_problem(seed))
    proba = evaluate(np.random.default_rng(seed).normal(size=len(problem.shares)), problem).proba
    sparse = replace(problem, features=as_rows(problem.features))
    dense = replace(problem, features=as_rows(problem.features).toarray())
    expected = hessian(proba, dense)
    monkeypatch.setattr(maxent, "_mostly_zero", lambda features: False)
    np.testing.assert_allclose(hessian(proba, sparse), expected, atol=1e-14)
    monkeypatch.setattr(maxent, "_mostly_zero", lambda features: True)
    np.testing.assert_allclose(hessian(proba, sparse), expected, atol=1e-14)


@pytest.mark.parametrize("seed", range(100))
def test_every_weights_bound_the_loss_of_every_labeling_in_the_box(seed: int) -> None:
    """Weak duality, at random weights, for a labeling and a box that contains it.

    Kills: the minimum over the box turned into a maximum, or taken at one bound only.
    """
    rng = np.random.default_rng(seed)
    small = make_problem(seed)
    n, k = small.votes.n_items, small.votes.n_classes
    labeling = rng.dirichlet(np.full(k, 0.3), size=n)
    truth = item_moments(small.votes, labeling)
    lower, upper = np.clip(truth - rng.uniform(0, 0.1, len(truth)), 0, 1), np.clip(truth + rng.uniform(0, 0.1), 0, 1)
    problem = pose(SmallProblem(small.votes, lower, upper, small.labels))
    point = evaluate(rng.normal(size=len(truth)) * rng.choice([0.1, 1, 10]), problem)
    loss = -(labeling * point.log_proba[small.votes.inverse]).sum() / n
    assert point.value >= loss - 1e-12


@pytest.mark.parametrize("seed", range(40))
def test_an_unconverged_fit_has_a_valid_certificate(seed: int) -> None:
    small = make_problem(seed)
    box = tw.Box.exact(small.votes, small.labels)
    wide = tw.Box.from_bounds(small.votes, lower=np.clip(box.lower - 0.1, 0, 1), upper=np.clip(box.upper + 0.1, 0, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = tw.BalsubramaniFreund(max_iter=1).fit(small.votes, box=wide)
    loss = tw.metrics.log_loss(small.labels, model.predict_proba(small.votes), clip=0)
    assert model.certificate_.log_loss_bound >= loss - 1e-12
