"""Tails of the hypergeometric distribution in logarithms: accurate however far out, for populations beyond 10^9."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from thumbwise._typing import FloatArray, IntArray

# Every logarithm that is compared is off by less; `fewest_right` steps outward by as much.
ROUNDING = 1e-9

# The longest step in logarithms of K.
_LONGEST = 40.0
_HALF_LOG_TAU = 0.5 * np.log(2 * np.pi)
# The rests of Stirling's formula below 64, where its series is not good enough.
_BELOW = np.arange(1.0, 64.0)
_SMALL_RESTS = np.concatenate([[0.0], gammaln(_BELOW + 1) - _BELOW * (np.log(_BELOW) - 1)])
# artanh(v) / v = 1 + v^2 / 3 + v^4 / 5 + ...; without the 1, the highest power first.
_ARTANH = 1 / np.arange(17.0, 2.0, -2.0)


def fewest_right(right: IntArray, drawn: IntArray, population: IntArray, error: FloatArray) -> IntArray:
    """Smallest K with P(X >= right) > error, where X is hypergeometric(population, K, drawn) and 0 < error <= 1/2.

    The logarithm of the probability grows with that of K ever more slowly, so Newton's steps in logarithms never pass K
    from below, and from above land below it. They begin where comb(drawn, right) (K / population)^right, which is at
    least the probability, is ``error``; halving now and then keeps them short in number whatever happens. A
    probability that rounding cannot tell from ``error`` counts as larger, which can only make K smaller.
    """
    # At `low` the sample would be impossible or too unlikely, at `high` it is likely enough.
    low, high = right - 1, population - (drawn - right)
    goal, place = np.log(error) - ROUNDING, _too_few(right, drawn, population, error)
    n_steps = 0
    while len(still := np.flatnonzero(high - low > 1)):
        n_steps += 1
        middle = low[still] + (high[still] - low[still]) // 2
        there = middle if n_steps % 8 == 0 else np.clip(place[still], low[still] + 1, high[still] - 1)
        tail, growth = _log_tail_and_growth(right[still], drawn[still], population[still], there)
        is_likely = tail > goal[still]
        high[still[is_likely]] = there[is_likely]
        low[still[~is_likely]] = there[~is_likely]
        by = np.clip((goal[still] - tail) / (growth * np.maximum(there, 1)), -2.0, _LONGEST)
        target = np.minimum(there * np.exp(by), population[still])
        place[still] = np.where(is_likely, np.floor(target), np.ceil(target)).astype(np.int64)
    return high


def _too_few(right: IntArray, drawn: IntArray, population: IntArray, error: FloatArray) -> IntArray:
    """A number of right ones with which so many in the sample are too unlikely, or nearly; 0 if none was right."""
    ways = gammaln(drawn + 1.0) - gammaln(right + 1.0) - gammaln(drawn - right + 1.0)
    share = np.exp((np.log(error) - ways) / np.maximum(right, 1))
    return np.where(right == 0, 0, np.floor(population * np.minimum(share, 1.0))).astype(np.int64)


def log_tail(right: IntArray, drawn: IntArray, population: IntArray, total: IntArray) -> FloatArray:
    """Logarithm of P(X >= right), for ``total`` of at least ``right``; 0 where it is at least 1/2."""
    return _log_tail_and_growth(right, drawn, population, total)[0]


def _log_tail_and_growth(
    right: IntArray, drawn: IntArray, population: IntArray, total: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Logarithm of P(X >= right), and by how much it grows from one more right one in the population.

    Up to the mean, rounded down, the probability is at least 1/2, as for every sum of independent yes-or-no variables,
    of which the hypergeometric distribution is one; there 0 is returned. Beyond the mean the terms fall.

    One more right item counts if it is drawn together with ``right - 1`` of the others, which has the probability
    comb(K, right - 1) comb(N - 1 - K, drawn - right) / comb(N, drawn), a simple multiple of P(X = right).
    """
    tail, growth = np.zeros(len(right)), np.zeros(len(right))
    is_far = _distance(right, drawn, population, total) > 0
    r, d, n, k = (a[is_far] for a in (right, drawn, population, total))
    sums = _tail_over_first_term(r, d, n, k)
    tail[is_far] = log_chance(r, d, n, k) + np.log(sums)
    growth[is_far] = np.log1p(r / (k - r + 1) * (n - k - d + r) / np.maximum(n - k, 1) / sums)
    return tail, np.maximum(growth, 1e-300)


