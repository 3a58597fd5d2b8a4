"""Intervals from counts: exactness by enumeration, and the textbook formula for Wilson's."""

from __future__ import annotations

from math import comb, sqrt

import numpy as np
import pytest
from scipy.stats import beta

from thumbwise.numerics.intervals import hypergeometric_bounds, symmetrise, wilson_bounds


def tail(right: int, drawn: int, population: int, good: int) -> float:
    """P(X >= right) with integers, from binomial coefficients."""
    ways = sum(comb(good, x) * comb(population - good, drawn - x) for x in range(right, drawn + 1))
    return ways / comb(population, drawn)


@pytest.mark.parametrize("error", [0.001, 0.05, 0.2, 0.9])
@pytest.mark.parametrize(("drawn", "population"), [(1, 1), (1, 5), (4, 5), (5, 5), (7, 20), (20, 23), (12, 60)])
def test_bounds_are_the_inverted_tails(drawn: int, population: int, error: float) -> None:
    """By enumeration of every possible number of right ones. Kills: >= for > in a tail, error in place of error / 2."""
    for right in range(drawn + 1):
        wrong = drawn - right
        fewest, most = hypergeometric_bounds(right, drawn, population, error)
        likely = [
            good
            for good in range(right, population - wrong + 1)
            if tail(right, drawn, population, good) > error / 2
            and tail(wrong, drawn, population, population - good) > error / 2
        ]
        assert (int(fewest), int(most)) == (likely[0], likely[-1])


@pytest.mark.parametrize("error", [0.01, 0.05, 0.3])
@pytest.mark.parametrize(("drawn", "population"), [(3, 10), (10, 30), (25, 40)])
def test_coverage_is_at_least_the_level_for_every_truth(drawn: int, population: int, error: float) -> None:
    for good in range(population + 1):
        covered = 0.0
        for right in range(max(0, drawn - population + good), min(drawn, good) + 1):
            fewest, most = hypergeometric_bounds(right, drawn, population, error)
            chance = comb(good, right) * comb(population - good, drawn - right) / comb(population, drawn)
            covered += chance * bool(fewest <= good <= most)
        assert covered >= 1 - error - 1e-12


def test_everything_drawn_leaves_no_doubt() -> None:
    fewest, most = hypergeometric_bounds([3, 0, 9], [9, 9, 9], [9, 9, 9], 0.05)
    np.testing.assert_array_equal(fewest, [3, 0, 9])
    np.testing.assert_array_equal(most, [3, 0, 9])


def test_no_allowed_error_leaves_what_is_certain() -> None:
    fewest, most = hypergeometric_bounds([3, 0], [9, 0], [100, 100], [0.0, 0.05])
    np.testing.assert_array_equal(fewest, [3, 0])
    np.testing.assert_array_equal(most, [94, 100])


@pytest.mark.parametrize("population", [10**6, 10**9])
def test_a_huge_population_is_binomial(population: int) -> None:
    """The limit is Clopper and Pearson's interval, from beta quantiles."""
    right, drawn, error = np.array([0, 3, 50, 97, 100]), 100, 0.05
    fewest, most = hypergeometric_bounds(right, drawn, population, error)
    low = np.asarray(beta.ppf(error / 2, right, drawn - right + 1))
    high = np.asarray(beta.ppf(1 - error / 2, right + 1, drawn - right))
    np.testing.assert_allclose(fewest[1:] / population, low[1:], atol=1e-3)
    np.testing.assert_allclose(most[:-1] / population, high[:-1], atol=1e-3)


def test_wilson_is_the_textbook_formula() -> None:
    z, right, drawn = 1.959963984540054, np.array([0, 7, 50]), np.array([10, 20, 50])
    lower, upper = wilson_bounds(right, drawn, np.full(3, 0.05))
    for c, n, low, high in zip(right, drawn, lower, upper, strict=True):
        centre = (c / n + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * sqrt(c / n * (1 - c / n) / n + z * z / (4 * n * n))
        assert low == pytest.approx(max(0, centre - half), abs=1e-12)
        assert high == pytest.approx(min(1, centre + half), abs=1e-12)


def test_wilson_knows_nothing_without_a_draw() -> None:
    lower, upper = wilson_bounds(np.array([0]), np.array([0]), np.array([0.05]))
    assert (lower[0], upper[0]) == (0, 1)


def test_symmetric_intervals_take_the_larger_half_width() -> None:
    lower, upper = symmetrise(np.array([0.5, 0.95]), np.array([0.4, 0.8]), np.array([0.7, 0.99]))
    np.testing.assert_allclose(lower, [0.3, 0.8])
    np.testing.assert_allclose(upper, [0.7, 1.0])
