"""Sums of bounded values by betting: what the bettor expects, over every draw; the bounds, by plain loops.

Coverage is judged with a threshold whose false-alarm rate is 10^-6 a test. Kills, tried once: error in place of
error / 2; stakes that know the value they are for; the largest money on the way in place of stopping; running means
that must all reach the goal; stakes of a cell that change within it; kinds without units.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, permutations, product
from math import log, pi, sin, sqrt

import numpy as np
import pytest
from scipy.stats import binom

from thumbwise.numerics.bounded_totals import (
    SLOPES,
    Kinds,
    certain_bounds,
    is_refuted,
    log_money,
    look,
    total_bounds,
)

# Six units of four kinds: clusters of one to four items, and guesses at how many of them are good.
FEW = Kinds(np.zeros(4), np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.2, 2.0, 1.5, 3.0]), np.array([2, 1, 2, 1]))
KIND_OF = np.array([0, 0, 1, 2, 2, 3])
VALUES = {
    "guesses are fair": np.array([0.0, 1.0, 2.0, 1.0, 2.0, 3.0]),
    "all at the bottom": np.zeros(6),
    "all at the top": np.array([1.0, 1.0, 2.0, 3.0, 3.0, 4.0]),
    "guesses mislead": np.array([1.0, 1.0, 0.0, 0.0, 3.0, 0.0]),
}


Make = Callable[[int, np.random.Generator], tuple[Kinds, np.ndarray, np.ndarray]]


def sides(kinds: Kinds, values: np.ndarray) -> list[tuple[Kinds, np.ndarray]]:
    return [(kinds, values), (kinds.mirrored(), -values)]


@pytest.mark.parametrize("error", [0.3, 1e-9])
@pytest.mark.parametrize("above", [0.0, 0.5, 30.0])
@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_whoever_bets_at_the_truth_expects_to_keep_the_money(values: np.ndarray, above: float, error: float) -> None:
    """After every draw, over all orders of all samples; with stakes of a cell that reaches above the truth."""
    chosen = np.array(list(permutations(range(6), 4)))
    for kinds, side in sides(FEW, values):
        looks = look(kinds, KIND_OF[chosen], side[chosen], error)
        money = np.exp(log_money(looks, side[None].sum(axis=1), side[None].sum(axis=1) + above))
        np.testing.assert_allclose(money.mean(axis=0), 1, atol=1e-12)
        assert (money[:, 1:] >= 0.0499 * money[:, :-1]).all(), "no draw takes everything"


@pytest.mark.parametrize("error", [0.3, 0.6, 0.8])
@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_the_truth_is_refuted_seldom_over_all_draws_and_all_orders(values: np.ndarray, error: float) -> None:
    """All samples of three units, each in all triples of its six orders."""
    samples = np.array([sorted(sample) for sample in permutations(range(6), 3) if list(sample) == sorted(sample)])
    orders = np.array(list(permutations(range(3))))
    triples = np.array(list(product(range(6), repeat=3))).T
    for kinds, side in sides(FEW, values):
        total, refuted = side[None].sum(axis=1), []
        for sample in samples:
            rows = sample[orders]
            money = log_money(look(kinds, KIND_OF[rows], side[rows], error), total, total)[..., 0]
            refuted.append(is_refuted(money[triples].transpose(0, 2, 1), log(1 / error)).mean())
        assert np.mean(refuted) <= error


def test_the_truth_is_refuted_at_times() -> None:
    """So that the test before is not empty: half of the units are worth 1 and half 0, all guessed alike."""
    kinds, values = Kinds(np.zeros(1), np.ones(1), np.zeros(1), np.array([6])), np.repeat([0.0, 1.0], 3)
    rows = np.array(list(permutations(range(6), 3)))
    money = log_money(look(kinds, 0 * rows, values[rows], 0.6), np.array([3.0]), np.array([3.0]))
    refuted = [is_refuted(order[None], log(1 / 0.6))[0] for order in money]
    assert 0.1 < np.mean(refuted) <= 0.6


def stakes_by_loops(kinds: Kinds, drawn: list[int], values: list[float], error: float) -> list[tuple[float, ...]]:
    """Value x, mean of x over the past at the slope taken, smallest x, stake by the variance; draw by draw."""
    units = [k for k, count in enumerate(kinds.count) for _ in range(count)]
    n_units, n = len(units), len(drawn)
    mean = sum(kinds.guess[k] for k in units) / n_units
    spread = sum((kinds.guess[k] - mean) ** 2 for k in units) / n_units
    widest = sum((kinds.high[k] - kinds.low[k]) ** 2 for k in units) / n_units / 4
    growths = [n_units / (n_units - t) for t in range(n)]
    rows: list[tuple[float, ...]] = []
    past: dict[float, list[float]] = {slope: [] for slope in SLOPES}
    squares = dict.fromkeys(SLOPES, 0.0)
    left = list(units)
    for t in range(n):
        here = sum(kinds.guess[k] for k in left) / len(left)
        options = []
        for slope in SLOPES:
            centre = (mean + sum(past[slope])) / (1 + t)
            variance = (5 * (0.2 * widest + (1 - slope) ** 2 * spread) + squares[slope]) / (5 + t)
            least = min(kinds.low[k] - slope * (kinds.guess[k] - here) for k in set(units))
            bold = sqrt(2.5 * log(1 / error) / variance / sum(g * g for g in growths))
            stake = min(bold, 0.95 / (centre - least)) if centre > least else bold
            x = values[t] - slope * (kinds.guess[drawn[t]] - here)
            options.append((log(1 / error) / n / stake + stake * variance / 2, x, least, bold * growths[t]))
            squares[slope] += (x - centre) ** 2
            past[slope].append(x)
        rows.append(min(options, key=lambda option: option[0])[1:])
        left.remove(drawn[t])
    return rows


def is_refuted_by_loops(
    kinds: Kinds, orders: list[tuple[list[int], list[float]]], error: float, total: float, top: float
) -> bool:
    running = 0.0
    for place, (drawn, values) in enumerate(orders, start=1):
        money, end = 1.0, 0.0
        n_left, most = int(kinds.count.sum()), float(kinds.count @ kinds.high)
        seen = 0.0
        for (x, least, bold), value, kind in zip(
            stakes_by_loops(kinds, drawn, values, error), values, drawn, strict=True
        ):
            stake = min(bold, 0.95 / (min((top - seen) / n_left, most / n_left) - least))
            money *= 1 + stake * (x - (total - seen) / n_left)
            if money >= 2 / error:
                end = 2 / error
            seen, n_left, most = seen + value, n_left - 1, most - kinds.high[kind]
        running += end or money
        if running / place >= 1 / error:
            return True
    return False


@pytest.mark.parametrize("error", [0.1, 0.6])
def test_bounds_are_those_of_plain_loops(error: float) -> None:
    kinds = Kinds(np.array([0.0, 0, 1]), np.array([1.0, 3, 5]), np.array([0.5, 2, 4]), np.array([20, 15, 25]))
    rng = np.random.default_rng(3)
    drawn = rng.permutation(np.repeat(np.arange(3), kinds.count))[:30]
    values = np.round(np.clip(kinds.guess[drawn] + rng.normal(size=30), kinds.low[drawn], kinds.high[drawn]))
    bounds = total_bounds(kinds, drawn, values, error, seed=5, n_orders=2)
    places = np.random.default_rng([5, 30])
    orders = [places.permutation(30) for _ in range(2)]
    for sign, bound, (side, worth) in zip((1, -1), bounds, sides(kinds, values), strict=True):
        low, high = float(side.count @ side.low), float(side.count @ side.high)
        edges = [low + (high - low) * sin(g * pi / 128) ** 2 for g in range(65)]
        top = next(upper for lower, upper in pairwise(edges) if lower <= sign * bound < upper)
        rows = [(list(drawn[order]), list(worth[order])) for order in orders]
        assert is_refuted_by_loops(side, rows, error / 2, sign * bound - 1e-9, top)
        assert not is_refuted_by_loops(side, rows, error / 2, sign * bound + 1e-3, top)
        certain = certain_bounds(side, drawn, worth)[0]
        below = [edge for edge in edges[1:] if certain < edge < top]
        assert all(is_refuted_by_loops(side, rows, error / 2, edge, edge) for edge in below)
        assert len(below) > 3


def ratings(n_units: int, rng: np.random.Generator) -> tuple[Kinds, np.ndarray, np.ndarray]:
    """Kinds, the kind of each unit, values 1 to 5 that go with the guesses."""
    kind = rng.integers(9, size=n_units)
    guess = 1 + kind / 2
    values = np.clip(np.round(guess + rng.normal(scale=0.8, size=n_units)), 1, 5)
    return Kinds(np.ones(9), np.full(9, 5.0), 1 + np.arange(9) / 2, np.bincount(kind, minlength=9)), kind, values


def clusters(n_units: int, rng: np.random.Generator) -> tuple[Kinds, np.ndarray, np.ndarray]:
    size = rng.integers(1, 11, size=n_units)
    values = rng.binomial(size, rng.beta(4, 2, size=n_units)).astype(float)
    sizes = np.arange(11.0)
    return Kinds(np.zeros(11), sizes, sizes * 2 / 3, np.bincount(size, minlength=11)), size, values


def rare_errors(n_units: int, rng: np.random.Generator) -> tuple[Kinds, np.ndarray, np.ndarray]:
    verdict = rng.integers(2, size=n_units)
    values = np.where(rng.random(n_units) < 0.03, 1 - verdict, verdict).astype(float)
    return Kinds(np.zeros(2), np.ones(2), np.arange(2.0), np.bincount(verdict, minlength=2)), verdict, values


def differences(n_units: int, rng: np.random.Generator) -> tuple[Kinds, np.ndarray, np.ndarray]:
    kind = rng.integers(3, size=n_units)
    values = np.where(rng.random(n_units) < 0.8, kind - 1, rng.integers(-1, 2, size=n_units)).astype(float)
    return Kinds(-np.ones(3), np.ones(3), np.array([-1.0, 0.0, 1.0]), np.bincount(kind, minlength=3)), kind, values


@pytest.mark.parametrize("make", [ratings, clusters, rare_errors, differences])
@pytest.mark.parametrize(("n_units", "n_draws"), [(2000, 60), (80, 50)])
def test_coverage(make: Make, n_units: int, n_draws: int) -> None:
    rng, n_trials, error = np.random.default_rng(17), 250, 0.2
    kinds, kind, values = make(n_units, rng)
    misses = 0
    for trial in range(n_trials):
        chosen = rng.choice(n_units, n_draws, replace=False)
        low, high = total_bounds(kinds, kind[chosen], values[chosen], error, seed=trial)
        misses += not low <= values.sum() <= high
    assert misses <= binom.ppf(1 - 1e-6, n_trials, error)


def test_money_falls_as_the_candidate_grows() -> None:
    """Within a cell, at every draw; so refuting the upper end refutes all of it."""
    rng = np.random.default_rng(9)
    for make in (ratings, clusters, differences):
        kinds, kind, values = make(300, rng)
        rows = np.array([rng.choice(300, 40, replace=False) for _ in range(3)])
        looks = look(kinds, kind[rows], values[rows], 0.01)
        totals = np.linspace(kinds.count @ kinds.low, kinds.count @ kinds.high, 200)
        assert (np.diff(log_money(looks, totals, np.full(200, totals[-1])), axis=2) <= 1e-9).all()


def test_stakes_do_not_know_the_values_to_come() -> None:
    rng = np.random.default_rng(10)
    kinds, kind, values = ratings(200, rng)
    rows = rng.choice(200, 30, replace=False)[None]
    before = look(kinds, kind[rows], values[rows], 0.05)
    changed = values[rows].copy()
    changed[:, 12:] = 6 - changed[:, 12:]
    after = look(kinds, kind[rows], changed, 0.05)
    for name in ("known", "least", "most", "bold"):
        np.testing.assert_array_equal(getattr(before, name)[:, :13], getattr(after, name)[:, :13])
    assert (before.bold[:, 13:] != after.bold[:, 13:]).any()


@pytest.mark.parametrize("make", [ratings, clusters, rare_errors, differences])
def test_bounds_narrow_to_the_truth_as_all_units_are_drawn(make: Make) -> None:
    rng = np.random.default_rng(12)
    kinds, kind, values = make(200, rng)
    order, widths = rng.permutation(200), []
    for n in (10, 40, 120, 180, 199, 200):
        low, high = total_bounds(kinds, kind[order[:n]], values[order[:n]], 0.05)
        least, most = certain_bounds(kinds, kind[order[:n]], values[order[:n]])
        assert least <= low <= high <= most
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == 0
    assert widths[2] < 0.45 * widths[1], "the part of the units that was drawn counts"


def test_a_good_guess_helps_and_a_bad_one_hardly_hurts() -> None:
    rng = np.random.default_rng(13)
    kinds, kind, values = ratings(5000, rng)
    none, bad = np.full(9, 3.0), np.array([5.0, 1, 4, 2, 5, 1, 4, 2, 3])
    widths = dict.fromkeys(("good", "none", "bad"), 0.0)
    for _ in range(20):
        chosen = rng.choice(5000, 150, replace=False)
        for name, guess in zip(widths, (kinds.guess, none, bad), strict=True):
            guessed = Kinds(kinds.low, kinds.high, guess, kinds.count)
            low, high = total_bounds(guessed, kind[chosen], values[chosen], 0.05)
            widths[name] += high - low
    assert widths["good"] < 0.75 * widths["none"]
    assert widths["bad"] < 1.2 * widths["none"]


def test_numbers_may_be_shifted_and_stretched() -> None:
    """Ratings 1 to 5, and the same as shares of the way from 1 to 5."""
    rng = np.random.default_rng(14)
    kinds, kind, values = ratings(700, rng)
    chosen = rng.choice(700, 80, replace=False)
    bounds = np.array(total_bounds(kinds, kind[chosen], values[chosen], 0.05))
    shares = Kinds(kinds.low * 0, kinds.high / 5, (kinds.guess - 1) / 4, kinds.count)
    moved = np.array(total_bounds(shares, kind[chosen], (values[chosen] - 1) / 4, 0.05))
    np.testing.assert_allclose(bounds, 700 + 4 * moved, atol=0.01)


def test_nothing_drawn_no_error_allowed_and_one_possible_value() -> None:
    none, some = np.array([], dtype=int), np.array([0, 3])
    assert total_bounds(FEW, none, np.array([]), 0.05) == (0, 14)
    assert total_bounds(FEW, some, np.array([1.0, 3.0]), 0.0) == (4, 13)
    fixed = Kinds(np.array([2.0]), np.array([2.0]), np.array([0.0]), np.array([7]))
    assert total_bounds(fixed, np.array([0, 0]), np.array([2.0, 2.0]), 0.05) == (14, 14)
    alone = Kinds(np.array([0.0]), np.array([1.0]), np.array([0.0]), np.array([1]))
    assert total_bounds(alone, np.array([0]), np.array([1.0]), 0.05) == (1, 1)


def test_kinds_without_units_change_nothing() -> None:
    rng = np.random.default_rng(15)
    kinds, kind, values = ratings(400, rng)
    more = Kinds(
        *(
            np.append(part, extra)
            for part, extra in zip(
                (kinds.low, kinds.high, kinds.guess, kinds.count), (-100.0, 100.0, 50.0, 0), strict=True
            )
        )
    )
    chosen = rng.choice(400, 50, replace=False)
    assert total_bounds(kinds, kind[chosen], values[chosen], 0.05) == total_bounds(
        more, kind[chosen], values[chosen], 0.05
    )


def test_a_million_units_are_as_many_as_their_kinds() -> None:
    kinds = Kinds(np.zeros(2), np.ones(2), np.arange(2.0), np.array([400_000, 600_000]))
    drawn = np.arange(300) % 5 // 2 > 0
    low, high = total_bounds(kinds, drawn.astype(int), np.where(np.arange(300) % 20 == 0, 0.0, drawn), 0.05)
    assert 480_000 < low < high < 680_000
