"""Counts in, bounds out: intervals for a share, as pure functions of what was counted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
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
    fewest = _fewest(right, drawn, population, error)
    # Exchanging right and wrong turns the upper tail into the lower one.
    most = population - _fewest(drawn - right, drawn, population, error)
    return fewest, most


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


def symmetrise(share: FloatArray, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Interval around the raw share with the larger of the two half-widths on both sides, cut to [0, 1]."""
    half = np.maximum(share - lower, upper - share)
    return np.clip(share - half, 0, 1), np.clip(share + half, 0, 1)
