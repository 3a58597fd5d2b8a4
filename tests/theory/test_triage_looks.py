"""Budgets of looks: what is guaranteed, counted over all draws; ties in every order; the same number by hand.

Kills, tried once: gold that is met counted as looked at; a step too far; seen wrong ones not taken off, or taken off
twice; ties in which gold always comes last.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy.stats import binom, chi2, hypergeom

import thumbwise as tw
from thumbwise._typing import IntArray
from thumbwise.assess.accepting import looks as looks_module
from thumbwise.assess.accepting.looks import Looks, look_at
from thumbwise.assess.accepting.ranked import Ranked

N = 8


def one_each(gold: tuple[int, ...], is_wrong: tuple[bool, ...]) -> Ranked:
    """Eight items of a pattern each, the surest first; the label of each is class 0."""
    sure = np.linspace(0.95, 0.55, N)
    proba = np.column_stack([sure, 1 - sure])
    return Ranked(proba, np.ones(N, dtype=np.int64), np.array(gold), np.array(is_wrong, dtype=np.int64), 0, False)


def least_sure_without(gold: tuple[int, ...], budget: int) -> list[int]:
    return [i for i in range(N - 1, -1, -1) if i not in gold][:budget]


@pytest.mark.parametrize(("budget", "error"), [(0, 0.2), (2, 0.3)])
def test_by_counting_all_draws(budget: int, error: float) -> None:
    """Every subset of four gold items and every set of wrong labels."""
    draws = list(combinations(range(N), 4))
    found = {
        (gold, seen): look_at(one_each(gold, seen), N, budget, error)
        for gold in draws
        for seen in product([False, True], repeat=4)
    }
    worst = 0.0
    for truth in product([False, True], repeat=N):
        failed = 0
        for gold in draws:
            looked = least_sure_without(gold, budget)
            left = sum(truth[i] for i in range(N) if i not in gold and i not in looked)
            failed += left > found[gold, tuple(truth[i] for i in gold)].most_wrong
        worst = max(worst, failed / len(draws))
    assert 0 < worst <= error
    for (gold, _), one in found.items():
        assert sorted(np.flatnonzero(one.looked_at)) == sorted(least_sure_without(gold, budget))
    proved = [one.most_wrong < N - 4 - budget for one in found.values()]
    assert np.mean(proved) > 0.1, "something must be guaranteed for this to say anything"


def by_hand(is_wrong: list[bool], is_gold: list[bool], budget: int, error: float) -> int:
    """Items in order, the least sure first: go until the budget is used up, and bound what is left."""
    at = 0
    while budget > 0 and at < len(is_gold):
        budget -= not is_gold[at]
        at += 1
    left_wrong = [w for w, g in zip(is_wrong[at:], is_gold[at:], strict=True) if g]
    size, drawn, seen = len(is_gold) - at, len(left_wrong), sum(left_wrong)
    if size == drawn:
        return 0
    possible = np.arange(seen, size - (drawn - seen) + 1)
    return int(possible[hypergeom.cdf(seen, size, possible, drawn) > error].max()) - seen


@pytest.mark.parametrize("budget", [0, 1, 40, 155, 156, 160, 1000])
def test_the_bound_by_hand(budget: int) -> None:
    rng = np.random.default_rng(budget)
    size = 200
    sure = np.sort(rng.uniform(0.5, 1, size))
    gold = np.sort(rng.choice(size, 45, replace=False))
    is_wrong = rng.random(size) > sure
    ranked = Ranked(
        np.column_stack([sure, 1 - sure]),
        np.ones(size, dtype=np.int64),
        gold,
        is_wrong[gold].astype(np.int64),
        0,
        False,
    )
    found = look_at(ranked, size, budget, 0.05)
    assert found.most_wrong == by_hand(is_wrong.tolist(), np.isin(np.arange(size), gold).tolist(), budget, 0.05)
    assert found.n_looks == min(budget, 155)
    if budget >= 155:
        assert found.accuracy_at_least == 1 and found.estimate == 1


def in_some_order(order: tuple[int, ...], budget: int) -> tuple[int, int, tuple[bool, bool]]:
    """Three items of one pattern and one of another, the last of the first and the last one gold: who is met."""
    pattern, gold = (0, 0, 0, 1, 1), {2: 0, 4: 1}
    looked, left = [0, 0], [True, True]
    for item in order:
        if sum(looked) == budget:
            break
        if item in gold:
            left[gold[item]] = False
        else:
            looked[pattern[item]] += 1
    return looked[0], looked[1], (left[0], left[1])


def test_ties_are_in_every_order_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chi square over 3,000 seeds against all 120 orders; a false alarm in one of a million."""
    ranked = Ranked(np.full((2, 2), 0.5), np.array([3, 2]), np.array([0, 1]), np.array([0, 1]), 0, False)
    expected = Counter(in_some_order(order, 2) for order in permutations(range(5)))
    seen: Counter[tuple[int, int, tuple[bool, bool]]] = Counter()
    for seed in range(3000):
        monkeypatch.setattr(looks_module, "_SEED", seed)
        walk = looks_module._walk(ranked, np.array([2, 1]), 2)
        seen[int(walk.looked_at[0]), int(walk.looked_at[1]), (bool(walk.is_left[0]), bool(walk.is_left[1]))] += 1
    assert set(seen) <= set(expected)
    away = sum((seen[key] - 3000 * n / 120) ** 2 / (3000 * n / 120) for key, n in expected.items())
    assert away < chi2.ppf(1 - 1e-6, len(expected) - 1)


