"""Intervals of tw.rate hold the truth as often as they say, for every kind of question and design.

At a level of 0.8, so that misses are seen. The threshold of each check has a false-alarm rate of one in a million.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

import thumbwise as tw
from thumbwise.box.designs import ByClass, Poisson, Stratified, WithReplacement
from thumbwise.numerics.intervals import hypergeometric_bounds
from thumbwise.numerics.panel import Panel
from thumbwise.numerics.two_groups import TwoGroups, approximate_limits, least_worth
from thumbwise.rates import differences
from thumbwise.rates.counts import Counts
from thumbwise.rates.intervals import assisted, exact

LEVEL = 0.8
N_ITEMS, N_GOLD = 240, 48


def allowed(n_trials: int) -> float:
    return float(binom.ppf(1 - 1e-6, n_trials, 1 - LEVEL))


def judge(rng: np.random.Generator, labels: np.ndarray, n_classes: int = 2, accuracy: float = 0.8) -> np.ndarray:
    """Three judges, one of which abstains at times."""
    right = rng.random((len(labels), 3)) < accuracy
    votes = np.where(right, labels[:, None], rng.integers(n_classes, size=(len(labels), 3)))
    votes[rng.random(len(labels)) < 0.2, 2] = -1
    return votes


def hide(labels: np.ndarray, gold: np.ndarray) -> np.ndarray:
    hidden = np.full(len(labels), -1)
    hidden[gold] = labels[gold]
    return hidden


def count_misses(ask: Callable[[np.random.Generator], tuple[tw.Rates, list[float]]], n_trials: int) -> int:
    """Trials in which some interval misses its truth."""
    n_misses = 0
    for seed in range(n_trials):
        rates, truths = ask(np.random.default_rng(seed))
        assert len(rates) == len(truths)
        inside = [row.lower - 1e-9 <= truth <= row.upper + 1e-9 for row, truth in zip(rates, truths, strict=True)]
        n_misses += not all(inside)
        assert all(row.lower <= row.estimate <= row.upper for row in rates)
    return n_misses


@cache
def items(n_classes: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, votes and groups; the same in every trial, in which gold is drawn."""
    rng = np.random.default_rng(3)
    labels = rng.choice(n_classes, size=N_ITEMS, p=[0.35, 0.65] if n_classes == 2 else [0.2, 0.3, 0.5])
    groups = np.where(rng.random(N_ITEMS) < 0.4 + 0.2 * (labels == 1), "A", "B")
    return labels, judge(rng, labels, n_classes), groups


def draw(rng: np.random.Generator) -> np.ndarray:
    return rng.choice(N_ITEMS, N_GOLD, replace=False)


@pytest.mark.parametrize("method", ["assisted", "exact"])
def test_shares(method: Any) -> None:
    labels, array, _ = items()
    votes = tw.Votes(array, n_classes=2)

    def ask(rng: np.random.Generator) -> tuple[tw.Rates, list[float]]:
        rates = tw.rate(votes, hide(labels, draw(rng)), of=1, method=method, confidence_level=LEVEL)
        return rates, [float(labels.mean())]

    misses = count_misses(ask, 160)
    assert 3 <= misses <= allowed(160)


def test_shares_by_group_and_their_difference_hold_at_once() -> None:
    labels, array, groups = items()
    votes = tw.Votes(array, n_classes=2)
    truths = [float(labels.mean()), *(float(labels[groups == g].mean()) for g in "AB")]

    def ask(rng: np.random.Generator) -> tuple[tw.Rates, list[float]]:
        y = hide(labels, draw(rng))
        rates = tw.rate(votes, y, of=1, by=groups, versus=["A", "B"], confidence_level=LEVEL)
        return rates, [*truths, truths[1] - truths[2]]

    assert count_misses(ask, 30) <= allowed(30)


def counts_of(says: np.ndarray, is_so: np.ndarray, gold: np.ndarray) -> Counts:
    right = np.bincount(says[gold], is_so[gold], minlength=2).astype(np.int64)
    return Counts(right, np.bincount(says[gold], minlength=2), np.bincount(says, minlength=2))


