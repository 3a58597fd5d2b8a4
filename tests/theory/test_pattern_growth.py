"""Growth of patterns against enumeration, costs against what is stored, bounds from a sample against the definition."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from studies.pattern_growth import (
    Cells,
    count_in_chunks,
    covered,
    draw_keys,
    final_slope,
    one_coin_cells,
    rarefy,
)
from studies.scale_model import Scale, bound_on_all, fit_sample, merge_rare

import thumbwise as tw
from support.problems import item_dual, item_features, make_votes
from thumbwise._typing import FloatArray, IntArray
from thumbwise.game.pinning import pose_problem
from thumbwise.numerics.maxent import dual_value
from thumbwise.numerics.patterns import find_patterns
from thumbwise.numerics.solver import solve_dual


@pytest.mark.parametrize("counts", [[1, 1, 1, 6], [4, 3, 2], [1] * 7, [9]])
def test_rarefaction_is_the_mean_over_all_samples(counts: list[int]) -> None:
    """Kills: samples drawn with replacement, 1 - (1 - c/N)^n."""
    items = np.repeat(np.arange(len(counts)), counts).tolist()
    for n in range(1, len(items) + 1):
        expected = np.mean([len(set(sample)) for sample in combinations(items, n)])
        assert rarefy(np.array(counts), n) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_the_last_slope_is_that_of_rarefaction(seed: int) -> None:
    counts = np.random.default_rng(seed).zipf(1.7, 300).clip(max=10_000)
    n = int(counts.sum())
    fall = rarefy(counts, n) - rarefy(counts, n - 1)
    assert final_slope(counts) == pytest.approx(fall * n / len(counts), abs=1e-5)


def test_a_sample_larger_than_the_items_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 3"):
        rarefy(np.array([2, 1]), 4)


def test_the_most_frequent_patterns_are_counted_first() -> None:
    assert covered(np.array([1, 5, 2, 2]), 2) == pytest.approx(0.7)


def enumerate_patterns(accuracies: list[float], abstain: float) -> tuple[FloatArray, FloatArray]:
    """Probability and number of votes of every row of votes of two balanced classes."""
    chances, n_votes = [], []
    for row in product((-1, 0, 1), repeat=len(accuracies)):
        given = np.ones(2)
        for vote, accuracy in zip(row, accuracies, strict=True):
            for c in range(2):
                given[c] *= abstain if vote < 0 else (1 - abstain) * (accuracy if vote == c else 1 - accuracy)
        chances.append(given.mean())
        n_votes.append(sum(vote >= 0 for vote in row))
    return np.array(chances), np.array(n_votes, dtype=float)


@pytest.mark.parametrize("abstain", [0.0, 0.3, 0.9])
def test_expected_patterns_are_those_of_enumeration(abstain: float) -> None:
    """Kills: rules taken as independent of the class too, and votes per item in place of votes per pattern."""
    cells = one_coin_cells([(3, 0.9), (2, 0.6), (1, 0.5)], abstain)
    chances, n_votes = enumerate_patterns([0.9, 0.9, 0.9, 0.6, 0.6, 0.5], abstain)
    assert np.exp(cells.log_proba + cells.log_sizes).sum() == pytest.approx(1)
    for n in (1, 10, 1_000, 10**6):
        shown = 1 - (1 - chances) ** n
        assert cells.n_patterns(n) == pytest.approx(shown.sum(), rel=1e-9)
        assert cells.votes_in_patterns(n) == pytest.approx(shown @ n_votes, rel=1e-9)


def test_expected_patterns_without_underflow() -> None:
    """Patterns of a thousand rules have probabilities that no float holds; all of a million items differ."""
    assert one_coin_cells([(1000, 0.75)], 0.5).n_patterns(10**6) == pytest.approx(10**6, rel=1e-9)


def deviation(cells: Cells, n: int, false_alarm: float) -> float:
    """Bernstein's bound: whether patterns occur is negatively associated, so their variances bound that of the sum."""
    proba = np.exp(cells.log_proba)
    missed = (1 - proba) ** n
    variance = float(np.exp(cells.log_sizes) @ (missed * (1 - missed)))
    log = np.log(2 / false_alarm)
    return float(log / 3 + np.sqrt((log / 3) ** 2 + 2 * variance * log))


