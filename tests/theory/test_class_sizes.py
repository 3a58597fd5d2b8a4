"""Sizes of classes from class-balanced gold: against every size in turn with scipy's tails, and by simulation.

Coverage is judged with a threshold whose false-alarm rate is 10^-6 a test. Kills, tried once: the error not shared
among the classes; ranges of sizes dropped, or cells of sizes judged, by their inner ends; classes with the same gold
counted once; gold of the other classes left in the pool.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from thumbwise.numerics import class_sizes
from thumbwise.numerics.class_sizes import class_size_bounds


@cache
def marks(marked: int, drawn: int, size: int, tail: float) -> tuple[int, int]:
    """Fewest and most marked ones among ``size`` items of a class beside gold that are likely enough, one by one."""
    if drawn == 0:
        return 0, size
    total = marked + np.arange(size + 1)
    enough = hypergeom.sf(marked - 1, size + drawn, total, drawn) > tail
    likely = np.flatnonzero(enough & (hypergeom.cdf(marked, size + drawn, total, drawn) > tail))
    return int(likely[0]), int(likely[-1])


def kept_sizes(marked: list[int], drawn: list[int], verdict_total: int, n_items: int, error: float) -> list[int]:
    """Of the first class: all sizes that agree, for some sizes of the other classes; gold is outside."""
    tail = error / sum(n > 0 for n in drawn) / 2
    kept = set()
    for sizes in product(range(n_items + 1), repeat=len(drawn) - 1):
        rest = n_items - sum(sizes)
        if rest >= 0:
            ranges = [marks(m, n, size, tail) for m, n, size in zip(marked, drawn, (*sizes, rest), strict=True)]
            if sum(low for low, _ in ranges) <= verdict_total <= sum(high for _, high in ranges):
                kept.add(sizes[0])
    return sorted(kept)


@pytest.mark.parametrize(("error", "n_parts"), [(0.02, 64), (0.3, 3), (0.3, 2)])
def test_two_classes_are_every_size_in_turn(error: float, n_parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if many sizes are dropped at once."""
    monkeypatch.setattr(class_sizes, "_N_PARTS", n_parts)
    rng = np.random.default_rng(2)
    n_informative = 0
    for trial in range(24):
        drawn = rng.integers(0, 30, size=2)
        rates = [0.1, 0.85] if trial % 2 else [0.85, 0.1]  # a verdict may mislead
        marked, n_items = rng.binomial(drawn, rates), int(rng.integers(1, 90))
        verdict_total = int(rng.integers(0, n_items + 1))
        kept = kept_sizes(marked.tolist(), drawn.tolist(), verdict_total, n_items, error) or [0, n_items]
        bounds = class_size_bounds(marked, drawn, verdict_total, n_items, error, is_outside=True)
        assert bounds == (kept[0], kept[-1])
        n_informative += bounds != (0, n_items)
    assert n_informative >= 15