@pytest.mark.parametrize("way", [differences._gold_alone, differences._across, differences._one_by_one])
@pytest.mark.parametrize("sizes", [(120, 120), (180, 60)])
def test_each_way_to_a_difference(way: differences.Way, sizes: tuple[int, int]) -> None:
    """Whatever the sizes of the groups are, also where the way would not be chosen, and with a bad panel too."""
    rng = np.random.default_rng(11)
    labels = (rng.random(240) < np.repeat([0.7, 0.4], sizes)).astype(int)
    says = np.where(rng.random(240) < np.repeat([0.8, 0.45], sizes), labels, 1 - labels)
    is_first = np.repeat([True, False], sizes)
    truth = labels[is_first].mean() - labels[~is_first].mean()
    n_trials, misses = 50, 0
    for _ in range(n_trials):
        gold = np.isin(np.arange(240), draw(rng))
        ours, theirs = (
            counts_of(says[part], labels[part], np.flatnonzero(gold[part])) for part in (is_first, ~is_first)
        )
        low, high = way(ours, theirs, 1 - LEVEL, least_worth)
        misses += not low - 1e-9 <= truth <= high + 1e-9
    assert misses <= allowed(n_trials)


def test_two_columns_of_predictions() -> None:
    labels, array, _ = items()
    array = array.copy()
    array[:, 2] = np.where(array[:, 2] < 0, 1, array[:, 2])
    votes = tw.Votes(array, n_classes=2, rule_names=["old", "new", "other"])
    old, new = (float((array[:, j] == labels).mean()) for j in (0, 1))

    def ask(rng: np.random.Generator) -> tuple[tw.Rates, list[float]]:
        rates = tw.rate(votes, hide(labels, draw(rng)), versus=["new", "old"], confidence_level=LEVEL)
        return rates, [new, old, new - old]

    assert count_misses(ask, 40) <= allowed(40)


def test_two_columns_of_predictions_of_three_classes() -> None:
    labels, array, _ = items(3)
    votes = tw.Votes(array, n_classes=3, rule_names=["old", "new", "other"])
    other, new = (float((array[:, j] == labels).mean()) for j in (2, 1))

    def ask(rng: np.random.Generator) -> tuple[tw.Rates, list[float]]:
        rates = tw.rate(votes, hide(labels, draw(rng)), versus=["new", "other"], confidence_level=LEVEL)
        return rates, [new, other, new - other]

    assert count_misses(ask, 40) <= allowed(40)


@pytest.mark.parametrize("method", ["assisted", "exact"])
def test_means_by_group(method: Any) -> None:
    labels, array, groups = items(3)
    votes, values = tw.Votes(array, n_classes=3), np.array([1.0, 2.5, 5.0])
    means = [float(values[labels].mean()), *(float(values[labels][groups == g].mean()) for g in "AB")]

    def ask(rng: np.random.Generator) -> tuple[tw.Rates, list[float]]:
        y = hide(labels, draw(rng))
        rates = tw.rate(
            votes, y, values=values.tolist(), by=groups, versus=["B", "A"], method=method, confidence_level=LEVEL
        )
        return rates, [*means, means[2] - means[1]]

    assert count_misses(ask, 40) <= allowed(40)


def test_clusters() -> None:
    """Items of a cluster are much alike; one by one, the same labels would miss far more often than they say."""
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 12, size=60)
    clusters = np.repeat(np.arange(60), sizes)
    labels = (rng.random(len(clusters)) < rng.beta(0.3, 0.3, size=60)[clusters]).astype(int)
    votes = tw.Votes(judge(rng, labels, accuracy=0.4), n_classes=2)
    pretended = 0

    def ask(rng: np.random.Generator) -> tuple[tw.Rates, list[float]]:
        nonlocal pretended
        gold = np.flatnonzero(np.isin(clusters, rng.choice(60, 20, replace=False)))
        rates = tw.rate(votes, hide(labels, gold), of=1, cluster=clusters, confidence_level=LEVEL)
        single = exact(counts_of(np.arange(len(labels)) % 2, labels, gold), 1 - LEVEL)
        pretended += not single.lower <= labels.mean() <= single.upper
        return rates, [float(labels.mean())]

    assert count_misses(ask, 80) <= allowed(80)
    assert pretended > allowed(80)


def test_gold_drawn_class_by_class() -> None:
    """That the bound is exact is for tests/theory/test_class_sizes.py; here it is asked for the right thing."""
    labels, array, _ = items()
    votes = tw.Votes(array, n_classes=2)

    def ask(rng: np.random.Generator) -> tuple[tw.Rates, list[float]]:
        gold = np.concatenate([rng.choice(np.flatnonzero(labels == c), 20, replace=False) for c in (0, 1)])
        rates = tw.rate(votes, hide(labels, gold), of=1, gold_is=ByClass({}), confidence_level=LEVEL)
        assert "random sample" in rates.remarks[0]
        return rates, [float(labels.mean())]

    assert count_misses(ask, 60) <= allowed(60)


