"""An upper bound on the mean of bounded numbers, from some of them drawn at random without replacement."""

from __future__ import annotations

import numpy as np

from thumbwise._typing import FloatArray

# Largest share of the capital that a single bet may lose.
_RISK = 0.9


def betting_upper_bound(values: FloatArray, population: int, error: float) -> float:
    """Upper confidence bound on the mean of a finite population of numbers in [0, 1].

    For a supposed mean m, somebody starts with capital 1 and bets, before each value is drawn, that it falls below the
    mean of what is left, m_t = (population * m - sum of the values before t) / (population - t + 1):

        capital_t = capital_{t-1} * (1 + bet_t * (m_t - value_t)).

    If m is the mean, the capital is a non-negative martingale and reaches 1 / error with probability at most ``error``
    (Ville's inequality). Each factor grows with m, so all means above the smallest one at which the capital gets there
    are excluded. The bets are the predictable plug-in of Waudby-Smith and Ramdas (2024), sqrt(2 log(1 / error) /
    (n * variance so far)), held low enough that no bet loses more than 90 %.

    *Guarantee*: the mean is at most the bound with probability at least ``1 - error``, if the values are in the order
    of a uniformly random draw without replacement. The bets use the number of values, which is fixed beforehand.
    """
    bets = _plug_in_bets(values, error)
    low, high = 0.0, (values.sum() + population - len(values)) / population  # for certain
    if _largest_capital(high, values, bets, population) < 1 / error:
        return float(high)
    while high - low > 1e-6:
        middle = (low + high) / 2
        if _largest_capital(middle, values, bets, population) >= 1 / error:
            high = middle
        else:
            low = middle
    return float(high)


def _plug_in_bets(values: FloatArray, error: float) -> FloatArray:
    """A bet before each value, from the values before it."""
    times = np.arange(1, len(values) + 1)
    means = (0.5 + np.cumsum(values)) / (times + 1)
    variances = (0.25 + np.cumsum((values - means) ** 2)) / (times + 1)
    before = np.concatenate([[0.25], variances[:-1]])
    return np.asarray(np.sqrt(2 * np.log(1 / error) / (len(values) * before)))


def _largest_capital(mean: float, values: FloatArray, bets: FloatArray, population: int) -> float:
    before = np.concatenate([[0.0], np.cumsum(values)[:-1]])
    left = population - np.arange(len(values))
    expected = np.clip((population * mean - before) / left, 0, 1)
    most = _RISK / np.maximum(1 - expected, 1e-12)
    factors = 1 + np.minimum(bets, most) * (expected - values)
    return float(np.exp(np.cumsum(np.log(factors)).max()))
