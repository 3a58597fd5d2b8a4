"""Bounds on the loss of the game: each on hundreds of problems, and where each is tight, so that none can be sharpened.

Solutions are good to 1e-9 in the moments; times weights, that is the slack of the comparisons.
"""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from support.problems import FloatArray, item_dual, item_features, item_moments, make_votes
from thumbwise import theory
from thumbwise.box.moments.of_rules import class_accuracies
from thumbwise.exceptions import InvalidBoxError

SLACK = 1e-8


def make_truth(seed: int) -> tuple[tw.Votes, FloatArray, theory.Truth]:
    rng = np.random.default_rng(seed)
    k, n_rules, n = int(rng.integers(2, 5)), int(rng.integers(1, 7)), int(rng.integers(40, 80))
    labels, array = make_votes(rng, n, n_rules, k)
    votes = tw.Votes(array, n_classes=k)
    sure = rng.uniform(0.1, 0.9)
    eta = sure * np.eye(k)[labels] + (1 - sure) * rng.dirichlet(np.ones(k), n)
    return votes, eta, theory.Truth.of(votes, eta)


def make_box(truth: theory.Truth, below: FloatArray, above: FloatArray) -> tw.Box:
    lower, upper = np.clip(truth.moments - below, 0, 1), np.clip(truth.moments + above, 0, 1)
    return tw.Box.from_bounds(truth.votes, lower=lower, upper=upper)


def random_box(truth: theory.Truth, seed: int) -> tw.Box:
    """The true moments anywhere between the bounds, also at one of them; widths of all sizes."""
    rng = np.random.default_rng(seed)
    below, above = rng.uniform(0, 10.0 ** rng.uniform(-4, -0.3), (2, len(truth.moments)))
    return make_box(truth, below * (rng.random(len(below)) < 0.8), above * (rng.random(len(above)) < 0.8))


def ascending(bounds: theory.Bounds) -> list[float]:
    return [bounds.value, bounds.basic, bounds.one_sided, bounds.by_widths, bounds.by_widest]


def item_loss(votes: tw.Votes, eta: FloatArray, weights: FloatArray) -> float:
    scores = item_features(votes) @ weights
    log_proba = scores - np.logaddexp.reduce(scores, axis=1)[:, None]
    return float((eta * (np.log(eta) - log_proba)).sum() / len(eta))


@pytest.mark.parametrize("seed", range(150))
def test_bounds_hold_in_their_order_with_any_reference(seed: int) -> None:
    _, _, truth = make_truth(seed)
    rng = np.random.default_rng(seed)
    box = random_box(truth, seed)
    reference = truth.best_weights + rng.choice([0.0, 0.1, 1.0]) * rng.normal(size=len(truth.best_weights))
    first = theory.bound_approximation(truth, box)
    for bounds in (theory.bound_loss(truth, box, reference), first):
        assert (np.diff(ascending(bounds)) >= -SLACK).all()
    both, bound = theory.bound_both_ways(truth, box)
    assert first.value <= both + 1e-12
    assert both <= bound + SLACK
    assert bound <= first.one_sided + SLACK


