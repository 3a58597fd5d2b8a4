"""The game and logistic regression, each solved as the other, against scikit-learn's solvers and by items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import thumbwise as tw
from support.problems import FloatArray, item_dual, item_features, item_moments, make_votes
from thumbwise import theory
from thumbwise.numerics.maxent import dual_value


def make_case(seed: int, n_classes: int) -> tuple[tw.Votes, FloatArray, theory.Truth]:
    rng = np.random.default_rng(seed)
    labels, array = make_votes(rng, 60, int(rng.integers(2, 6)), n_classes)
    votes = tw.Votes(array, n_classes=n_classes)
    eta = 0.7 * np.eye(n_classes)[labels] + 0.3 * rng.dirichlet(np.ones(n_classes), 60)
    return votes, eta, theory.Truth.of(votes, eta)


def sklearn_l1(x: FloatArray, y: FloatArray, sample_weight: FloatArray, penalty: float, **kind: Any) -> FloatArray:
    """Coefficients (and intercepts, last) that minimise the weighted loss plus penalty * |coefficients|_1."""
    # What an L1 penalty is called differs between versions.
    is_new = LogisticRegression().get_params().get("penalty", "deprecated") == "deprecated"
    kind |= {"l1_ratio": 1.0} if is_new else {"penalty": "l1"}
    model = LogisticRegression(C=1 / penalty, tol=1e-12, max_iter=200_000, random_state=0, **kind)
    model.fit(x, y, sample_weight=sample_weight)
    return np.column_stack([model.coef_, model.intercept_])


def soft_sample(x: FloatArray, eta: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Each item once for every class, weighted with its probability."""
    k = eta.shape[1]
    return np.repeat(x, k, axis=0), np.tile(np.arange(k), len(x)), eta.ravel()


def regression_objective(x: FloatArray, eta: FloatArray, coefficients: FloatArray, penalty: FloatArray) -> float:
    """Summed over items, one by one."""
    total = float((np.abs(coefficients) * penalty).sum())
    for features, truth in zip(x, eta, strict=True):
        scores = coefficients @ features
        total -= float(truth @ (scores - np.logaddexp.reduce(scores)))
    return total


