"""What a bound on the mean of some losses says of one formula, by brute force over every labeling of a tiny pool.

Kills, tried once each: the largest gap over the classes in place of the smallest; a gap that is added; the bound not
divided by the scale; a scale that is forgotten in the gap; a floor of 1 - floor; in the gradient, a factor of floor,
scale or target that is dropped.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from support.problems import FloatArray, IntArray, make_votes
from thumbwise.numerics import distilling
from thumbwise.numerics.distilling import Distilled, _Slack, distil
from thumbwise.numerics.progressive import ProgressiveBound
from thumbwise.numerics.stack_columns import StackColumns
from thumbwise.votes.votes import Votes

SHAPES = [(8, 2), (6, 3)]


def make_pool(seed: int, n_items: int, n_classes: int) -> tuple[Votes, StackColumns]:
    _, array = make_votes(np.random.default_rng(seed), n_items, 4, n_classes)
    votes = Votes(array, n_classes=n_classes)
    return votes, StackColumns.choose(votes.patterns, max(1, n_items // 2))


def make_progress(rng: np.random.Generator, votes: Votes, columns: StackColumns) -> ProgressiveBound:
    """Any losses at all, and a bound that some labelings satisfy."""
    losses = rng.normal(size=(votes.patterns.n_patterns, votes.n_classes))
    least = losses.min(axis=1)[votes.inverse].mean()
    weights = rng.normal(size=len(columns.kinds)) * 0.3
    return ProgressiveBound(losses, float(least + rng.exponential(0.5)), weights, weights)


def end_anywhere(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    """A search that ends at random weights, floor and scale instead of good ones."""

    def wander(slack: object, start: FloatArray, **options: object) -> SimpleNamespace:
        return SimpleNamespace(x=rng.normal(size=len(start)) * np.r_[np.ones(len(start) - 2), 2, 0.5])

    monkeypatch.setattr(distilling, "minimize", wander)


def item_losses(formula: Distilled, votes: Votes, columns: StackColumns) -> FloatArray:
    """Minus logs of the mixed probabilities, from the table of columns, one cell at a time."""
    table, k = columns.table(votes.patterns)[votes.inverse], votes.n_classes
    losses = np.empty((votes.n_items, k))
    for i in range(votes.n_items):
        weighed = [math.exp(sum(w * x for w, x in zip(formula.weights, table[i, c], strict=True))) for c in range(k)]
        for c in range(k):
            losses[i, c] = -math.log((1 - formula.floor) * weighed[c] / sum(weighed) + formula.floor / k)
    return losses


def labelings(n_items: int, n_classes: int) -> IntArray:
    return np.array([*product(range(n_classes), repeat=n_items)])


@pytest.mark.parametrize("is_wandering", [True, False])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("n_items", "n_classes"), SHAPES)
def test_every_labeling_that_satisfies_the_first_satisfies_the_second(
    n_items: int, n_classes: int, seed: int, is_wandering: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng([seed, n_items])
    votes, columns = make_pool(seed, n_items, n_classes)
    progress = make_progress(rng, votes, columns)
    if is_wandering:
        end_anywhere(monkeypatch, rng)
    formula = distil(progress, votes.patterns, columns)
    every, items = labelings(n_items, n_classes), np.arange(n_items)
    first = progress.losses[votes.inverse][items, every].mean(axis=1)
    second = item_losses(formula, votes, columns)[items, every].mean(axis=1)
    is_plausible = first <= progress.bound
    assert is_plausible.any()
    assert second[is_plausible].max() <= formula.bound + 1e-12
    assert 0 < formula.floor < 1


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("n_items", "n_classes"), SHAPES)
def test_no_smaller_bound_follows_where_the_worst_labeling_meets_the_first(
    n_items: int, n_classes: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the labeling of the smallest gaps, a first bound that it just satisfies makes the second one exact."""
    rng = np.random.default_rng([seed, 9])
    votes, columns = make_pool(seed, n_items, n_classes)
    progress, scale = make_progress(rng, votes, columns), float(np.exp(rng.normal() * 0.5))
    end = np.r_[rng.normal(size=len(columns.kinds)), rng.normal(), math.log(scale)]
    monkeypatch.setattr(distilling, "minimize", lambda *_, **__: SimpleNamespace(x=end))
    g = item_losses(distil(progress, votes.patterns, columns), votes, columns)
    f, items = progress.losses[votes.inverse], np.arange(n_items)
    worst = (f - scale * g).argmin(axis=1)
    exact = replace(progress, bound=float(f[items, worst].mean()))
    assert distil(exact, votes.patterns, columns).bound == pytest.approx(g[items, worst].mean(), abs=1e-12)


