"""Where the loss comes from, against loops over items that follow the definitions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import thumbwise as tw
from support.paper import NAMES, load_paper, reference
from support.problems import FloatArray, item_features, item_moments, make_votes
from thumbwise import theory
from thumbwise.metrics import kl_sum

RELATIVE = 1e-9


def make_truth(seed: int, *, soft: bool = True) -> tuple[tw.Votes, FloatArray, theory.Truth]:
    """Votes, class probabilities of items and the same as a Truth; soft ones differ between items of one pattern."""
    rng = np.random.default_rng(seed)
    k, n_rules, n = int(rng.integers(2, 6)), int(rng.integers(1, 8)), int(rng.integers(50, 70))
    labels, array = make_votes(rng, n, n_rules, k)
    array[: n // 10] = -1
    if n_rules > 2 and seed % 5 == 0:
        array[:, 1] = -1
    votes = tw.Votes(array, n_classes=k)
    if not soft:
        return votes, np.eye(k)[labels], theory.Truth.of(votes, labels)
    sure = rng.uniform(0.2, 0.9)
    eta = sure * np.eye(k)[labels] + (1 - sure) * rng.dirichlet(np.ones(k), n)
    return votes, eta, theory.Truth.of(votes, eta)


def item_predictions(votes: tw.Votes, weights: FloatArray) -> FloatArray:
    scores = item_features(votes) @ weights
    return np.asarray(np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None]))


def item_divergence(first: FloatArray, second: FloatArray) -> float:
    """Mean of KL(first_i, second_i), term by term."""
    total = 0.0
    for p, q in zip(first, second, strict=True):
        total += sum(a * np.log(a / b) for a, b in zip(p, q, strict=True) if a > 0)
    return total / len(first)


def item_e_step(votes: tw.Votes, b: FloatArray, w: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Class probabilities of each item, and the probability of its votes."""
    k = len(w)
    joint = np.tile(w, (votes.n_items, 1))
    for i, row in enumerate(votes.array):
        for j, vote in enumerate(row):
            if vote >= 0:
                joint[i] *= [b[j] if vote == c else (1 - b[j]) / (k - 1) for c in range(k)]
    totals = joint.sum(axis=1)
    return joint / totals[:, None], totals