def stratified(rng: np.random.Generator, groups: np.ndarray) -> np.ndarray:
    """As many from a group as from the other, though one is larger."""
    return np.concatenate([rng.choice(np.flatnonzero(groups == g), 24, replace=False) for g in "AB"])


def test_gold_drawn_within_groups() -> None:
    labels, array, groups = items()
    votes = tw.Votes(array, n_classes=2, item_groups=groups)
    first, second = (float(labels[groups == g].mean()) for g in "AB")

    def ask(rng: np.random.Generator) -> tuple[tw.Rates, list[float]]:
        y = hide(labels, stratified(rng, groups))
        design = Stratified("subset")
        rates = tw.rate(votes, y, of=1, by=groups, versus=["A", "B"], gold_is=design, confidence_level=LEVEL)
        return rates, [first, second, first - second]

    assert count_misses(ask, 40) <= allowed(40)


@pytest.mark.parametrize("values", [None, [0.0, 1.0]])
def test_a_difference_of_groups_from_which_gold_was_drawn_at_different_rates(values: Any) -> None:
    """Over both groups together gold is no random sample, and a verdict across both would miss nearly always."""
    rng = np.random.default_rng(8)
    groups, n_trials, misses, pretended = np.repeat(["A", "B"], 400), 25, 0, 0
    labels = np.concatenate([np.arange(400) % 20 < 2, np.arange(400) % 20 < 10]).astype(int)
    votes = tw.Votes(
        np.stack([np.where(rng.random(800) < 0.55, labels, 1 - labels)] * 2, axis=1), n_classes=2, item_groups=groups
    )
    truth = 0.1 - 0.5
    of = None if values else 1
    for _ in range(n_trials):
        gold = np.concatenate([rng.choice(400, 160, replace=False), 400 + rng.choice(400, 20, replace=False)])
        y = hide(labels, gold)
        asked = {"by": groups, "versus": ["A", "B"], "of": of, "values": values, "confidence_level": LEVEL}
        row = tw.rate(votes, y, **asked, gold_is=Stratified("subset")).rows[-1]
        misses += not row.lower - 1e-9 <= truth <= row.upper + 1e-9
        says = votes.array[:, 0]
        both = [counts_of(says[p], labels[p], np.flatnonzero(y[p] >= 0)) for p in (groups == "A", groups == "B")]
        low, high = differences._across(both[0], both[1], 1 - LEVEL, least_worth)
        pretended += not low <= truth <= high
    assert misses <= allowed(n_trials)
    assert pretended > allowed(n_trials)


def test_all_items_of_gold_drawn_within_groups() -> None:
    labels, array, groups = items()
    votes = tw.Votes(array, n_classes=2, item_groups=groups)

    def ask(rng: np.random.Generator) -> tuple[tw.Rates, list[float]]:
        y = hide(labels, stratified(rng, groups))
        rates = tw.rate(votes, y, of=1, gold_is=Stratified("subset"), confidence_level=LEVEL)
        return rates, [float(labels.mean())]

    assert count_misses(ask, 80) <= allowed(80)


@pytest.mark.parametrize("is_poisson", [True, False])
def test_weighted_gold(is_poisson: bool) -> None:
    """Items on which judges differ are drawn three times as often."""
    labels, array, _ = items()
    votes = tw.Votes(array, n_classes=2, item_ids=[f"i{i}" for i in range(N_ITEMS)])
    chance = np.where(array[:, 0] != array[:, 1], 3.0, 1.0)
    chance = chance / chance.sum() * N_GOLD

    def ask(rng: np.random.Generator) -> tuple[tw.Rates, list[float]]:
        if is_poisson:
            gold = np.flatnonzero(rng.random(N_ITEMS) < chance)
        else:
            gold = rng.choice(N_ITEMS, N_GOLD, p=chance / chance.sum())
        design = (Poisson if is_poisson else WithReplacement)(1 / chance[gold], float(1 / chance.min()))
        y = tw.Gold(votes.take(gold), labels[gold], drawn=design)
        return tw.rate(votes, y, of=1, confidence_level=LEVEL), [float(labels.mean())]

    assert count_misses(ask, 80) <= allowed(80)


