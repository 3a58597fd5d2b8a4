"""Bounds on a rate in a group of unknown size: coverage by enumeration, whatever the size.

Kills, tried once: plain Clopper-Pearson where one is right, which misses too often without replacement.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, hypergeom

from thumbwise.numerics.intervals import rate_bounds


@pytest.mark.parametrize("error", [0.9, 0.2, 0.05, 0.001])
@pytest.mark.parametrize("drawn", [1, 2, 3, 7, 20])
def test_each_side_misses_no_more_often_than_allowed(drawn: int, error: float) -> None:
    counts = np.arange(drawn + 1)
    lower, upper = rate_bounds(counts, drawn, error)
    for population in [*range(drawn, 3 * drawn + 30), 500]:
        right = np.arange(population + 1)
        chances = hypergeom.pmf(counts[:, None], population, right, drawn)
        share = right / population
        below = (chances * (share < lower[:, None] - 1e-12)).sum(axis=0)
        above = (chances * (share > upper[:, None] + 1e-12)).sum(axis=0)
        assert below.max() <= error / 2 + 1e-12
        assert above.max() <= error / 2 + 1e-12


def test_it_is_that_of_clopper_and_pearson_but_for_a_single_one() -> None:
    for drawn in (2, 10, 55):
        lower, upper = rate_bounds(np.arange(drawn + 1), drawn, 0.03)
        for right in range(drawn + 1):
            low, high = binomtest(right, drawn).proportion_ci(0.97, method="exact")
            assert lower[right] == pytest.approx(0.015 / drawn if right == 1 else low, abs=1e-12)
            assert upper[right] == pytest.approx(1 - 0.015 / drawn if right == drawn - 1 else high, abs=1e-12)


def test_nothing_drawn_or_no_error_says_nothing() -> None:
    lower, upper = rate_bounds([0, 3], [0, 5], [0.05, 0.0])
    assert lower.tolist() == [0, 0]
    assert upper.tolist() == [1, 1]
