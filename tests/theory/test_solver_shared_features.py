"""Many classes: features that patterns share say what the rows they stand for say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from support.problems import FloatArray, item_dual, item_features, item_moments, make_problem, pose
from thumbwise.numerics import shared_features
from thumbwise.numerics.maxent import Problem, evaluate, hessian, probabilities
from thumbwise.numerics.shared_features import (
    SharedFeatures,
    as_rows,
    cell_features,
    join_features,
    repeated_features,
)
from thumbwise.numerics.solver import solve_dual
from thumbwise.votes.votes import Votes

SEEDS = range(0, 60, 3)


def share(votes: Votes, monkeypatch: pytest.MonkeyPatch) -> SharedFeatures:
    monkeypatch.setattr(shared_features, "_MOST_ROWS", 0)
    patterns, k = votes.patterns, votes.n_classes
    cells = patterns.owners * k + patterns.classes
    by_rule = cell_features(cells, patterns.rules, patterns.n_patterns, k, patterns.n_rules)
    joined = join_features(by_rule, repeated_features(sp.csr_array(sp.eye_array(k)), patterns.n_patterns))
    assert isinstance(joined, SharedFeatures)
    return joined


def spread(seed: int, size: int) -> FloatArray:
    """Weights from moderate to extreme, so that votes speak strongly against classes that make up nearly all."""
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(size=size) * rng.choice([1.0, 10.0, 300.0]))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_array_is_that_of_the_definition(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    votes = make_problem(seed).votes
    features = share(votes, monkeypatch)
    _, example = np.unique(votes.inverse, return_index=True)
    expected = item_features(votes)[example].reshape(features.shape)
    np.testing.assert_array_equal(as_rows(features).toarray(), expected)
    np.testing.assert_array_equal(features[3:5].toarray(), expected[3:5])
    rng = np.random.default_rng(seed)
    weights, values = rng.normal(size=features.shape[1]), rng.normal(size=features.shape[0])
    np.testing.assert_allclose(features @ weights, expected @ weights, atol=1e-13)
    np.testing.assert_allclose(features.T @ values, expected.T @ values, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_value_moments_and_entropy_item_by_item(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kills: patterns that keep hardly anything of the base's normaliser and are not made whole."""
    small = make_problem(seed)
    problem = replace(pose(small), features=share(small.votes, monkeypatch))
    weights = spread(seed, len(small.lower))
    point = evaluate(weights, problem)
    scores = item_features(small.votes) @ weights
    proba = np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])
    np.testing.assert_allclose(point.proba[small.votes.inverse], proba, atol=1e-12)
    np.testing.assert_allclose(point.moments, item_moments(small.votes, proba), atol=1e-11)
    np.testing.assert_allclose(probabilities(weights, problem.features, small.votes.n_classes), point.proba, atol=1e-12)
    value = item_dual(small.votes, weights, small.lower, small.upper)
    assert point.value == pytest.approx(value, abs=1e-13 * point.scale)
    entropy = -np.where(proba > 0, proba * np.log(np.maximum(proba, 1e-300)), 0).sum(axis=1).mean()
    assert point.prediction.entropy == pytest.approx(entropy, abs=1e-12 * point.scale)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("is_shared", [True, False])