def test_patterns_that_were_not_looked_at_count_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search on the 50 heaviest of some 170 patterns. Kills: a gap over the part that was looked at."""
    monkeypatch.setattr(distilling, "_MOST_CELLS", 1)
    rng = np.random.default_rng(0)
    votes = Votes(rng.integers(-1, 2, size=(400, 5)), n_classes=2)
    columns = StackColumns.choose(votes.patterns, 40)
    assert votes.patterns.n_patterns > 100
    progress = make_progress(rng, votes, columns)
    formula = distil(progress, votes.patterns, columns)
    g, f = item_losses(formula, votes, columns), progress.losses[votes.inverse]
    items = np.arange(400)
    for price in np.linspace(-3, 3, 61):
        labeling = (f - np.exp(price) * g).argmin(axis=1)
        if f[items, labeling].mean() <= progress.bound:
            assert g[items, labeling].mean() <= formula.bound + 1e-12


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_slope_by_differences(n_classes: int, seed: int) -> None:
    rng, h = np.random.default_rng([seed, n_classes]), 1e-6
    table, logits = rng.normal(size=(5, n_classes, 4)), rng.normal(size=(5, n_classes))
    log_target = logits - np.logaddexp.reduce(logits, axis=1)[:, None]
    slack = _Slack(table, log_target, rng.dirichlet(np.ones(5)))
    point = rng.normal(size=6) * 0.7
    by_differences = [(slack(point + h * e)[0] - slack(point - h * e)[0]) / (2 * h) for e in np.eye(6)]
    np.testing.assert_allclose(slack(point)[1], by_differences, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_slack_is_close_to_what_the_worst_class_gives_away(seed: int) -> None:
    """Largest excess over the classes less the target's mean excess; the smooth stand-in is a little smaller."""
    rng = np.random.default_rng(seed)
    table, logits = rng.normal(size=(6, 3, 4)), rng.normal(size=(6, 3))
    log_target, masses = logits - np.logaddexp.reduce(logits, axis=1)[:, None], rng.dirichlet(np.ones(6))
    point = rng.normal(size=6) * 0.5
    floor, scale = 1 / (1 + math.exp(-point[4])), math.exp(point[5])
    total = 0.0
    for i in range(6):
        weighed = np.exp(table[i] @ point[:4])
        losses = -np.log((1 - floor) * weighed / weighed.sum() + floor / 3)
        excess = scale * losses + log_target[i]
        total += masses[i] * (excess.max() - np.exp(log_target[i]) @ excess)
    deepest = -log_target.min()
    assert total - deepest / 100 <= _Slack(table, log_target, masses)(point)[0] <= total + 1e-12


def test_a_formula_that_is_followed_exactly_costs_nothing() -> None:
    """Losses of a formula of the same kind, plus any function of the votes: its own bound comes back."""
    votes, columns = make_pool(2, 60, 2)
    rng = np.random.default_rng(1)
    weights = rng.normal(size=len(columns.kinds)) * 0.5
    own = item_losses(Distilled(weights, 0.1, 0.0, 1.0), votes, columns)
    _, example = np.unique(votes.inverse, return_index=True)
    shift = rng.normal(size=len(example))
    bound = 0.9 + float(shift[votes.inverse].mean())
    progress = ProgressiveBound(own[example] + shift[:, None], bound, weights, weights)
    assert distil(progress, votes.patterns, columns).bound == pytest.approx(0.9, abs=1e-3)
