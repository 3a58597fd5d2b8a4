"""Counts in, bounds out: intervals for a share, as pure functions of what was counted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import rel_entr
from scipy.stats import binomtest, hypergeom

from thumbwise._typing import FloatArray, IntArray


def hypergeometric_bounds(
    right: npt.ArrayLike, drawn: npt.ArrayLike, population: npt.ArrayLike, error: npt.ArrayLike
) -> tuple[IntArray, IntArray]:
    """Exact bounds on how many of a population are right, from a random sample of it without replacement.

    With K right ones in the population, the number ``right`` among ``drawn`` is hypergeometric(population, K, drawn).
    Both tails are inverted at ``error / 2``: the bounds are the smallest K with P(X >= right) > error / 2 and the
    largest with P(X <= right) > error / 2.

    *Guarantee*: K lies within the bounds with probability at least ``1 - error``, for every K and all sizes.

    Parameters
    ----------
    right, drawn, population : array-like of int
        ``0 <= right <= drawn <= population``, elementwise.
    error : array-like of float
        Allowed probability of a miss; 0 gives the bounds that hold for certain.

    Examples
    --------
    >>> fewest, most = hypergeometric_bounds(right=9, drawn=10, population=100, error=0.05)
    >>> int(fewest), int(most)
    (58, 99)
    """
    right, drawn, population, error = np.broadcast_arrays(right, drawn, population, np.asarray(error, dtype=float))
    # Many moments share their counts: a thousand classes that gold never shows are one question.
    questions = np.stack([part.ravel().astype(float) for part in (right, drawn, population, error)])
    distinct, place = np.unique(questions, axis=1, return_inverse=True)
    r, d, n = distinct[:3].astype(np.int64)
    fewest = _fewest(r, d, n, distinct[3])
    # Exchanging right and wrong turns the upper tail into the lower one.
    most = n - _fewest(d - r, d, n, distinct[3])
    place = place.reshape(right.shape)
    return fewest[place], most[place]


def _fewest(right: IntArray, drawn: IntArray, population: IntArray, error: FloatArray) -> IntArray:
    """Smallest K with P(X >= right) > error / 2, by bisection: that probability grows with K."""
    # At `low` the sample would be impossible or too unlikely, at `high` it is likely enough.
    low = np.array(right, dtype=np.int64) - 1
    high = np.array(population - (drawn - right), dtype=np.int64)
    while (high - low > 1).any():
        middle = (low + high) // 2
        with np.errstate(all="ignore"):
            tail = hypergeom.sf(right - 1, population, np.maximum(middle, 0), drawn)
        likely = (tail > error / 2) & (middle >= right)
        high = np.where(likely & (high - low > 1), middle, high)
        low = np.where(~likely & (high - low > 1), middle, low)
    return high


def wilson_bounds(right: IntArray, drawn: IntArray, error: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Wilson score interval of each share; [0, 1] where nothing was drawn or no error is allowed.

    *Guarantee*: none. Coverage is approximate, per share, and for the probability behind the sample, not for the share
    realised on the items to be labeled.
    """
    bounds = [
        binomtest(int(c), int(n)).proportion_ci(1 - e, method="wilson") if n > 0 and e > 0 else (0.0, 1.0)
        for c, n, e in zip(right, drawn, error, strict=True)
    ]
    lower, upper = np.array(bounds, dtype=float).reshape(-1, 2).T
    return lower, upper


def betting_bounds(values: FloatArray, largest: float, error: float) -> tuple[float, float]:
    """Bounds on the mean of independent values in [0, largest], by betting against each candidate mean.

    Whoever bets a share of their money that the values lie above a candidate mean, in proportion to each value minus
    the candidate, cannot expect to win if the candidate is the mean; so, by Ville's inequality, money that grows to
    2 / error refutes it with at most error / 2 chance of being wrong. Bets use only the values already seen
    (Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, 2024).

    *Guarantee*: the mean lies within the bounds with probability at least ``1 - error``, if the values are drawn
    independently (or without replacement) with that mean.
    """
    x = values / largest
    low = _largest_refuted(x, error / 2)
    high = 1 - _largest_refuted(1 - x, error / 2)
    return low * largest, high * largest


def _largest_refuted(x: FloatArray, error: float) -> float:
    """Largest candidate mean that betting on larger values refutes; the money falls as the candidate grows."""
    n = len(x)
    seen = np.arange(1, n + 1)
    means = (0.5 + np.cumsum(x)) / (seen + 1)
    spread = (0.25 + np.cumsum((x - means) ** 2)) / (seen + 1)
    before = np.concatenate([[0.25], spread[:-1]])
    stakes = np.sqrt(2 * np.log(1 / error) / (n * before))
    low, high = 0.0, 1.0
    for _ in range(60):
        candidate = (low + high) / 2
        bets = np.minimum(stakes, 0.75 / max(candidate, 1e-12))
        money = np.cumsum(np.log1p(bets * (x - candidate)))
        low, high = (candidate, high) if money.max(initial=-np.inf) >= np.log(1 / error) else (low, candidate)
    return low


def realised_rate_bounds(right: int, drawn: int, at_least: int, error: float) -> tuple[float, float]:
    """Bounds on the share realised on at least so many further items, from ``right`` of ``drawn`` of the same kind.

    Clopper and Pearson's interval for the chance behind both, with half of the error; then, with the other half, how
    far a share of ``at_least`` or more items can stray from its chance: exp(-n * KL(share, chance)) bounds that
    probability, and falls with n.

    *Guarantee*: with probability at least ``1 - error``, if all items are drawn independently with one chance.
    """
    if drawn == 0 or at_least == 0:
        return 0.0, 1.0
    chance = binomtest(right, drawn).proportion_ci(1 - error / 2, method="exact")
    room = np.log(4 / error) / at_least
    return 1 - _stray(1 - chance.low, room), _stray(chance.high, room)


def _stray(chance: float, room: float) -> float:
    """Largest share with KL(share, chance) <= room."""
    low, high = chance, 1.0
    for _ in range(60):
        share = (low + high) / 2
        far = rel_entr(share, chance) + rel_entr(1 - share, 1 - chance)
        low, high = (low, share) if far > room else (share, high)
    return float(high)


def symmetrise(share: FloatArray, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Interval around the raw share with the larger of the two half-widths on both sides, cut to [0, 1]."""
    half = np.maximum(share - lower, upper - share)
    return np.clip(share - half, 0, 1), np.clip(share + half, 0, 1)