@pytest.mark.parametrize("seed", range(30))
def test_the_objective_is_the_dual_value_for_every_weights_and_every_truth(seed: int) -> None:
    votes, eta, truth = make_case(seed, 2 + seed % 3)
    rng = np.random.default_rng(seed)
    m = len(truth.moments)
    lower, upper = np.sort(rng.random((2, m)), axis=0)
    form = theory.as_logistic_regression(truth, tw.Box.from_bounds(votes, lower=lower, upper=upper))
    per_rule = np.append((votes.array >= 0).mean(axis=0), np.ones(votes.n_classes))
    true = item_moments(votes, eta)
    for _ in range(5):
        u = rng.normal(0, 2, m)
        assert form.objective(u) == pytest.approx(item_dual(votes, u, lower, upper), rel=1e-9)
        # Cross entropy and penalty on their own, by items.
        scores = item_features(votes) @ u
        cross = -(eta * (scores - np.logaddexp.reduce(scores, axis=1)[:, None])).sum() / votes.n_items
        penalty = per_rule @ np.where(u > 0, (true - lower) * u, (upper - true) * -u)
        assert form.rise @ np.maximum(u, 0) + form.fall @ np.maximum(-u, 0) == pytest.approx(penalty, rel=1e-9)
        assert form.objective(u) == pytest.approx(cross + penalty, rel=1e-9)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_scores_of_items_are_a_weight_matrix_times_features(k: int) -> None:
    votes, _, truth = make_case(k, k)
    u = np.random.default_rng(k).normal(size=len(truth.moments))
    features = theory.logistic_features(votes)[votes.inverse]
    by_items = item_features(votes)  # (items, classes, moments)
    np.testing.assert_array_equal(features.toarray(), by_items.transpose(0, 2, 1).reshape(votes.n_items, -1))
    np.testing.assert_allclose(features @ theory.weight_matrix(u, k).T, by_items @ u, atol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_the_game_solved_by_scikit_learn(seed: int) -> None:
    """Two classes. The middle of the box is the moments of some labeling z, which is not the truth.

    With z as labels the penalty is the same up and down, and scikit-learn can take it: columns are divided by prices.
    """
    votes, eta, truth = make_case(seed, 2)
    n, rng = votes.n_items, np.random.default_rng(seed)
    z = 0.8 * eta + 0.2 * rng.dirichlet(np.ones(2), n)
    middle = item_moments(votes, z)
    half = rng.uniform(0.005, 0.1, len(middle))
    box = tw.Box.from_bounds(votes, lower=np.maximum(middle - half, 0), upper=np.minimum(middle + half, 1))
    model = tw.BalsubramaniFreund().fit(votes, box=box)

    form = theory.as_logistic_regression(theory.Truth.of(votes, z), box)
    np.testing.assert_allclose(form.rise, form.fall, atol=1e-12)
    used = form.rise > 0
    columns = form.contrasts.toarray()[:, used] / form.rise[used] / n
    x, y, sample_weight = soft_sample(columns, form.masses * n)
    theirs = np.zeros(len(middle))
    found = sklearn_l1(x, y, sample_weight, 1.0, solver="liblinear", fit_intercept=False)
    theirs[used] = found[0, :-1] / form.rise[used] / n

    seen_with_the_truth = theory.as_logistic_regression(truth, box)
    assert seen_with_the_truth.objective(theirs) == pytest.approx(model.certificate_.log_loss_bound, abs=1e-8)
    assert seen_with_the_truth.objective(theirs) >= model.certificate_.log_loss_bound - 1e-12
    np.testing.assert_allclose(theory.log_predictions(votes, theirs), np.log(model._predict_patterns(votes)), atol=1e-5)
    # Copies of a rule may share their weight in any way; what is alone is unique.
    alone = [j for j in range(votes.n_rules) if sum((votes.array[:, j] == c).all() for c in votes.array.T) == 1]
    np.testing.assert_allclose(theirs[alone], model.weights_[alone], atol=1e-5)
    assert (np.abs(theirs) > 0.1).any()


def test_contrasts_are_for_two_classes() -> None:
    votes, eta, truth = make_case(0, 3)
    with pytest.raises(ValueError, match="needs two classes; found 3"):
        _ = theory.as_logistic_regression(truth, tw.Box.exact(votes, eta)).contrasts


def make_regression(seed: int, k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(80, 4))
    scores = x @ (rng.normal(size=(4, k)) * (rng.random((4, 1)) < 0.7))
    labels = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    eta = np.eye(k)[labels] if seed % 2 else 0.8 * np.eye(k)[labels] + 0.2 * rng.dirichlet(np.ones(k), 80)
    return x, labels, eta


@pytest.mark.parametrize("penalty", [1.0, 5.0])
@pytest.mark.parametrize("seed", range(3))
def test_multinomial_regression_solved_as_a_game(seed: int, penalty: float) -> None:
    """Three classes, so that a common shift of a feature's coefficients is not free and coefficients are unique."""
    x, _, eta = make_regression(seed, 3)
    ours = theory.solve_l1_regression(x, eta, penalty)
    theirs = sklearn_l1(*soft_sample(x, eta), penalty, solver="saga", fit_intercept=False)[:, :-1]
    costs = np.full(4, penalty)
    assert ours.objective == pytest.approx(regression_objective(x, eta, ours.coefficients, costs), rel=1e-10)
    assert ours.objective == pytest.approx(regression_objective(x, eta, theirs, costs), rel=1e-7)
    assert ours.objective <= regression_objective(x, eta, theirs, costs) + 1e-8
    np.testing.assert_allclose(ours.coefficients, theirs, atol=1e-5)
    assert (ours.coefficients == 0).any()
    assert (np.abs(ours.coefficients) > 0.1).any()


@pytest.mark.parametrize("seed", range(3))
def test_a_free_intercept_is_a_column_without_penalty(seed: int) -> None:
    x, _, eta = make_regression(seed, 3)
    ours = theory.solve_l1_regression(np.column_stack([x, np.ones(80)]), eta, [2, 2, 2, 2, 0]).coefficients
    theirs = sklearn_l1(*soft_sample(x, eta), 2.0, solver="saga", fit_intercept=True)
    np.testing.assert_allclose(ours[:, :4], theirs[:, :4], atol=1e-5)
    np.testing.assert_allclose(ours[:, 4] - ours[:, 4].mean(), theirs[:, 4] - theirs[:, 4].mean(), atol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_binary_regression_solved_as_a_game(seed: int) -> None:
    """With two classes |w_0| + |w_1| is least at |w_1 - w_0|: the difference is the coefficient of a binary model."""
    x, labels, _ = make_regression(seed, 2)
    ours = theory.solve_l1_regression(x, labels, 3.0).coefficients
    theirs = sklearn_l1(x, labels, np.ones(80), 3.0, solver="liblinear", fit_intercept=False)[0, :-1]
    np.testing.assert_allclose(ours[1] - ours[0], theirs, atol=1e-5)


@pytest.mark.parametrize("seed", range(20))
def test_coefficients_are_optimal_by_the_subgradient_of_each(seed: int) -> None:
    """|sum_i x_i[f] (g_i[c] - eta_i[c])| is at most the penalty, and equal to it, with the sign, if W[c, f] != 0."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 6))
    x, _, eta = make_regression(seed, k)
    x *= 10.0 ** rng.uniform(-1, 1, 4)
    penalty = rng.uniform(0.5, 8, 4)
    w = theory.solve_l1_regression(x, eta, penalty).coefficients
    gradient = np.zeros_like(w)
    for features, truth in zip(x, eta, strict=True):
        scores = w @ features
        gradient += np.outer(np.exp(scores - np.logaddexp.reduce(scores)) - truth, features)
    assert (np.abs(gradient) <= penalty + 1e-7).all()
    np.testing.assert_allclose((gradient + np.sign(w) * penalty)[w != 0], 0, atol=1e-7)


@pytest.mark.parametrize("seed", range(10))
def test_the_dual_value_of_the_game_is_the_objective_for_every_coefficients(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, _, eta = make_regression(seed, 4)
    penalty = rng.uniform(0, 3, 4)
    problem = theory.l1_regression_game(x, eta, penalty)
    w = rng.normal(size=(4, 4))
    assert 80 * dual_value(w.T.ravel(), problem) == pytest.approx(regression_objective(x, eta, w, penalty), rel=1e-10)


@pytest.mark.parametrize(
    ("features", "labels", "penalty", "message"),
    [
        ([[1.0], [2.0]], [0, 1], -1.0, "at least 0; found -1.0"),
        ([[1.0], [2.0]], [0, 1, 1], 1.0, "one row per label"),
        ([[1.0], [np.nan]], [0, 1], 1.0, "must be finite"),
        ([[1.0], [2.0]], [-1, 1], 1.0, "labels must be class numbers"),
    ],
)
def test_what_is_no_regression_is_refused(features: Any, labels: Any, penalty: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        theory.solve_l1_regression(features, labels, penalty)