@pytest.mark.parametrize(("n_rules", "abstain"), [(8, 0.5), (12, 0.9), (14, 0.0)])
def test_counted_patterns_are_as_many_as_expected(n_rules: int, abstain: float) -> None:
    """False alarms: 1e-9 each. Kills: a seed that starts again in each chunk, errors as if nobody abstained."""
    groups = [(n_rules // 2, 0.8), (n_rules // 2, 0.65)]
    cells = one_coin_cells(groups, abstain)
    for n, counts in count_in_chunks(60_000, groups, abstain, chunk=20_000, random_state=1):
        assert counts.sum() == n
        assert abs(len(counts) - cells.n_patterns(n)) <= deviation(cells, n, 1e-9)
    assert abs(len(counts) - cells.n_patterns(n)) < 0.05 * len(counts)


def test_chunks_add_up() -> None:
    """The same keys, counted one by one."""
    groups, rng = [(3, 0.8), (3, 0.6)], np.random.default_rng(5)
    keys = np.concatenate([draw_keys(rng, size, groups, 0.4) for size in (700, 700, 600)])
    *_, (n, counts) = count_in_chunks(2_000, groups, 0.4, chunk=700, random_state=5)
    assert (n, counts.tolist()) == (2_000, [count for _, count in sorted(Counter(keys.tolist()).items())])


def test_bytes_on_the_driver_are_those_of_stored_patterns() -> None:
    """Every pattern of six rules occurs among 10^6 items, up to 1e-9."""
    cells = one_coin_cells([(6, 0.7)], 0.5)
    rows = np.array(list(product((-1, 0, 1), repeat=6)))
    patterns, _ = find_patterns(rows, 2)
    stored: list[IntArray] = [patterns.starts, patterns.rules, patterns.classes, patterns.counts, patterns.groups]
    assert Scale(1e6, 6, 2, 10, cells).driver == pytest.approx(sum(array.nbytes for array in stored), rel=1e-6)


def test_no_partition_sends_more_than_it_has() -> None:
    """At most one key and count for each of its items, and for each pattern. 39 rules share an integer, 40 do not."""
    cells = one_coin_cells([(40, 0.75)], 0.5)
    assert Scale(1e6, 40, 2, 100, cells).shuffled == pytest.approx(1e6 * 24, rel=1e-3)
    assert Scale(1e6, 39, 2, 100, cells).key_bytes == 8
    few = one_coin_cells([(5, 0.75)], 0.5)
    assert Scale(1e9, 5, 2, 100, few).shuffled == pytest.approx(100 * 3**5 * 16, rel=1e-6)


def make_pool(seed: int) -> tuple[tw.Votes, IntArray, tw.Box]:
    """Some items, rules of all kinds, and a box around the truth."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    labels, array = make_votes(rng, 150, int(rng.integers(2, 9)), k)
    votes = tw.Votes(array, n_classes=k)
    truth = tw.Box.exact(votes, labels).lower
    lower, upper = (np.clip(truth + sign * rng.uniform(0, 0.1, len(truth)), 0, 1) for sign in (-1, 1))
    return votes, labels, tw.Box.from_bounds(votes, lower=lower, upper=upper)


def mean_loss(votes: tw.Votes, labels: IntArray, weights: FloatArray) -> float:
    """Item by item, against the true classes."""
    scores = item_features(votes) @ weights
    return float(np.mean(np.logaddexp.reduce(scores, axis=1) - scores[np.arange(votes.n_items), labels]))


@pytest.mark.parametrize("seed", range(30))
def test_weights_from_a_sample_bound_the_loss_on_all_items(seed: int) -> None:
    """The bound is the dual on all items by definition, above the optimum and above the loss against the truth.

    The sample is the first items, not a random one: how weights were found does not matter. Kills: a bound
    that is too low by a hundredth, the largest value in place of the least, weights that are not those of the bound.
    """
    votes, labels, box = make_pool(seed)
    problem, fitted = pose_problem(votes, box), fit_sample(votes, box, np.arange(10)).weights
    bound, best = bound_on_all(fitted, problem)
    for weights, value in ((best, bound), (fitted, dual_value(fitted, problem))):
        assert value == pytest.approx(item_dual(votes, weights, box.lower, box.upper), rel=1e-12, abs=1e-12)
        assert value >= mean_loss(votes, labels, weights) - 1e-9
        assert value >= bound
    assert bound >= solve_dual(problem).dual_value - 1e-9
    assert bound <= np.log(votes.n_classes) + 1e-12


def test_a_sample_says_more_than_nothing_and_its_own_value_is_no_bound() -> None:
    """Without this, the test above could hold for weights of 0; and why the pass over all items is needed."""
    informed = below = 0
    for seed in range(30):
        votes, labels, box = make_pool(seed)
        fit = fit_sample(votes, box, np.arange(10))
        informed += bound_on_all(fit.weights, pose_problem(votes, box))[0] < np.log(votes.n_classes) - 0.02
        below += fit.dual_value < mean_loss(votes, labels, fit.weights) - 1e-6
    assert informed >= 15
    assert below >= 15


@pytest.mark.parametrize("seed", range(20))
def test_merging_patterns_lowers_the_dual(seed: int) -> None:
    """Jensen: at every weights, and so at the optimum. Kills: features added up in place of averaged."""
    votes, _, box = make_pool(seed)
    problem, counts = pose_problem(votes, box), votes.patterns.counts
    merged = merge_rare(problem, counts, per_bucket=3)
    assert merged.masses.sum() == pytest.approx(1)
    weights = np.random.default_rng(seed).normal(size=len(problem.shares))
    assert dual_value(weights, merged) <= dual_value(weights, problem) + 1e-12


def test_merging_patterns_can_refute_what_is_true() -> None:
    """A rule that is always right on two items of different classes; in one bucket it is right half of the time."""
    votes, labels = tw.Votes([[0], [1]]), np.array([0, 1])
    problem = pose_problem(votes, tw.Box.exact(votes, labels))
    assert not solve_dual(problem).is_infeasible
    assert solve_dual(merge_rare(problem, votes.patterns.counts)).is_infeasible
    nothing_rare = merge_rare(problem, np.array([2, 2]))
    assert dual_value(np.array([1.0, 0.3, 0.0]), nothing_rare) == dual_value(np.array([1.0, 0.3, 0.0]), problem)
