"""Exact bounds at every size and however small the error, against whole-number arithmetic.

Kills, tried once: error in place of error / 2; a tail that starts at right + 1; the sum stopped after 32 terms; the
allowance for rounding inward; Stirling's rest without its 1 / (12 m).
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, lgamma, log

import numpy as np
import pytest

from thumbwise.numerics.hypergeometric import log_chance
from thumbwise.numerics.intervals import hypergeometric_bounds


def ways(right: int, drawn: int, population: int, good: int) -> int:
    """Samples with at least so many right ones: comb(good, x) * comb(population - good, drawn - x), added up."""
    term = total = comb(good, right) * comb(population - good, drawn - right)
    for x in range(right, min(drawn, good)):
        if term == 0:
            return total + ways(x + 1, drawn, population, good)
        term = term * (good - x) * (drawn - x) // ((x + 1) * (population - good - drawn + x + 1))
        total += term
    return total


def is_likely(right: int, drawn: int, population: int, good: int, error: float) -> bool:
    """P(X >= right) > error / 2, in whole numbers."""
    half = Fraction(error) / 2
    return ways(right, drawn, population, good) * half.denominator > comb(population, drawn) * half.numerator


def assert_exact(right: int, drawn: int, population: int, error: float, rounded: float = 0) -> None:
    """Both bounds are likely, if rounded at an error that is smaller by so much; the numbers just outside are not."""
    fewest, most = (int(bound) for bound in hypergeometric_bounds(right, drawn, population, error))
    wrong = drawn - right
    assert is_likely(right, drawn, population, fewest, error * (1 - rounded))
    assert fewest == right or not is_likely(right, drawn, population, fewest - 1, error)
    assert is_likely(wrong, drawn, population, population - most, error * (1 - rounded))
    assert most == population - wrong or not is_likely(wrong, drawn, population, population - most - 1, error)


@pytest.mark.parametrize("error", [1e-300, 1e-40, 1e-9, 0.0007, 0.05, 0.7, 0.99])
def test_small_populations_by_enumeration(error: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        population = int(rng.integers(1, 300))
        drawn = int(rng.integers(0, population + 1))
        assert_exact(int(rng.integers(0, drawn + 1)), drawn, population, error)


@pytest.mark.parametrize("error", [5e-323, 1e-300, 1e-100, 1e-12, 0.01])
@pytest.mark.parametrize("population", [10**6, 10**9])
@pytest.mark.parametrize(("right", "drawn"), [(400, 800), (0, 50), (50, 50), (3, 120), (117, 120)])
def test_large_populations_in_whole_numbers(right: int, drawn: int, population: int, error: float) -> None:
    assert_exact(right, drawn, population, error)


@pytest.mark.parametrize("error", [1e-100, 0.01])
def test_beyond_what_rounding_can_tell_bounds_are_a_little_wider(error: float) -> None:
    assert_exact(90, 120, 10**13, error, rounded=2e-9)


@pytest.mark.parametrize("population", [1, 10, 800, 10**6, 10**9, 10**12])
def test_without_an_allowed_error_the_bounds_are_certain(population: int) -> None:
    drawn = min(population, 800)
    for right in (0, drawn // 2, drawn):
        fewest, most = hypergeometric_bounds(right, drawn, population, 0.0)
        assert (int(fewest), int(most)) == (right, population - (drawn - right))


def log_tail(right: int, drawn: int, population: int, good: int) -> float:
    """From log-gamma functions, which are good to five digits here."""

    def choose(n: int, k: int) -> float:
        return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)

    terms = [choose(good, x) + choose(population - good, drawn - x) for x in range(right, right + 60_000)]
    return float(np.logaddexp.reduce(terms)) - choose(population, drawn)


@pytest.mark.parametrize(("drawn", "population"), [(10**6, 10**9), (4 * 10**8, 10**9)])
def test_large_samples_of_large_populations(drawn: int, population: int) -> None:
    right, error = 3 * drawn // 4, 1e-6
    fewest = int(hypergeometric_bounds(right, drawn, population, error)[0])
    # A ten-thousandth of the way to the estimate changes the tail by more than log-gamma functions are off.
    step = (3 * population // 4 - fewest) // 1000
    assert log_tail(right, drawn, population, fewest - step) < log(error / 2)
    assert log_tail(right, drawn, population, fewest + step) > log(error / 2)


def test_the_chance_of_each_count_is_that_of_whole_numbers() -> None:
    rng = np.random.default_rng(6)
    for _ in range(200):
        population = int(rng.integers(1, 3000))
        total, drawn = (int(rng.integers(0, population + 1)) for _ in range(2))
        right = int(rng.integers(max(0, drawn + total - population), min(drawn, total) + 1))
        exact = log(comb(total, right)) + log(comb(population - total, drawn - right)) - log(comb(population, drawn))
        value = log_chance(*(np.array([part]) for part in (right, drawn, population, total)))[0]
        assert value == pytest.approx(exact, rel=1e-11, abs=1e-11)


def test_questions_are_answered_each_on_its_own() -> None:
    """Thousands at once are those one by one."""
    rng = np.random.default_rng(7)
    drawn = rng.integers(1, 200, size=40)
    right, population = rng.binomial(drawn, 0.8), drawn + rng.integers(0, 10**7, size=40)
    error = rng.choice([0.0, 1e-200, 0.001, 0.3], size=40)
    together = hypergeometric_bounds(right, drawn, population, error)
    alone = [hypergeometric_bounds(*question) for question in zip(right, drawn, population, error, strict=True)]
    np.testing.assert_array_equal(together, np.array(alone).T)