def _tail_over_first_term(right: IntArray, drawn: IntArray, population: IntArray, total: IntArray) -> FloatArray:
    """P(X >= right) / P(X = right), for ``right`` above the mean: 1 + q1 + q1 q2 + ..., with ratios q that fall.

    Summed until what is left, at most the last term over 1 - q, is far below what is allowed for rounding.
    """
    sums, terms = np.ones(len(right)), np.ones(len(right))
    first, width = 0, 32
    left = np.arange(len(right))
    while len(left):
        x = right[left, None] + np.arange(first, first + width, dtype=float)
        d, n, k = (a[left, None].astype(float) for a in (drawn, population, total))
        ratios = np.maximum((k - x) * (d - x), 0) / ((x + 1) * (n - k - d + x + 1))
        products = terms[left, None] * np.cumprod(ratios, axis=1)
        terms[left] = products[:, -1]
        rest = products[:, -1] / np.maximum(1 - ratios[:, -1], 1e-15)
        is_done = rest <= 1e-13 * (sums[left] + products.sum(axis=1))
        sums[left] += products.sum(axis=1)
        left = left[~is_done]
        first, width = first + width, max(32, min(2 * width, 2**20 // max(1, len(left))))
    return sums


def log_chance(right: IntArray, drawn: IntArray, population: IntArray, total: IntArray) -> FloatArray:
    """Logarithm of P(X = right), where X of the ``drawn`` are among the ``total`` right ones; -inf if impossible.

    The chance is a ratio of factorials of the margins and the cells of a table of two by two. With m! = m^m e^-m times
    a slowly varying rest (Stirling), the large parts are the deviances of the four cells from their expected values
    (Loader, Fast and accurate computation of binomial probabilities, 2000), and nothing large cancels.
    """
    margins = np.stack([population, total, population - total, drawn, population - drawn])
    cells = np.stack([right, total - right, drawn - right, population - total - drawn + right])
    there, off = np.maximum(cells, 0), _distance(right, drawn, population, total)
    of_population, *rests = _stirling_rest(np.concatenate([margins, there]))
    rest = sum(rests[:4], -of_population) - sum(rests[4:])
    expected = margins[[1, 1, 2, 2]].astype(float) * margins[[3, 4, 3, 4]] / population
    fit = _deviance(there, expected, np.stack([off, -off, -off, off])).sum(axis=0)
    return np.where(cells.min(axis=0) < 0, -np.inf, rest - fit)


def _distance(right: IntArray, drawn: IntArray, population: IntArray, total: IntArray) -> FloatArray:
    """``right`` minus its expected value total * drawn / population."""
    return np.asarray((right.astype(float) * population - total.astype(float) * drawn) / population)


def _stirling_rest(m: IntArray) -> FloatArray:
    """What log m! is above m log m - m, for m >= 0."""
    x = np.maximum(m, 1).astype(float)
    series = _HALF_LOG_TAU + 0.5 * np.log(x) + (1 / 12 - (1 / 360 - 1 / (1260 * x**2)) / x**2) / x
    return np.asarray(np.where(m < len(_SMALL_RESTS), _SMALL_RESTS[np.minimum(m, len(_SMALL_RESTS) - 1)], series))


def _deviance(cell: IntArray, expected: FloatArray, away: FloatArray) -> FloatArray:
    """A cell's part, cell * log(cell / expected) - away with away = cell - expected; by a series if they are close."""
    with np.errstate(divide="ignore", invalid="ignore"):
        direct = np.where(cell == 0, expected, cell * np.log(cell / expected) - away)
        v = np.where(cell + expected > 0, away / (cell + expected), 0.0)
    is_close = (np.abs(v) < 0.1) & (cell > 0)
    v = np.where(is_close, v, 0.0)
    # log(cell / expected) = 2 artanh(v), and away = v * (cell + expected)
    series = away * v + 2 * cell * v * (v * v * np.polyval(_ARTANH, v * v))
    return np.where(is_close, series, direct)