@pytest.mark.parametrize(("fineness", "most_spare"), [(200, 0.15), (2, 1.0)])
def test_several_classes_keep_every_size_that_agrees_and_few_others(
    fineness: int, most_spare: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in wide cells, which keep more others; every other time the two other classes have the same gold."""
    monkeypatch.setattr(class_sizes, "_FINENESS", fineness)
    rng = np.random.default_rng(3)
    spare, widths = 0, 0
    for trial in range(12):
        drawn = rng.integers(8, 30, size=3)
        rates = [0.1, 0.95, 0.8] if trial % 4 > 1 else [0.95, 0.05, 0.2]
        marked, n_items = rng.binomial(drawn, rates), int(rng.integers(20, 45))
        if trial % 2:
            drawn[2], marked[2] = drawn[1], marked[1]
        verdict_total = int(rng.integers(0, n_items + 1))
        kept = kept_sizes(marked.tolist(), drawn.tolist(), verdict_total, n_items, 0.3)
        low, high = class_size_bounds(marked, drawn, verdict_total, n_items, 0.3, is_outside=True)
        assert low <= kept[0]
        assert high >= kept[-1]
        spare, widths = spare + (high - low) - (kept[-1] - kept[0]), widths + kept[-1] - kept[0]
    assert spare <= most_spare * widths


def simulate(rng: np.random.Generator, sizes: list[int], rates: list[float], drawn: list[int], is_outside: bool) -> Any:
    """Marks of all items of each class; gold is drawn from them, and stays or goes."""
    marked = [rng.random(size) < rate for size, rate in zip(sizes, rates, strict=True)]
    gold = [int(rng.choice(has, n, replace=False).sum()) for has, n in zip(marked, drawn, strict=True)]
    total = sum(int(has.sum()) for has in marked) - sum(gold) * is_outside
    return gold, total, sum(sizes) - sum(drawn) * is_outside


@pytest.mark.parametrize(
    ("sizes", "rates", "drawn", "is_outside"),
    [
        ([60, 340], [0.9, 0.15], [25, 25], True),
        ([60, 340], [0.9, 0.15], [25, 25], False),
        ([400, 200, 100], [0.8, 0.02, 0.4], [30, 30, 30], True),
        ([50, 60, 2000, 40], [0.7, 0.3, 0.01, 0.6], [20, 30, 40, 0], False),
        ([200, 300], [0.5, 0.5], [40, 150], True),
    ],
)
def test_coverage(sizes: list[int], rates: list[float], drawn: list[int], is_outside: bool) -> None:
    rng, n_trials, error = np.random.default_rng(4), 40, 0.3
    truth, misses = sizes[0] - drawn[0] * is_outside, 0
    for _ in range(n_trials):
        gold, total, n_items = simulate(rng, sizes, rates, drawn, is_outside)
        low, high = class_size_bounds(gold, drawn, total, n_items, error, is_outside=is_outside)
        misses += not low <= truth <= high
    assert misses <= binom.ppf(1 - 1e-6, n_trials, error)


def test_gold_in_the_pool_is_gold_outside_of_the_rest() -> None:
    inside = class_size_bounds([27, 3, 4], [30, 40, 20], 300, 1000, 0.05)
    outside = class_size_bounds([27, 3, 4], [30, 40, 20], 300 - 34, 1000 - 90, 0.05, is_outside=True)
    assert inside == (outside[0] + 30, outside[1] + 30)


def test_the_class_may_stand_anywhere() -> None:
    first = class_size_bounds([27, 3, 4], [30, 40, 20], 300, 1000, 0.05)
    assert first == class_size_bounds([3, 27, 4], [40, 30, 20], 300, 1000, 0.05, of=1)
    assert first == class_size_bounds([4, 3, 27], [20, 40, 30], 300, 1000, 0.05, of=2)


def test_the_sizes_of_two_classes_are_one_question() -> None:
    """What is not of the one class is of the other, and what is not marked as the one is marked as the other."""
    low, high = class_size_bounds([45, 5], [50, 50], 3000, 10_000, 0.05)
    assert class_size_bounds([45, 5], [50, 50], 7000, 10_000, 0.05) == (10_000 - high, 10_000 - low)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_shares_settle_as_items_grow_in_number(n_classes: int) -> None:
    """Cells cost next to nothing at 10^8 items: the shares are those of 10^4, which are a little narrower."""
    marked, drawn = [90, *[5] * (n_classes - 1)], [100] * n_classes
    few, many = (
        np.array(class_size_bounds(marked, drawn, 3 * n // 10, n, 0.05, is_outside=True)) / n for n in (10**4, 10**8)
    )
    np.testing.assert_allclose(few, many, atol=0.01)
    assert 0.1 < many[0] < 0.25 < many[1] < 0.37


def test_a_class_without_gold_may_have_any_marks() -> None:
    assert class_size_bounds([0, 0], [0, 0], 4, 10, 0.05) == (0, 10)
    low, high = class_size_bounds([48, 0], [50, 0], 300, 1000, 0.05)
    assert low == 50
    assert 300 < high < 350, "of the class at least nine tenths are marked, and only 300 are"
    low, high = class_size_bounds([0, 0], [0, 50], 300, 1000, 0.05)
    assert high == 1000 - 50
    assert 200 < low < 300, "of the others at most a tenth are marked"


def test_no_error_allowed_gives_what_is_certain() -> None:
    assert class_size_bounds([50, 0], [50, 50], 500, 10_000, 0.0) == (50, 9_950)
    assert class_size_bounds([50, 0], [50, 50], 50, 100, 0.05) == (50, 50), "all items are gold"


def test_verdicts_that_contradict_gold_keep_all_sizes() -> None:
    """The verdict marks hardly any gold item of either class, and nearly all others."""
    assert class_size_bounds([1, 2], [100, 100], 9_900, 10_200, 0.05) == (100, 10_100)


def test_a_better_verdict_and_more_gold_narrow() -> None:
    widths = []
    for marked, drawn in (([30, 20], [50, 50]), ([45, 5], [50, 50]), ([90, 10], [100, 100]), ([98, 2], [100, 100])):
        low, high = class_size_bounds(marked, drawn, 4000, 10_000, 0.05)
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.2 * widths[0]
