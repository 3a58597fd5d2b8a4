"""Expectation maximisation started at the best approximator leaves it: the example of the paper and its family."""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from support.problems import FloatArray
from thumbwise import theory


def item_step(votes: tw.Votes, proba: FloatArray) -> FloatArray:
    """M step and E step of one-coin Dawid-Skene over items, for two classes and no abstentions."""
    w = proba.mean(axis=0)
    b = [np.mean([proba[i, vote] for i, vote in enumerate(column)]) for column in votes.array.T]
    joint = np.array(
        [
            [w[c] * np.prod([b[j] if v == c else 1 - b[j] for j, v in enumerate(row)]) for c in (0, 1)]
            for row in votes.array
        ]
    )
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))


def item_table(votes: tw.Votes, proba: FloatArray) -> FloatArray:
    """r_{1,11} r_{2,11} r_{1,22} r_{2,22} r_{1,12} r_{2,12} r_{1,21} r_{2,21}, counted over items."""
    pairs = [(0, 0), (1, 1), (0, 1), (1, 0)]
    return np.array([[proba[(votes.array == pair).all(axis=1), c].sum() for c in (0, 1)] for pair in pairs]).ravel()


def best_of(example: theory.Inconsistency) -> FloatArray:
    truth = theory.Truth.of(example.votes, example.labels)
    return np.asarray(np.exp(theory.log_predictions(example.votes, truth.best_weights))[example.votes.inverse])


def random_example(seed: int) -> theory.Inconsistency:
    return theory.Inconsistency(*(int(count) for count in np.random.default_rng(seed).integers(1, 12, 4)))


def test_the_22_items_and_what_their_rules_are_right_about() -> None:
    example = theory.Inconsistency()
    array, labels = example.votes.array, example.labels
    assert len(labels) == example.n_items == 22
    cells = [
        ((array == pair).all(axis=1) & (labels == c)).sum() for pair in [(0, 0), (1, 1), (0, 1), (1, 0)] for c in (0, 1)
    ]
    assert cells == [5, 2, 2, 5, 3, 1, 1, 3]
    assert (array[:, 0] == labels).sum() == 16
    assert (array[:, 1] == labels).sum() == 12
    np.testing.assert_allclose(example.accuracies, [16 / 22, 12 / 22])


def test_the_table_of_the_22_items() -> None:
    """The corrected rows: predicted by the solver, by a loop over items, and by the closed form."""
    example = theory.Inconsistency()
    best = best_of(example)
    stepped = item_step(example.votes, best)
    np.testing.assert_allclose(item_table(example.votes, best), [5, 2, 2, 5, 3, 1, 1, 3], atol=1e-9)
    found = item_table(example.votes, stepped)
    np.testing.assert_allclose(found, [5.33, 1.67, 1.67, 5.33, 2.76, 1.24, 1.24, 2.76], atol=0.005)
    assert found[0] == pytest.approx(7 / (1 + 6 * 10 / (16 * 12)), rel=1e-9)
    assert found[4] == pytest.approx(4 / (1 + 6 * 12 / (16 * 10)), rel=1e-9)
    np.testing.assert_allclose(example.best_table, [5, 2, 2, 5, 3, 1, 1, 3], atol=1e-12)
    np.testing.assert_allclose(example.one_coin_table, found, atol=1e-9)


def test_by_how_much_one_step_leaves_the_best_approximator() -> None:
    """0.060 in one probability, 0.155 nats in all, 0.0070 per item: all of it is lost, by Pythagoras."""
    example = theory.Inconsistency()
    votes, start = example.votes, example.best_weights
    best, stepped = best_of(example), item_step(example.votes, best_of(example))
    assert np.abs(stepped - best).max() == pytest.approx(0.0603, abs=5e-5)
    by_items = float((best * np.log(best / stepped)).sum())
    assert by_items == pytest.approx(0.1547, abs=5e-5)
    after = theory.em_step(votes, start)
    assert theory.divergence(votes, start, after) == pytest.approx(by_items / 22, rel=1e-9)
    truth = theory.Truth.of(votes, example.labels)
    assert truth.divergence(after) - truth.divergence(start) == pytest.approx(by_items / 22, rel=1e-9)