def make_parameters(votes: tw.Votes, seed: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(0.05, 0.95, votes.n_rules), rng.dirichlet(np.ones(votes.n_classes))


@pytest.mark.parametrize("seed", range(25))
def test_every_part_is_what_a_loop_over_items_finds(seed: int) -> None:
    votes, eta, truth = make_truth(seed, soft=seed % 3 > 0)
    weights = np.random.default_rng(seed).normal(0, 1.5, votes.n_rules + votes.n_classes)
    best, given = (item_predictions(votes, u) for u in (truth.best_weights, weights))
    parts = theory.decompose(truth, weights)
    assert parts.total == pytest.approx(item_divergence(eta, given), rel=RELATIVE)
    assert parts.model == pytest.approx(item_divergence(eta, best), rel=RELATIVE, abs=1e-12)
    assert parts.approximation == pytest.approx(item_divergence(best, given), rel=RELATIVE)
    assert parts.total * votes.n_items == pytest.approx(kl_sum(eta, given), rel=RELATIVE)


@pytest.mark.parametrize("seed", range(25))
def test_the_best_approximator_has_the_true_moments_and_is_the_games_answer_for_them(seed: int) -> None:
    votes, eta, truth = make_truth(seed, soft=seed % 3 > 0)
    best = item_predictions(votes, truth.best_weights)
    np.testing.assert_allclose(item_moments(votes, best), item_moments(votes, eta), atol=1e-10)
    model = tw.BalsubramaniFreund().fit(votes, box=tw.Box.exact(votes, eta))
    np.testing.assert_allclose(model.predict_proba(votes), best, atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_no_member_of_the_family_is_closer_to_the_truth(seed: int) -> None:
    votes, eta, truth = make_truth(seed)
    least = item_divergence(eta, item_predictions(votes, truth.best_weights))
    rng = np.random.default_rng(seed)
    for size in (1e-3, 0.1, 1.0):
        moved = truth.best_weights + size * rng.normal(size=len(truth.best_weights))
        assert item_divergence(eta, item_predictions(votes, moved)) >= least


@pytest.mark.parametrize("seed", range(40))
def test_the_loss_is_model_plus_approximation(seed: int) -> None:
    votes, _, truth = make_truth(seed)
    weights = np.random.default_rng(seed).normal(0, 1.5, votes.n_rules + votes.n_classes)
    parts = theory.decompose(truth, weights)
    assert parts.total == pytest.approx(parts.model + parts.approximation, rel=RELATIVE)


@pytest.mark.parametrize("seed", range(20))
def test_the_loss_of_the_game_is_model_plus_approximation_even_if_the_box_misses_the_truth(seed: int) -> None:
    votes, eta, truth = make_truth(seed)
    rng = np.random.default_rng(seed)
    other = 0.5 * eta + 0.5 * rng.dirichlet(np.ones(votes.n_classes), votes.n_items)
    lower, upper = item_moments(votes, other) + rng.uniform(0, 0.1, (2, 1)) * [[-1], [1]]
    box = tw.Box.from_bounds(votes, lower=np.clip(lower, 0, 1), upper=np.clip(upper, 0, 1))
    parts = theory.decompose_box(truth, box)
    proba = tw.BalsubramaniFreund().fit(votes, box=box).predict_proba(votes)
    assert parts.total == pytest.approx(item_divergence(eta, proba), rel=RELATIVE)
    assert parts.total == pytest.approx(parts.model + parts.approximation, rel=RELATIVE)


@pytest.mark.parametrize("seed", range(25))
def test_pythagoras(seed: int) -> None:
    """Both sides by items; and off by first order for a middle that does not have the true moments."""
    votes, eta, truth = make_truth(seed)
    weights = np.random.default_rng(seed).normal(0, 2, votes.n_rules + votes.n_classes)
    best, given = (item_predictions(votes, u) for u in (truth.best_weights, weights))
    left, right = theory.pythagorean_sides(truth, weights)
    assert left == pytest.approx(item_divergence(eta, given), rel=RELATIVE)
    assert right == pytest.approx(item_divergence(eta, best) + item_divergence(best, given), rel=RELATIVE)
    assert left == pytest.approx(right, rel=RELATIVE)
    shifted = truth.best_weights + np.where(np.arange(len(weights)) >= votes.n_rules, 0.37, 0.0)
    assert theory.pythagorean_sides(truth, weights, middle=shifted)[1] == pytest.approx(right, rel=RELATIVE)
    wrong = truth.best_weights + 0.05 * (weights - truth.best_weights)
    near = item_predictions(votes, wrong)
    assert abs(item_divergence(eta, near) + item_divergence(near, given) - left) > 1e-4 * left
    with pytest.raises(ValueError, match="must have the true moments"):
        theory.pythagorean_sides(truth, weights, middle=wrong)


@pytest.mark.parametrize("seed", range(25))
def test_parts_of_one_coin_dawid_skene_are_what_a_loop_over_items_finds(seed: int) -> None:
    votes, eta, truth = make_truth(seed)
    b, w = make_parameters(votes, seed)
    true_b, true_w = np.split(item_moments(votes, eta), [votes.n_rules])
    best = item_predictions(votes, truth.best_weights)
    (given, _), (ideal, _) = item_e_step(votes, b, w), item_e_step(votes, true_b, true_w)
    model, informed, total = (item_divergence(eta, g) for g in (best, ideal, given))
    parts = theory.decompose_one_coin(truth, b, w)
    assert parts.total == pytest.approx(total, rel=RELATIVE)
    assert parts.model == pytest.approx(model, rel=RELATIVE)
    assert parts.assumption == pytest.approx(informed - model, abs=RELATIVE * informed)
    assert parts.estimation == pytest.approx(total - informed, abs=RELATIVE * total)
    assert parts.approximation == pytest.approx(item_divergence(best, given), rel=RELATIVE, abs=1e-12)
    assert parts.assumption >= -1e-12


def test_parameters_that_make_up_for_the_assumption_have_a_negative_price() -> None:
    """Every member of the family is one E step with some parameters: those of the best approximator pay it all back."""
    for seed in range(20):
        _, _, truth = make_truth(seed)
        b, w = theory.one_coin_parameters(truth.best_weights, truth.votes.n_classes)
        parts = theory.decompose_one_coin(truth, b, w)
        assert parts.total == pytest.approx(parts.model, rel=RELATIVE)
        assert parts.estimation < -1e-6
        assert parts.assumption == pytest.approx(-parts.estimation, abs=RELATIVE)


@pytest.mark.parametrize("seed", range(25))
def test_the_price_of_estimates_in_closed_form(seed: int) -> None:
    votes, eta, truth = make_truth(seed)
    n = votes.n_items
    b, w = make_parameters(votes, seed)
    true_b, true_w = np.split(item_moments(votes, eta), [votes.n_rules])
    (proba, votes_given), (ideal, votes_ideal) = item_e_step(votes, b, w), item_e_step(votes, true_b, true_w)
    rows = [tuple(row) for row in votes.array.tolist()]
    often = Counter(rows)
    observed = np.array([often[row] / n for row in rows])
    votes_by_rule = (votes.array >= 0).sum(axis=0)
    coins = sum(
        m / n * sum(p * np.log(p / q) for p, q in ((true, given), (1 - true, 1 - given)))
        for m, true, given in zip(votes_by_rule, true_b, b, strict=True)
        if m > 0
    )
    terms = theory.explain_estimation(truth, b, w)
    assert terms.frequencies == pytest.approx(float(true_w @ np.log(true_w / w)), rel=RELATIVE)
    assert terms.accuracies == pytest.approx(coins, rel=RELATIVE)
    # A mean over items of log(share of its pattern / probability of its votes) is the sum over patterns.
    assert terms.patterns_if_true == pytest.approx(np.mean(np.log(observed / votes_ideal)), rel=RELATIVE, abs=1e-12)
    assert terms.patterns == pytest.approx(np.mean(np.log(observed / votes_given)), rel=RELATIVE, abs=1e-12)
    bracket = item_divergence(eta, proba) - item_divergence(eta, ideal)
    scale = item_divergence(eta, proba) + abs(terms.patterns) + abs(terms.patterns_if_true)
    assert terms.total == pytest.approx(bracket, abs=RELATIVE * scale)
    assert terms.total == pytest.approx(theory.decompose_one_coin(truth, b, w).estimation, abs=RELATIVE * scale)


def test_certain_rules_stay_finite_and_keep_the_identities() -> None:
    """One rule always right, one always wrong, and parameters that contradict items: zeros count as 2.2e-308."""
    rng = np.random.default_rng(3)
    labels = rng.integers(3, size=60)
    _, array = make_votes(rng, 60, 4, 3)
    array[:, 0] = np.where(rng.random(60) < 0.3, labels, -1)
    array[:, 1] = np.where(rng.random(60) < 0.3, (labels + 1) % 3, -1)
    truth = theory.Truth.of(tw.Votes(array, n_classes=3), labels)
    assert truth.moments[0] == 1
    assert truth.moments[1] == 0
    parts = theory.decompose_one_coin(truth, [1.0, 0.5, 1.0, 0.5], [0.5, 0.5, 0.0])
    terms = theory.explain_estimation(truth, [1.0, 0.5, 1.0, 0.5], [0.5, 0.5, 0.0])
    assert 100 < parts.total < 2000
    assert parts.estimation == pytest.approx(terms.total, rel=RELATIVE)
    # The best approximator is a limit: its moments are met to 1e-9, and identities to that times the weights.
    weights = rng.normal(size=7)
    split = theory.decompose(truth, weights)
    assert split.total == pytest.approx(split.model + split.approximation, abs=1e-7)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore::thumbwise.exceptions.DegenerateFitWarning")
def test_identities_on_the_papers_data(name: str) -> None:
    """The authors' best approximators have this model uncertainty; weights of EM and its own parameters."""
    data = load_paper(name)
    truth, model = theory.Truth.of(data.votes, data.labels), tw.DawidSkene().fit(data.votes)
    parts = theory.decompose(truth, model.weights_)
    assert parts.model == pytest.approx(reference(name, "best_approximator")["log_loss"]["mean"], abs=1e-7)
    assert parts.total == pytest.approx(parts.model + parts.approximation, rel=RELATIVE)
    coin = theory.decompose_one_coin(truth, model.accuracies_, model.class_frequencies_)
    closed = theory.explain_estimation(truth, model.accuracies_, model.class_frequencies_)
    assert coin.total == pytest.approx(parts.total, rel=RELATIVE)
    assert closed.total == pytest.approx(coin.estimation, rel=RELATIVE)


@pytest.mark.parametrize("seed", range(10))
def test_repeating_every_item_changes_nothing(seed: int) -> None:
    votes, eta, truth = make_truth(seed)
    thrice = theory.Truth.of(
        tw.Votes(np.repeat(votes.array, 3, axis=0), n_classes=votes.n_classes), np.repeat(eta, 3, 0)
    )
    b, w = make_parameters(votes, seed)
    weights = theory.one_coin_weights(b, w)
    for once, often in (
        (theory.decompose(truth, weights), theory.decompose(thrice, weights)),
        (theory.decompose_one_coin(truth, b, w), theory.decompose_one_coin(thrice, b, w)),
        (theory.explain_estimation(truth, b, w), theory.explain_estimation(thrice, b, w)),
    ):
        np.testing.assert_allclose(list(vars(once).values()), list(vars(often).values()), rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("seed", range(20))
def test_weights_of_dawid_skene_in_the_units_of_the_paper_and_back(seed: int) -> None:
    """theta_j = n_j log(b_j (k - 1) / (1 - b_j)), theta_c = n log w_c; b_j = 1 / (1 + (k - 1) exp(-theta_j / n_j))."""
    votes, _, _ = make_truth(5 * seed + 1)
    n, k = votes.n_items, votes.n_classes
    b, w = make_parameters(votes, seed)
    per_rule = (votes.array >= 0).sum(axis=0)
    theta = theory.paper_weights(votes, theory.one_coin_weights(b, w))
    np.testing.assert_allclose(theta[: votes.n_rules], per_rule * np.log(b * (k - 1) / (1 - b)), rtol=1e-12)
    np.testing.assert_allclose(theta[votes.n_rules :], n * np.log(w), rtol=1e-12)
    weights = theory.weights_from_paper(votes, theta)
    np.testing.assert_allclose(1 / (1 + (k - 1) * np.exp(-theta[: votes.n_rules] / per_rule)), b, rtol=1e-12)
    back_b, back_w = theory.one_coin_parameters(weights, k)
    np.testing.assert_allclose(back_b, b, rtol=1e-12)
    np.testing.assert_allclose(back_w, w, rtol=1e-12)
    np.testing.assert_allclose(item_predictions(votes, weights), item_e_step(votes, b, w)[0], atol=1e-12)


@pytest.mark.parametrize(
    ("accuracies", "frequencies"), [([0.5], [0.5, 0.5]), ([0.5, 1.2], [0.5, 0.5]), ([0.5, 0.5], [0.5, 0.6])]
)
def test_parameters_that_are_none_are_refused(accuracies: list[float], frequencies: list[float]) -> None:
    truth = theory.Truth.of(tw.Votes([[0, 1], [1, 1], [0, 0]]), [0, 1, 0])
    with pytest.raises(ValueError, match="2 accuracies and 2 class frequencies"):
        theory.decompose_one_coin(truth, accuracies, frequencies)


@pytest.mark.parametrize("weights", [[1.0, 2.0], [1.0, np.inf, 0.0, 0.0]])
def test_weights_that_are_none_are_refused(weights: list[float]) -> None:
    truth = theory.Truth.of(tw.Votes([[0, 1], [1, 1], [0, 0]]), [0, 1, 0])
    with pytest.raises(ValueError, match="weights must be 4 finite numbers"):
        theory.decompose(truth, weights)
