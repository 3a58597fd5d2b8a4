"""Made-up votes: rates as asked, by simulation, and likelihoods that are exactly those of the draws.

Counts are judged by exact binomial limits, at 1e-8 for all counts of a comparison, distributions at 1e-7: with fresh
seeds the tests of this file together would raise a false alarm with probability below 1e-6.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import beta, binom, kstest

from thumbwise._typing import FloatArray, IntArray
from thumbwise.datasets import (
    Synthetic,
    make_class_conditional,
    make_copies,
    make_one_coin,
    make_one_sided,
    make_paper_synthetic,
    make_shared_errors,
)
from thumbwise.datasets.synthetic_rules import pick

FREQUENCIES = [0.5, 0.3, 0.2]
N_ITEMS = 40_000


def make(kind: str, n_items: int, random_state: int = 7) -> Synthetic:
    """Three classes and three to four rules; each maker with all its options."""
    common: dict[str, Any] = {"class_frequencies": FREQUENCIES}
    if kind == "one coin":
        return make_one_coin(n_items, [0.9, 0.6, 0.2], abstain=[0.0, 0.3, 0.5], random_state=random_state, **common)
    if kind == "class conditional":
        table = [[0.9, 0.5, 0.7], [1.0, 0.0, 0.4], [0.3, 0.3, 0.9]]
        return make_class_conditional(n_items, table, abstain=0.25, random_state=random_state, **common)
    if kind == "one sided":
        hits, alarms = [0.5, 0.9, 0.2], [0.1, 0.0, 0.3]
        return make_one_sided(n_items, [0, 2, 1], hits=hits, false_alarms=alarms, random_state=random_state, **common)
    if kind == "copies":
        return make_copies(
            n_items, [0.8, 0.5, 0.6, 0.7], copied_from=[-1, 0, 1, -1], copying=[0, 0.5, 0.9, 0], abstain=0.2,
            random_state=random_state, **common,
        )  # fmt: skip
    return make_shared_errors(
        n_items, [0.7, 0.5, 0.8, 0.6], groups=[0, 0, -1, 0], shared_errors=0.3, abstain=[0.1, 0.3, 0.2, 0.0],
        random_state=random_state, **common,
    )  # fmt: skip


KINDS = ["one coin", "class conditional", "one sided", "copies", "shared errors"]


def coin(accuracy: float, silent: float) -> FloatArray:
    """Rates of one rule, class by class, from what was asked: the class itself, the two others, an abstention."""
    return np.array(
        [[(1 - silent) * (accuracy if v == c else (1 - accuracy) / 2) for v in range(3)] + [silent] for c in range(3)]
    )


def asked_rates(kind: str) -> FloatArray:
    """Rates that follow from the arguments of ``make``, written down here without the code under test."""
    if kind == "one coin":
        return np.stack([coin(0.9, 0.0), coin(0.6, 0.3), coin(0.2, 0.5)])
    if kind == "class conditional":
        table = [[0.9, 0.5, 0.7], [1.0, 0.0, 0.4], [0.3, 0.3, 0.9]]
        return np.stack([np.stack([coin(b, 0.25)[c] for c, b in enumerate(row)]) for row in table])
    if kind == "one sided":
        first = [[0.5, 0, 0, 0.5], [0.1, 0, 0, 0.9], [0.1, 0, 0, 0.9]]
        second = [[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0.9, 0.1]]
        third = [[0, 0.3, 0, 0.7], [0, 0.2, 0, 0.8], [0, 0.3, 0, 0.7]]
        return np.array([first, second, third])
    if kind == "copies":
        zero, three = coin(0.8, 0.2), coin(0.7, 0.2)
        one = 0.5 * zero + 0.5 * coin(0.5, 0.2)
        return np.stack([zero, one, 0.9 * one + 0.1 * coin(0.6, 0.2), three])
    return np.stack([coin(0.7, 0.1), coin(0.5, 0.3), coin(0.8, 0.2), coin(0.6, 0.0)])


def assert_binomial(counts: npt.ArrayLike, n: npt.ArrayLike, probability: npt.ArrayLike) -> None:
    """Each count within the limits that a binomial one leaves with probability at most 1e-8, all counts together."""
    counts, n, probability = np.broadcast_arrays(counts, n, probability)
    error = 1e-8 / counts.size
    assert (counts >= binom.ppf(error / 2, n, probability)).all()
    assert (counts <= binom.ppf(1 - error / 2, n, probability)).all()


def pattern_counts(votes: IntArray, labels: IntArray, rows: IntArray) -> IntArray:
    """How many items of each class show each row of votes, (n_rows, n_classes)."""
    place = {tuple(row): t for t, row in enumerate(rows.tolist())}
    counts = np.zeros((len(rows), 3), dtype=np.int64)
    for row, label in zip(votes.tolist(), labels.tolist(), strict=True):
        counts[place[tuple(row)], label] += 1
    return counts


def all_rows(n_rules: int) -> IntArray:
    return np.array(list(product([-1, 0, 1, 2], repeat=n_rules)))


@pytest.mark.parametrize("kind", KINDS)
def test_classes_and_votes_are_as_frequent_as_asked(kind: str) -> None:
    made, rates = make(kind, N_ITEMS), asked_rates(kind)
    per_class = np.bincount(made.labels, minlength=3)
    assert_binomial(per_class, N_ITEMS, FREQUENCIES)
    np.testing.assert_allclose(made.rates, rates, atol=1e-12)
    counts = np.array(
        [
            [[np.sum(said[made.labels == c] == vote) for vote in (0, 1, 2, -1)] for c in range(3)]
            for said in made.votes.array.T
        ]
    )
    assert_binomial(counts, per_class[:, None], rates)
    right = (made.votes.array == made.labels[:, None]).sum(axis=0)
    assert_binomial(right, (made.votes.array >= 0).sum(axis=0), made.accuracies)


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_of_all_patterns_sum_to_one_and_to_the_rates(kind: str) -> None:
    made = make(kind, 10)
    rows = all_rows(made.votes.n_rules)
    likelihood = np.exp(made.rules.log_likelihood(rows))
    np.testing.assert_allclose(likelihood.sum(axis=0), 1, atol=1e-12)
    for j in range(made.votes.n_rules):
        for vote in (-1, 0, 1, 2):
            np.testing.assert_allclose(
                likelihood[rows[:, j] == vote].sum(axis=0), asked_rates(kind)[j, :, vote], atol=1e-12
            )


@pytest.mark.parametrize("kind", KINDS)
def test_patterns_are_as_frequent_as_their_probability_says(kind: str) -> None:
    """The dependence itself: whole rows of votes, not only single ones."""
    made = make(kind, N_ITEMS)
    rows = all_rows(made.votes.n_rules)
    counts = pattern_counts(made.votes.array, made.labels, rows)
    likelihood = np.exp(made.rules.log_likelihood(rows))
    assert_binomial(counts, np.bincount(made.labels, minlength=3), np.clip(likelihood, 0, 1))


@pytest.mark.parametrize("kind", KINDS)
def test_the_posterior_is_bayes_rule_item_by_item(kind: str) -> None:
    made = make(kind, 300)
    for row, found in zip(made.votes.array, made.proba, strict=True):
        joint = np.array(FREQUENCIES) * np.exp(made.rules.log_likelihood(row[None].astype(np.int64))[0])
        np.testing.assert_allclose(found, joint / joint.sum(), atol=1e-12)
    one_coin = make("one coin", 300)
    rates = asked_rates("one coin")
    for row, found in zip(one_coin.votes.array, one_coin.proba, strict=True):
        joint = np.array([FREQUENCIES[c] * np.prod([rates[j, c, v] for j, v in enumerate(row)]) for c in range(3)])
        np.testing.assert_allclose(found, joint / joint.sum(), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_items_of_a_large_draw_are_the_small_draw(kind: str) -> None:
    small, large = make(kind, 50), make(kind, 500)
    np.testing.assert_array_equal(large.votes.array[:50], small.votes.array)
    np.testing.assert_array_equal(large.labels[:50], small.labels)
    taken = large.take(50)
    np.testing.assert_array_equal(taken.votes.array, small.votes.array)
    np.testing.assert_allclose(taken.proba, small.proba)
    assert not np.array_equal(make(kind, 500, random_state=8).votes.array, large.votes.array)


@pytest.mark.parametrize("shared", [0.0, 0.15, 0.3])
def test_errors_are_shared_as_often_as_asked_and_accuracies_stay(shared: float) -> None:
    """Two classes, accuracies 0.7 and 0.6: P(both wrong) = s + (1 - s) (1 - 0.7/(1-s)) (1 - 0.6/(1-s))."""
    made = make_shared_errors(N_ITEMS, [0.7, 0.6], groups=[0, 0], shared_errors=shared, random_state=1)
    wrong = made.votes.array != made.labels[:, None]
    assert_binomial(wrong.sum(axis=0), N_ITEMS, [0.3, 0.4])
    apart = (1 - 0.7 / (1 - shared)) * (1 - 0.6 / (1 - shared))
    assert_binomial(wrong.all(axis=1).sum(), N_ITEMS, shared + (1 - shared) * apart)


def test_a_rule_that_always_copies_is_a_copy() -> None:
    made = make_copies(500, [0.8, 0.5, 0.5], copied_from=[-1, 0, 1], copying=1, abstain=0.3, random_state=0)
    assert (made.votes.array == made.votes.array[:, :1]).all()
    alone = make_one_coin(500, [0.8], abstain=0.3, random_state=0)
    np.testing.assert_allclose(made.accuracies, [0.8, 0.8, 0.8])
    rows = np.array([[0], [1], [-1]])
    np.testing.assert_allclose(
        made.rules.log_likelihood(np.tile(rows, 3)), alone.rules.log_likelihood(rows), atol=1e-12
    )


def test_one_sided_rules_give_one_class_only() -> None:
    made = make("one sided", 2000)
    assert [sorted(set(said[said >= 0].tolist())) for said in made.votes.array.T] == [[0], [2], [1]]


def test_the_ends_of_the_uniform_numbers_give_votes_that_can_happen() -> None:
    """0 and the largest number below 1; ten rates of 0.1 add up to less than that."""
    rates = np.zeros((3, 11, 12))
    rates[0, :, 1:11] = 0.1  # not class 0, no abstention
    rates[1, :, 4] = 1
    rates[2, :, 11] = 1
    ends = np.array([0.0, np.nextafter(1, 0)])
    assert np.cumsum(rates[0, 0])[-1] <= ends[1]
    votes = pick(rates, np.array([0, 0]), np.tile(ends[:, None], 3))
    assert votes.tolist() == [[1, 4, -1], [10, 4, -1]]


def test_votes_that_cannot_happen_do_not() -> None:
    """Rates of 0 and 1 are kept exactly, also where their sums round to less than 1."""
    made = make_class_conditional(20_000, [[1.0] * 10, [0.0] * 10], class_frequencies=[0.1] * 9 + [0.1], random_state=0)
    assert (made.votes.array[:, 0] == made.labels).all()
    assert (made.votes.array[:, 1] != made.labels).all()
    assert (made.votes.array >= 0).all()
    silent = make_one_coin(100, [0.5, 0.5], abstain=[1.0, 0.0], random_state=0)
    assert (silent.votes.array[:, 0] == -1).all()
    assert np.isnan(silent.accuracies[0])


def test_many_rules_do_not_underflow() -> None:
    made = make_one_coin(20, np.full(3000, 0.51), n_classes=4, random_state=0)
    assert np.isfinite(made.proba).all()
    np.testing.assert_allclose(made.proba.sum(axis=1), 1)


def test_the_papers_protocol() -> None:
    """k = 2, p = 3, frequencies from Dirichlet(1, 1), accuracies from Beta(2, 4/3): 2,500 draws, at 1e-7 each."""
    draws = [make_paper_synthetic(1, random_state=seed) for seed in range(2500)]
    assert {draw.rates.shape for draw in draws} == {(3, 2, 3)}
    assert kstest([draw.class_frequencies[0] for draw in draws], "uniform").pvalue > 1e-7
    accuracies = np.concatenate([draw.accuracies for draw in draws])
    assert kstest(accuracies, beta(2, 4 / 3).cdf).pvalue > 1e-7
    assert kstest(accuracies, beta(2, 3 / 2).cdf).pvalue < 1e-7  # so many draws can tell


def test_the_papers_sizes_are_prefixes_of_one_draw() -> None:
    large = make_paper_synthetic(10_000, random_state=4)
    for n_items in (100, 1000):
        small = make_paper_synthetic(n_items, random_state=4)
        np.testing.assert_array_equal(small.votes.array, large.votes.array[:n_items])
        np.testing.assert_array_equal(small.accuracies, large.accuracies)
    right = (large.votes.array == large.labels[:, None]).sum(axis=0)
    assert_binomial(right, 10_000, large.accuracies)
    assert_binomial(np.sum(large.labels == 0), 10_000, large.class_frequencies[0])


BAD: dict[str, tuple[Callable[[], object], str]] = {
    "no items": (lambda: make_one_coin(0, [0.5], random_state=0), "n_items"),
    "accuracy above 1": (lambda: make_one_coin(5, [0.5, 1.5], random_state=0), "accuracies.*1.5"),
    "accuracy NaN": (lambda: make_one_coin(5, [np.nan], random_state=0), "accuracies.*nan"),
    "no rules": (lambda: make_one_coin(5, [], random_state=0), r"accuracies.*\(0,\)"),
    "one class": (lambda: make_one_coin(5, [0.5], n_classes=1, random_state=0), "n_classes"),
    "sum": (lambda: make_one_coin(5, [0.5], class_frequencies=[0.5, 0.6], random_state=0), "sum to 1"),
    "silent": (lambda: make_one_coin(5, [0.5], abstain=[0.1, 0.2], random_state=0), r"abstain.*1 numbers.*\(2,\)"),
    "flat table": (lambda: make_class_conditional(5, [0.5, 0.6], random_state=0), "a row per rule"),
    "columns": (
        lambda: make_class_conditional(5, [[0.5, 0.6]], class_frequencies=[0.2, 0.2, 0.6], random_state=0),
        "column per class, 3; found 2",
    ),
    "target": (lambda: make_one_sided(5, [2], hits=0.5, false_alarms=0.1, random_state=0), "classes 0 to 1"),
    "half a target": (lambda: make_one_sided(5, [0.5], hits=0.5, false_alarms=0.1, random_state=0), "class number"),
    "copy of itself": (lambda: make_copies(5, [0.5], copied_from=[0], copying=1, random_state=0), "earlier"),
    "copy of a later": (
        lambda: make_copies(5, [0.5, 0.5], copied_from=[1, -1], copying=1, random_state=0),
        "earlier",
    ),
    "copies of too few": (lambda: make_copies(5, [0.5, 0.5], copied_from=[-1], copying=1, random_state=0), "each of 2"),
    "groups": (lambda: make_shared_errors(5, [0.5], groups=[7], shared_errors=0.1, random_state=0), "groups"),
    "too accurate": (
        lambda: make_shared_errors(5, [0.9], groups=[0], shared_errors=0.2, random_state=0),
        "group 0 has 0.2, its rule 0 the accuracy 0.9",
    ),
    "always": (lambda: make_shared_errors(5, [0.0], groups=[0], shared_errors=1, random_state=0), "below 1"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_parameters_are_refused(kind: str) -> None:
    action, words = BAD[kind]
    with pytest.raises(ValueError, match=words):
        action()