def test_where_expectation_maximisation_ends_that_starts_at_the_best_approximator() -> None:
    """0.126 nats per item away from it: a loss of 0.711, where 0.585 was had at the start."""
    example = theory.Inconsistency()
    votes, truth = example.votes, theory.Truth.of(example.votes, example.labels)
    proba, weights = best_of(example), example.best_weights
    for _ in range(60):
        proba, weights = item_step(votes, proba), theory.em_step(votes, weights)
    np.testing.assert_allclose(theory.expected_table(votes, weights), item_table(votes, proba), atol=1e-9)
    np.testing.assert_allclose(theory.em_step(votes, weights), weights, atol=1e-9)
    assert truth.divergence(example.best_weights) == pytest.approx(0.58520, abs=1e-5)
    assert -np.log(proba[np.arange(22), example.labels]).mean() == pytest.approx(0.71074, abs=1e-5)
    assert theory.divergence(votes, example.best_weights, weights) == pytest.approx(0.12554, abs=1e-5)


@pytest.mark.parametrize("seed", range(40))
def test_closed_forms_of_the_family(seed: int) -> None:
    example = random_example(seed)
    votes, best = example.votes, best_of(example)
    # The lemma's weights: n log sqrt(r_111 / r_211 * r_112 / r_212), the same with the last ratio inverted, and equal.
    theta = theory.paper_weights(votes, example.best_weights)
    ratio, alone = example.both_right / example.both_wrong, example.first_right / example.second_right
    np.testing.assert_allclose(theta[:2], example.n_items * np.log(np.sqrt([ratio * alone, ratio / alone])), atol=1e-9)
    assert theta[2] == theta[3]
    predicted = np.exp(theory.log_predictions(votes, example.best_weights))[votes.inverse]
    np.testing.assert_allclose(predicted, best, atol=1e-9)
    np.testing.assert_allclose(item_table(votes, best), example.best_table, atol=1e-7)
    # "Infers the correct proportion of labels."
    np.testing.assert_allclose(item_table(votes, np.eye(2)[example.labels]), example.best_table, atol=1e-12)
    stepped = item_step(votes, best)
    np.testing.assert_allclose(item_table(votes, stepped), example.one_coin_table, atol=1e-7)
    np.testing.assert_allclose(
        theory.expected_table(votes, example.one_coin_weights), example.one_coin_table, atol=1e-9
    )
    np.testing.assert_allclose(theory.em_step(votes, example.best_weights), example.one_coin_weights, atol=1e-9)


def independent(seed: int) -> theory.Inconsistency:
    """Right and wrong counts in proportion: a, b of one rule times c, d of the other."""
    a, b, c, d = (int(count) for count in np.random.default_rng(seed).integers(1, 5, 4))
    return theory.Inconsistency(both_right=a * c, both_wrong=b * d, first_right=a * d, second_right=b * c)


def by_chance(seed: int) -> theory.Inconsistency:
    a, b = (int(count) for count in np.random.default_rng(seed).integers(1, 8, 2))
    return theory.Inconsistency(both_right=a, both_wrong=a, first_right=b, second_right=b)


@pytest.mark.parametrize("seed", range(40))
def test_it_stays_if_errors_are_independent_and_leaves_otherwise(seed: int) -> None:
    for example, stays in ((independent(seed), True), (by_chance(seed), True), (random_example(seed), None)):
        best = best_of(example)
        moved = np.abs(item_step(example.votes, best) - best).max()
        assert example.is_fixed_point == (moved < 1e-8)
        assert stays in (None, example.is_fixed_point)


def test_most_of_the_family_is_left() -> None:
    assert sum(random_example(seed).is_fixed_point for seed in range(100)) < 10


@pytest.mark.parametrize("counts", [(0, 2, 3, 1), (5, 2, 3, -1)])
def test_counts_of_zero_are_refused(counts: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        theory.Inconsistency(*counts)