def test_products_are_those_of_the_hessian(seed: int, is_shared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the matrix made of centred dense features, at moderate and at extreme weights."""
    small = make_problem(seed)
    dense = pose(small)
    dense = replace(dense, features=as_rows(dense.features).toarray())
    problem = replace(dense, features=share(small.votes, monkeypatch)) if is_shared else dense
    weights = spread(seed, len(small.lower))
    expected = hessian(evaluate(weights, dense).proba, dense)
    prediction = evaluate(weights, problem).prediction
    products = np.array([prediction.product(e) for e in np.eye(len(weights))])
    np.testing.assert_allclose(products, expected, atol=1e-12)
    np.testing.assert_allclose(prediction.diagonal(), expected.diagonal(), atol=1e-11)


@pytest.mark.parametrize("seed", range(10))
def test_products_of_features_that_are_shared_and_changed_at_once(seed: int) -> None:
    """Any numbers, a moment with both parts. Kills: the cross term of a square counted once."""
    rng = np.random.default_rng(seed)
    n, k, m = 7, 5, 4
    cells = np.flatnonzero(rng.random(n * k) < 0.4)
    features = SharedFeatures(
        sp.csr_array(rng.normal(size=(k, m))), cells, sp.csr_array(rng.normal(size=(len(cells), m))), n
    )
    zeros, weights = np.zeros(m), rng.normal(size=m)
    problem = Problem.build(features, rng.dirichlet(np.ones(n)), zeros + 1, zeros, zeros)
    dense = replace(problem, features=as_rows(features).toarray())
    expected = hessian(evaluate(weights, dense).proba, dense)
    prediction = evaluate(weights, problem).prediction
    np.testing.assert_allclose([prediction.product(e) for e in np.eye(m)], expected, atol=1e-13)
    np.testing.assert_allclose(prediction.diagonal(), expected.diagonal(), atol=1e-13)


def test_votes_against_every_class_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal weights of -900 on both classes say nothing. Kills: a largest score that is never below the base's."""
    votes = Votes([[0, 1], [1, 0]])
    features = share(votes, monkeypatch)
    ones = np.ones(4)
    problem = Problem.build(features, np.array([0.5, 0.5]), ones, 0 * ones, ones)
    point = evaluate(np.array([-900.0, -900.0, 0.0, 0.0]), problem)
    np.testing.assert_allclose(point.proba, 0.5)
    np.testing.assert_allclose(point.moments, 0.5)


@pytest.mark.parametrize("block", range(3))
def test_the_same_optimum_and_the_same_proofs(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(4000 + 15 * block, 4015 + 15 * block):
        small = make_problem(seed)
        exact = solve_dual(pose(small))
        with monkeypatch.context() as patch:
            shared = solve_dual(replace(pose(small), features=share(small.votes, patch)))
        assert shared.is_infeasible == exact.is_infeasible
        if exact.is_infeasible:
            assert item_dual(small.votes, shared.weights, small.lower, small.upper) < 0
            continue
        assert shared.kkt_residual <= 1e-9
        slack = 1e-11 + 1e-9 * (np.abs(shared.weights).sum() + np.abs(exact.weights).sum())
        assert abs(shared.dual_value - exact.dual_value) <= slack
        assert shared.n_classes == shared.proba.shape[1]


def test_one_rule_and_many_classes_have_the_closed_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only an accuracy b is known: the weight is log(b (k - 1) / (1 - b)), the bound the entropy of (b, rest even)."""
    k, b = 5000, 0.8
    votes = Votes(np.arange(40).reshape(-1, 1), n_classes=k)
    features = share(votes, monkeypatch)
    lower, upper = np.append(b, np.zeros(k)), np.append(b, np.ones(k))
    problem = Problem.build(features, np.full(40, 1 / 40), np.ones(k + 1), lower, upper)
    solution = solve_dual(problem)
    assert solution.weights[0] == pytest.approx(np.log(b * (k - 1) / (1 - b)), abs=1e-7)
    assert solution.dual_value == pytest.approx(-b * np.log(b) - (1 - b) * np.log((1 - b) / (k - 1)), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_rows_and_shared_features_join(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Moments of other kinds come as rows."""
    votes = make_problem(seed).votes
    features = share(votes, monkeypatch)
    rows = sp.csr_array(sp.random_array((features.shape[0], 2), density=0.3, random_state=seed))
    for pair in ((features, rows), (rows, features)):
        expected = np.hstack([as_rows(part).toarray() for part in pair])
        np.testing.assert_array_equal(as_rows(join_features(*pair)).toarray(), expected)