def test_separate_gold() -> None:
    """The truth is that of the items without gold."""
    labels, array, _ = items()
    votes = tw.Votes(array, n_classes=2)

    def ask(rng: np.random.Generator) -> tuple[tw.Rates, list[float]]:
        is_gold = np.isin(np.arange(N_ITEMS), draw(rng))
        y = tw.Gold(votes.take(is_gold), labels[is_gold], drawn="separate")
        rates = tw.rate(votes.take(~is_gold), y, of=1, confidence_level=LEVEL)
        assert rates.rows[0].n_items == N_ITEMS - N_GOLD
        return rates, [float(labels[~is_gold].mean())]

    misses = count_misses(ask, 160)
    assert 3 <= misses <= allowed(160)


def test_exact_is_the_hypergeometric_interval() -> None:
    labels, array, groups = items()
    y = hide(labels, np.arange(N_GOLD))
    rates = tw.rate(array, y, of=1, by=groups, method="exact", confidence_level=0.9)
    for row, chosen in zip(rates, (groups != "", groups == "A", groups == "B"), strict=True):
        low, high = hypergeometric_bounds((y[chosen] == 1).sum(), (y[chosen] >= 0).sum(), chosen.sum(), 0.1 / 3)
        assert (row.lower, row.upper) == (float(low) / chosen.sum(), float(high) / chosen.sum())


def test_the_error_is_shared_evenly() -> None:
    """Each row, recomputed from its counts with a quarter of the error."""
    labels, array, groups = items()
    gold = np.arange(0, N_ITEMS, 5)
    rates = tw.rate(array, hide(labels, gold), of=1, by=groups, versus=["B", "A"], confidence_level=0.9)
    votes = tw.Votes(array, n_classes=2)
    says = Panel.of_informative(votes.patterns).verdicts(votes.patterns)[votes.inverse] == 1
    parts = [np.arange(N_ITEMS), np.flatnonzero(groups == "A"), np.flatnonzero(groups == "B")]
    counts = [counts_of(says[part].astype(int), labels[part], np.flatnonzero(np.isin(part, gold))) for part in parts]
    for row, one in zip(rates.rows[:3], counts, strict=True):
        assert row.interval == assisted(one, (1 - 0.9) / 4)
    assert rates.rows[3].interval == differences.difference(counts[2], counts[1], (1 - 0.9) / 4, "assisted")


def counted(right: int, drawn: int, population: int) -> Counts:
    """Of a panel that says yes of everything."""
    return Counts(np.array([0, right]), np.array([0, drawn]), np.array([0, population]))


def test_a_difference_from_gold_alone_misses_at_most_as_often_as_it_says() -> None:
    """The chance of every outcome at every truth, from scipy."""
    drawn, population, error = (5, 4), (12, 9), 0.2
    outcomes = list(product(range(drawn[0] + 1), range(drawn[1] + 1)))
    bounds = {(x, y): differences.difference(counted(x, 5, 12), counted(y, 4, 9), error, "exact") for x, y in outcomes}
    chances = {
        (k, m): {
            (x, y): hypergeom.pmf(x, population[0], k, drawn[0]) * hypergeom.pmf(y, population[1], m, drawn[1])
            for x, y in outcomes
        }
        for k, m in product(range(population[0] + 1), range(population[1] + 1))
    }
    for (k, m), chance in chances.items():
        truth = k / population[0] - m / population[1]
        below = sum(chance[x] for x, one in bounds.items() if one.lower > truth + 1e-9)
        above = sum(chance[x] for x, one in bounds.items() if one.upper < truth - 1e-9)
        assert max(below, above) <= error / 2 + 1e-9


def test_a_difference_from_gold_alone_is_the_least_of_all_truths_that_are_likely_enough() -> None:
    """One truth after the other; right ones of one group are added to wrong ones of the other."""
    drawn, population, tail = (5, 4), (12, 9), 0.1
    x, y = (part.ravel() for part in np.meshgrid(np.arange(6), np.arange(5)))
    groups = TwoGroups((0, 0), drawn, population, (1 / 12, 1 / 9))
    order = approximate_limits(x, drawn[1] - y, groups, tail)
    grid = list(product(range(13), range(10)))
    chances = np.array([hypergeom.pmf(x, 12, k, 5) * hypergeom.pmf(y, 9, m, 4) for k, m in grid])
    values = np.array([k / 12 - m / 9 for k, m in grid])
    for place in range(len(x)):
        likely = (chances @ (order >= order[place]) > 0.999 * tail) & (chances[:, place] > 0)
        lower = differences.difference(counted(x[place], 5, 12), counted(y[place], 4, 9), 2 * tail, "exact").lower
        assert lower == pytest.approx(values[likely].min(), abs=3e-3)
