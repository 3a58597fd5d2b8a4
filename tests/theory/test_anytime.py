"""Bounds that hold after every draw: all paths followed exactly, the same by another formula, and their price."""

from __future__ import annotations

from itertools import product
from math import comb, log

import numpy as np
import pytest
from scipy.stats import betabinom, hypergeom

from thumbwise.numerics.anytime import HORIZON, anytime_bounds, anytime_sides
from thumbwise.numerics.intervals import hypergeometric_bounds


def ever_misses(total: int, population: int, bounds: dict[tuple[int, int], tuple[int, int]]) -> float:
    """Chance that bounds by (draws, right) ever miss, every path of counts followed until it misses."""
    alive, missed = {0: 1.0}, 0.0
    for n in range(1, population + 1):
        after: dict[int, float] = {}
        for right, chance in alive.items():
            next_is_right = (total - right) / (population - n + 1)
            for x, part in ((right + 1, next_is_right), (right, 1 - next_is_right)):
                after[x] = after.get(x, 0.0) + chance * part
        alive = {}
        for x, chance in after.items():
            low, high = bounds.get((n, x), (0, population))
            if low <= total <= high:
                alive[x] = chance
            else:
                missed += chance
    return missed


def by_counts(population: int, error: float, horizon: float) -> dict[tuple[int, int], tuple[int, int]]:
    draws, right = np.array([(n, x) for n in range(1, population + 1) for x in range(n + 1)]).T
    low, high = anytime_bounds(right, draws, population, error, horizon=horizon)
    counts, ends = (list(zip(*pair, strict=True)) for pair in ((draws.tolist(), right.tolist()), (low, high)))
    return dict(zip(counts, ends, strict=True))


@pytest.mark.parametrize(("population", "error", "horizon"), [(9, 0.5, 4), (24, 0.4, 8), (24, 0.1, 40), (40, 0.2, 10)])
def test_the_chance_that_bounds_ever_miss_is_at_most_the_error(population: int, error: float, horizon: float) -> None:
    """Exactly, for every number of right ones; kills wagers that see draws, and all of the error on each side."""
    bounds = by_counts(population, error, horizon)
    chances = [ever_misses(total, population, bounds) for total in range(population + 1)]
    assert max(chances) <= error + 1e-9
    assert max(chances) > error / 4  # the claim is not empty


def test_bounds_for_one_number_of_draws_miss_far_more_often_if_one_looks_at_all() -> None:
    population, error = 40, 0.2
    bounds: dict[tuple[int, int], tuple[int, int]] = {}
    for n in range(1, population + 1):
        low, high = hypergeometric_bounds(np.arange(n + 1), n, population, error)
        bounds |= {(n, x): (int(low[x]), int(high[x])) for x in range(n + 1)}
    assert ever_misses(20, population, bounds) > 2 * error


def lowest_kept(right: int, drawn: int, population: int, error: float, horizon: float) -> int:
    """The lower bound candidate by candidate, with whole numbers for likelihoods."""

    def likelihood(total: int) -> int:
        return comb(total, right) * comb(population - total, drawn - right)

    cells = np.floor(population * np.sin(np.linspace(0, np.pi / 2, 257)) ** 2).astype(int)
    cells[-1] = population
    for total in range(right, population + 1):
        if total > right * (population + 1) // max(drawn, 1):
            return total - 1 if total > right else total  # the mode is never refuted
        top = int(cells[1:][cells[1:] >= total][0])
        won = 0.0
        for times, weight in ((0.25, 0.1), (1.0, 0.8), (4.0, 0.1)):
            draws = min(horizon * times, population / 2)
            draws = draws * (population - 1) / (population - draws)
            turn = np.sqrt((log(1 / error) - log(weight)) / (2 * draws))
            share = np.sin(min(np.arcsin(np.sqrt(top / population)) + turn, np.pi / 2)) ** 2
            won += weight * likelihood(max(top, round(float(share * population))))
        if likelihood(total) > 0 and won < likelihood(total) / error:
            return total
    return population


@pytest.mark.parametrize(("population", "horizon"), [(17, 5.0), (300, 40.0), (1000, HORIZON)])
def test_bounds_are_those_of_likelihoods_in_whole_numbers(population: int, horizon: float) -> None:
    for drawn, part, error in product((1, 7, 15), (0.0, 0.3, 0.8, 1.0), (0.025, 0.2)):
        right = round(part * drawn)
        low, high = anytime_sides(right, drawn, population, error, error, horizon=horizon)
        assert int(low) == lowest_kept(right, drawn, population, error, horizon)
        assert population - int(high) == lowest_kept(drawn - right, drawn, population, error, horizon)


def test_each_side_has_an_error_of_its_own_and_none_means_certain() -> None:
    low, high = anytime_sides(30, 40, 500, 0.05, 0.0)
    assert int(high) == 490
    assert int(low) == int(anytime_bounds(30, 40, 500, 0.1)[0])
    assert tuple(map(int, anytime_bounds(30, 40, 500, 0.0))) == (30, 490)
    assert tuple(map(int, anytime_bounds(3, 10, 10, 0.05))) == (3, 3)
    assert tuple(map(int, anytime_bounds(0, 0, 10, 0.05))) == (0, 10)
    for right in range(200, 800, 37):  # one item is left, in cells of several candidates
        assert tuple(map(int, anytime_bounds(right, 999, 1000, 0.05))) == (right, right + 1)


def test_questions_are_answered_one_by_one_whatever_stands_beside_them() -> None:
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 90, 40)
    right, population = rng.binomial(drawn, 0.7), drawn + rng.integers(0, 10**6, 40)
    together = anytime_bounds(right, drawn, population, 0.05)
    for i in range(0, 40, 7):
        alone = anytime_bounds(int(right[i]), int(drawn[i]), int(population[i]), 0.05)
        assert (int(together[0][i]), int(together[1][i])) == (int(alone[0]), int(alone[1]))
    assert ((together[0] >= right) & (together[1] <= population - drawn + right)).all()


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
def test_bounds_are_narrower_than_the_prior_posterior_ratio(share: float) -> None:
    """What docs/stopping.md says: from 50 to 300 draws of 5,000."""
    totals = np.arange(5001)
    for drawn in (50, 100, 200, 300):
        right = round(share * drawn)
        low, high = anytime_bounds(right, drawn, 5000, 0.05)
        fits = hypergeom.logpmf(right, 5000, totals, drawn)
        kept = np.flatnonzero(fits > log(0.05) + betabinom.logpmf(right, drawn, 1, 1))
        assert 0.79 < (high - low) / (kept[-1] - kept[0]) < 0.98
        fixed = hypergeometric_bounds(right, drawn, 5000, 0.05)
        assert high - low > fixed[1] - fixed[0]