@pytest.mark.parametrize("seed", range(40))
def test_bounds_are_what_their_formulas_say_item_by_item(seed: int) -> None:
    """With symmetric boxes, in the paper's units: 2 eps.|theta| and 2 max(eps) |theta|_1, over n."""
    votes, eta, truth = make_truth(seed)
    n, rng = votes.n_items, np.random.default_rng(seed)
    counted = np.append((votes.array >= 0).any(axis=0), np.ones(votes.n_classes, dtype=bool))
    half = rng.uniform(0, 0.5, len(truth.moments)) * np.minimum(truth.moments, 1 - truth.moments)
    box = make_box(truth, half, half)
    u = rng.normal(size=len(half))
    theta = u * np.append((votes.array >= 0).sum(axis=0), np.full(votes.n_classes, n))
    bounds = theory.bound_loss(truth, box, u)
    entropy = -float((eta * np.log(eta)).sum() / n)
    weights = tw.BalsubramaniFreund().fit(votes, box=box).weights_
    assert bounds.value == pytest.approx(item_loss(votes, eta, weights), rel=1e-9)
    assert bounds.basic == pytest.approx(item_dual(votes, weights, box.lower, box.upper) - entropy, rel=1e-9)
    assert bounds.one_sided == pytest.approx(item_dual(votes, u, box.lower, box.upper) - entropy, rel=1e-9)
    assert bounds.by_widths == pytest.approx(item_loss(votes, eta, u) + 2 * half @ np.abs(theta) / n, rel=1e-9)
    longest = 2 * half[counted].max() * np.abs(theta).sum() / n
    assert bounds.by_widest == pytest.approx(item_loss(votes, eta, u) + longest, rel=1e-9)
    near, by_best = theory.bound_approximation(truth, box), theory.bound_loss(truth, box)
    model = item_loss(votes, eta, truth.best_weights)
    np.testing.assert_allclose(np.subtract(ascending(by_best), ascending(near)), model, atol=1e-9)
    assert near.value == pytest.approx(bounds.value - model, abs=1e-9)
    assert near.basic == pytest.approx(bounds.basic - model, abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_basic_bound_is_tight_where_the_adversary_plays_the_truth(seed: int) -> None:
    """The truth lies on the bound that each weight of g* presses against: the game's answer is g*, and no loss is lost.

    A bound that were lower by a millionth would fail.
    """
    _, _, truth = make_truth(seed)
    u = truth.best_weights
    box = make_box(truth, np.where(u > 0, 0, 0.1), np.where(u < 0, 0, 0.1))
    bounds = theory.bound_loss(truth, box)
    assert bounds.value == pytest.approx(bounds.basic, abs=1e-7)
    assert bounds.basic == pytest.approx(bounds.one_sided, abs=1e-7)
    assert not bounds.value <= bounds.basic - 1e-6
    assert theory.bound_approximation(truth, box).value < 1e-7


@pytest.mark.parametrize("seed", range(40))
def test_bound_by_widths_is_tight_where_the_truth_lies_at_the_other_end(seed: int) -> None:
    """Weights press against the far bounds of narrow intervals.

    So basic, one-sided and by-widths bounds are equal up to terms of second order in the width, while they are above
    the model uncertainty by a term of first order. A factor of 0.99 on that term would fail.
    """
    _, _, truth = make_truth(seed)
    u = truth.best_weights
    width = 1e-5
    bounds = theory.bound_approximation(truth, make_box(truth, np.where(u >= 0, width, 0), np.where(u <= 0, width, 0)))
    assert bounds.by_widths > 0.1 * width
    assert bounds.one_sided == pytest.approx(bounds.by_widths, rel=1e-6)
    assert not bounds.basic <= 0.99 * bounds.by_widths


def test_both_ways_is_an_equality_where_signs_agree() -> None:
    """Narrow intervals mostly leave signs as they are. One way alone is then half of it: d is nearly symmetric.

    So a factor of 0.999 on the bound would fail.
    """
    n_equal = 0
    for seed in range(40):
        _, _, truth = make_truth(seed)
        width = np.full(len(truth.moments), 1e-3)
        box = make_box(truth, width, width)
        both, bound = theory.bound_both_ways(truth, box)
        weights, best = theory.game_weights(truth.votes, box), truth.best_weights
        if (np.sign(weights) == np.sign(best))[best != 0].all():
            n_equal += 1
            assert both == pytest.approx(bound, rel=1e-5)
            assert theory.bound_approximation(truth, box).value == pytest.approx(both / 2, rel=0.01)
    assert n_equal > 20


def one_rule(k: int, accuracy: float) -> theory.Truth:
    """k items, one rule that says another class of each, right with the given probability, wrong in all ways alike."""
    eta = np.full((k, k), (1 - accuracy) / (k - 1))
    np.fill_diagonal(eta, accuracy)
    return theory.Truth.of(tw.Votes(np.arange(k)[:, None], n_classes=k), eta)


@pytest.mark.parametrize(
    ("k", "accuracy", "least", "most"), [(2, 0.51, 0.49, 0.51), (2, 0.9, 0.35, 0.45), (100, 0.5, 0.70, 0.73)]
)
def test_bound_on_the_approximation_cannot_be_lowered_by_much(
    k: int, accuracy: float, least: float, most: float
) -> None:
    """One rule whose interval reaches down to chance: the game predicts nothing, d(g*, g_bf) = KL(g*, uniform).

    The bound is (b - 1/k) log(b (k-1) / (1-b)). For two classes and a weak rule the ratio is 1/2. With b = 1/2 and many
    classes it tends to 1, so no factor below 1 would do for all problems; at k = 100 a factor of 0.7 fails.
    """
    truth = one_rule(k, accuracy)
    box = make_box(truth, np.append(accuracy - 1 / k, np.zeros(k)), np.zeros(k + 1))
    bounds = theory.bound_approximation(truth, box)
    entropy = -accuracy * np.log(accuracy) - (1 - accuracy) * np.log((1 - accuracy) / (k - 1))
    bound = (accuracy - 1 / k) * np.log(accuracy * (k - 1) / (1 - accuracy))
    assert bounds.value == pytest.approx(np.log(k) - entropy, rel=1e-6)
    assert bounds.by_widths == pytest.approx(bound, rel=1e-6)
    assert bounds.by_widest == pytest.approx(bounds.by_widths, rel=1e-9)
    assert least < bounds.value / bounds.by_widths < most


@pytest.mark.parametrize("seed", range(100))
def test_below_the_threshold_the_game_beats_dawid_skene(seed: int) -> None:
    votes, eta, truth = make_truth(seed)
    model = tw.DawidSkene(tol=0.01).fit(votes)
    theirs = item_loss(votes, eta, model.weights_)
    threshold = theory.comparison_threshold(truth, theirs)
    sizes = np.append((votes.array >= 0).sum(axis=0), np.full(votes.n_classes, votes.n_items))
    theta = sizes * truth.best_weights
    gain = votes.n_items * (theirs - item_loss(votes, eta, truth.best_weights))
    assert threshold == pytest.approx(gain / (2 * np.abs(theta).sum()), rel=1e-9)
    assert threshold > 0
    rng = np.random.default_rng(seed)
    half = min(threshold, 1.0) * np.where(rng.random(len(truth.moments)) < 0.5, 1, rng.random(len(truth.moments)))
    off = half * rng.choice([-1.0, 0.0, 1.0], len(half))
    box = make_box(truth, half - off, half + off)
    ours = item_loss(votes, eta, tw.BalsubramaniFreund().fit(votes, box=box).weights_)
    assert ours <= theirs + SLACK


def test_a_threshold_half_as_large_again_would_be_wrong() -> None:
    """Against a prediction that is just better than guessing, with an interval that reaches down to chance."""
    truth = one_rule(100, 0.5)
    half = (0.5 - 0.01) / 2
    box = make_box(truth, np.append(2 * half, np.zeros(100)), np.zeros(101))
    ours = theory.bound_loss(truth, box).value
    threshold = theory.comparison_threshold(truth, ours - 1e-3)
    assert threshold < half < 1.5 * threshold


def test_a_rule_that_says_nothing_makes_the_threshold_infinite() -> None:
    truth = one_rule(2, 0.5)
    assert theory.comparison_threshold(truth, 0.1) == np.inf
    assert theory.comparison_threshold(truth, -0.1) == -np.inf


@pytest.mark.parametrize("seed", range(30))
def test_lightest_weights_predict_the_same_and_no_others_are_lighter(seed: int) -> None:
    """Class weights moved by a constant, rules with a copy, copies with the opposite weight."""
    rng = np.random.default_rng(seed)
    _, array = make_votes(rng, 50, 4, int(rng.integers(2, 5)))
    if seed % 2:
        array[:, 3] = array[:, 1]
    votes = tw.Votes(array, n_classes=max(2, array.max() + 1))
    k, sizes = votes.n_classes, np.append((votes.array >= 0).sum(axis=0), np.full(votes.n_classes, 50))
    weights = rng.normal(size=4 + k)
    light = theory.lightest_weights(votes, weights)
    np.testing.assert_allclose(theory.log_predictions(votes, light), theory.log_predictions(votes, weights), atol=1e-9)
    length = sizes @ np.abs(light)
    # The shift that makes a sum of distances least is a median.
    shifted = weights - np.append(np.zeros(4), np.full(k, np.median(weights[4:])))
    if seed % 2 and (votes.array[:, 0] != votes.array[:, 1]).any():
        shifted[[1, 3]] = shifted[[1, 3]].mean()
    assert length <= sizes @ np.abs(shifted) + 1e-9
    unusual = np.linalg.matrix_rank(centred_features(votes)) < 3 + k - seed % 2
    if not unusual:
        assert length == pytest.approx(sizes @ np.abs(shifted), rel=1e-9)
    moved = weights + np.append([0, seed % 2, 0, -(seed % 2)], np.full(k, 3.0))
    assert sizes @ np.abs(theory.lightest_weights(votes, moved)) == pytest.approx(length, rel=1e-9)


def test_lightness_counts_votes() -> None:
    """One rule says class 0 of all five items, five others of one item each: together they are the first.

    Moving weight t from it to them costs |t| + (|t - 1| + 4 |t - 2|) / 5, least at t = 0 (and 1); counting weights
    without votes it would be |t| + |t - 1| + 4 |t - 2|, least at t = 2.
    """
    votes = tw.Votes(np.column_stack([np.zeros((5, 1), dtype=int), np.where(np.eye(5) > 0, 0, -1)]), n_classes=2)
    light = theory.lightest_weights(votes, [0, -1, -2, -2, -2, -2, 0, 0])
    assert np.abs(theory.paper_weights(votes, light)).sum() == pytest.approx(9, rel=1e-9)


def centred_features(votes: tw.Votes) -> FloatArray:
    features = item_features(votes)
    return np.asarray((features - features.mean(axis=1, keepdims=True)).reshape(-1, features.shape[2]))


def test_a_box_that_misses_the_truth_is_refused() -> None:
    _, _, truth = make_truth(0)
    box = tw.Box.from_bounds(truth.votes, {truth.votes.rule_names[0]: (0.0, truth.moments[0] / 2)})
    with pytest.raises(InvalidBoxError, match=r"the bounds hold if the box holds the true moments; accuracy\(rule_0\)"):
        theory.bound_loss(truth, box)


def test_a_box_of_other_moments_is_refused() -> None:
    votes, eta, truth = make_truth(0)
    box = tw.Box.exact(votes, eta).with_bounds(votes, {}, moments=[class_accuracies])
    with pytest.raises(InvalidBoxError, match="boxes of accuracies and class frequencies"):
        theory.bound_loss(truth, box)


@pytest.mark.parametrize("seed", range(10))
def test_a_rule_that_never_votes_changes_nothing(seed: int) -> None:
    """Its interval is [0, 1], its weight 0, and the widest interval is that of another."""
    votes, eta, truth = make_truth(seed)
    more = theory.Truth.of(tw.Votes(np.column_stack([np.full(len(eta), -1), votes.array]), n_classes=eta.shape[1]), eta)
    width = np.full(len(truth.moments), 0.05)
    box, wider = make_box(truth, width, width), make_box(more, np.append(0, width), np.append(1, width))
    np.testing.assert_allclose(
        ascending(theory.bound_loss(more, wider)), ascending(theory.bound_loss(truth, box)), atol=1e-8
    )
    assert more.best_weights[0] == 0
    assert theory.em_step(more.votes, more.best_weights)[0] == pytest.approx(0, abs=1e-12)
    assert more.one_coin[0][0] == 1 / votes.n_classes


def test_moments_recovered_by_items() -> None:
    votes, eta, truth = make_truth(1)
    np.testing.assert_allclose(truth.moments, item_moments(votes, eta), atol=1e-12)