def crowd(seed: int) -> tuple[IntArray, IntArray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=700)
    array = np.where(rng.random((700, 3)) < 0.7, truth[:, None], 1 - truth[:, None])
    array[rng.random((700, 3)) < 0.3] = -1
    return array, truth


def wrong_after(found: tw.Triage, truth: IntArray) -> int:
    return int((found.accepted & (found.proposed != truth)).sum())


def test_what_is_wrong_over_draws_with_many_ties() -> None:
    """Items, not patterns: who is looked at is drawn too. A false alarm has a chance below one in a million."""
    array, truth = crowd(0)
    failed, proved = 0, []
    for seed in range(80):
        y = np.full(700, -1)
        gold = np.random.default_rng([5, seed]).choice(700, 150, replace=False)
        y[gold] = truth[gold]
        found = tw.triage(array, y, budget=200, confidence_level=0.8)
        looks = found.looks
        assert isinstance(looks, Looks)
        assert found.n_review == (~found.accepted).sum() == 200
        assert (np.bincount(found._inverse[~found.accepted], minlength=len(looks.looked_at)) == looks.looked_at).all()
        assert found.accepted[gold].all() and (found.proposed[gold] == truth[gold]).all()
        failed += wrong_after(found, truth) > looks.most_wrong
        proved.append(looks.accuracy_at_least)
    assert failed < binom.ppf(1 - 1e-6, 80, 0.2)
    assert 0.7 < np.mean(proved) < 1


def test_gold_from_outside() -> None:
    """Nobody looks at gold, and no gold item counts as right; with all items looked at all are right."""
    array, truth = crowd(1)
    found = tw.triage(array[200:], tw.Gold(array[:200], truth[:200], "separate"), budget=100)
    looks = found.looks
    assert looks is not None and looks.n_items == 500 and looks.n_looks == 100
    assert looks.looked_at[len(found.accepts) :].sum() == 0
    assert wrong_after(found, truth[200:]) <= looks.most_wrong < 400
    everything = tw.triage(array[200:], tw.Gold(array[:200], truth[:200], "separate"), budget=500).looks
    assert everything is not None and everything.accuracy_at_least == 1


def test_sentence() -> None:
    array, truth = crowd(2)
    y = np.where(np.arange(700) < 150, truth, -1)
    found = tw.triage(array, y, budget=50)
    assert found.looks is not None
    assert "once people have looked at 50 items, whose labels count as right" in str(found)
    assert found.as_dict()["accuracy_at_least"] == found.looks.accuracy_at_least
    assert not found.proves_nothing
