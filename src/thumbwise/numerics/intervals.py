"""Counts in, bounds out: intervals for a share, as pure functions of what was counted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.stats import beta, binomtest

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.hypergeometric import fewest_right
from thumbwise.numerics.stratified_totals import GroupCounts, fewest_in_groups

# Of the error of a sum over groups, what goes into bounds on each group alone, which the rest then relies on.
_FOR_SINGLE_GROUPS = 0.1
# Up to this error on a side the binomial tails below are never lighter than hypergeometric ones.
_MOST_IN_A_TAIL = 0.25


def hypergeometric_bounds(
    right: npt.ArrayLike, drawn: npt.ArrayLike, population: npt.ArrayLike, error: npt.ArrayLike
) -> tuple[IntArray, IntArray]:
    """Exact bounds on how many of a population are right, from a random sample of it without replacement.

    With K right ones in the population, the number ``right`` among ``drawn`` is hypergeometric(population, K, drawn).
    Both tails are inverted at ``error / 2``: the bounds are the smallest K with P(X >= right) > error / 2 and the
    largest with P(X <= right) > error / 2. A tail within one part in 10^9 of ``error / 2`` counts as larger, which
    makes up for rounding, at any size and however small the error.

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
    half = np.asarray(error, dtype=float) / 2
    return hypergeometric_sides(right, drawn, population, half, half)


def hypergeometric_sides(
    right: npt.ArrayLike, drawn: npt.ArrayLike, population: npt.ArrayLike, below: npt.ArrayLike, above: npt.ArrayLike
) -> tuple[IntArray, IntArray]:
    """The same with an error of its own for each side: that of a lower bound that is too high, and of an upper one.

    *Guarantee*: K lies below the lower bound with probability at most ``below``, above the upper one with probability
    at most ``above``.
    """
    right, drawn, population, below, above = np.broadcast_arrays(
        right, drawn, population, np.asarray(below, dtype=float), np.asarray(above, dtype=float)
    )
    # Many moments share their counts: a thousand classes that gold never shows are one question.
    questions = np.stack([part.ravel().astype(float) for part in (right, drawn, population, below, above)])
    distinct, place = np.unique(questions, axis=1, return_inverse=True)
    r, d, n = distinct[:3].astype(np.int64)
    # Exchanging right and wrong turns the upper tail into the lower one.
    sides = _fewest(np.concatenate([r, d - r]), np.tile(d, 2), np.tile(n, 2), distinct[3:].ravel())
    place = place.reshape(right.shape)
    return sides[: len(r)][place], (n - sides[len(r) :])[place]


def _fewest(right: IntArray, drawn: IntArray, population: IntArray, error: FloatArray) -> IntArray:
    """The lower bound; without an allowed error, what was seen."""
    fewest = right.copy()
    asked = error > 0
    fewest[asked] = fewest_right(right[asked], drawn[asked], population[asked], np.minimum(error[asked], 0.5))
    return fewest


def stratified_bounds(
    right: IntArray, drawn: IntArray, population: IntArray, error: FloatArray
) -> tuple[IntArray, IntArray]:
    """Bounds on how many are right in several groups together, from a random sample of each group.

    Where only one group leaves a doubt, its exact bounds are used, and the others add what is certain. Otherwise a
    tenth of the error goes into exact bounds on each group alone, split evenly, and the rest into bounds on the sum
    (:mod:`thumbwise.numerics.stratified_totals`) that hold wherever those of the groups do. What is used where follows
    from the numbers of items and of draws, not from labels.

    *Guarantee*: the sum lies within the bounds with probability at least ``1 - error``, if each group's sample is
    random, independently of the other groups'.

    Parameters
    ----------
    right, drawn, population : ndarray of int, (n_groups, n_questions)
    error : ndarray of float, (n_questions,)
        0 gives the bounds that hold for certain.

    Examples
    --------
    >>> fewest, most = stratified_bounds(np.array([[9], [5]]), np.array([[10], [10]]), np.array([[100], [50]]), 0.05)
    >>> int(fewest[0]), int(most[0])
    (68, 140)
    """
    error = np.broadcast_to(np.asarray(error, dtype=float), right.shape[1:])
    n_open = ((drawn > 0) & (drawn < population)).sum(axis=0)
    parts = np.where(n_open > 1, _FOR_SINGLE_GROUPS * error / np.maximum(n_open, 1), error)
    least, most = hypergeometric_bounds(right, drawn, population, parts)
    fewest, largest = least.sum(axis=0), most.sum(axis=0)
    several = np.flatnonzero((n_open > 1) & (error > 0))
    if len(several):
        counts = GroupCounts.of(*(part[:, several] for part in (right, drawn, population, least, most)))
        rest = (1 - _FOR_SINGLE_GROUPS) * error[several] / 2
        fewest[several] = fewest_in_groups(counts, rest)
        largest[several] = (counts.population.sum(axis=0) - fewest_in_groups(counts.mirrored(), rest)).astype(np.int64)
    return fewest, np.maximum(largest, fewest)


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


def realised_rate_bounds(
    right: npt.ArrayLike, drawn: int, sizes: tuple[int, int], error: float
) -> tuple[FloatArray, FloatArray]:
    """Bounds on the share of right ones among further items, of which there are between two numbers.

    With M further items, all in an order that could be any other, the ``drawn`` are a random part of M + drawn items:
    exact bounds on how many of those are right, less ``right``, over M. The bounds returned hold for every M between
    ``sizes``. As M grows by one, the fewest right ones grow by 0 or 1, so for M from a to b the share is at least the
    fewest at a over b, and at least 1 less the most wrong ones at b over a: it is enough to look at both ends of cells
    of values of M, one value each at first, then wider ones. The same for the wrong ones gives the upper bound.

    *Guarantee*: with probability at least ``1 - error``, for each number in ``right``, if all items are exchangeable,
    such as drawn independently from one source.
    """
    right = np.asarray(right)[..., None]
    if drawn == 0 or sizes[0] == 0:
        return np.zeros(right.shape[:-1]), np.ones(right.shape[:-1])
    first, last = _cells(*sizes)
    both = np.stack([first, last])
    fewest, most = hypergeometric_bounds(right[..., None, :], drawn, drawn + both, error)
    low = _least_share(fewest - right[..., None, :], first, last)
    low_wrong = _least_share(both - (most - right[..., None, :]), first, last)
    return low, np.maximum(low, 1 - low_wrong)


def _least_share(fewest: IntArray, first: IntArray, last: IntArray) -> FloatArray:
    """Over all cells, from the fewest at their ends (last axis but one)."""
    at_first, at_last = fewest[..., 0, :], fewest[..., 1, :]
    return np.asarray(np.maximum(at_first / last, 1 - (last - at_last) / first).min(axis=-1))


def _cells(fewest: int, most: int) -> tuple[IntArray, IntArray]:
    """First and last numbers of cells from ``fewest`` to ``most``, wider by a twenty-fifth of the way so far."""
    first = [fewest]
    while (new := first[-1] + max(1, (first[-1] - fewest) // 25)) <= most:
        first.append(new)
    return np.array(first), np.array([*(value - 1 for value in first[1:]), max(fewest, most)])


def rate_bounds(right: npt.ArrayLike, drawn: npt.ArrayLike, error: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Bounds on the share of right ones in a group of any, unknown, size, from a random part of it.

    Clopper-Pearson bounds at half of the error on each side; where one alone is right, the lower bound is half of the
    error over ``drawn``, a little less. *Proof* that they hold without replacement too: let K of M be right, p = K / M.
    The number X of right ones among d drawn is a sum of independent indicators (Vatutin and Mikhailov 1982), so that
    P(X >= r) is at most the binomial one if r - 1 >= d p (Hoeffding 1956). The Clopper-Pearson bound p of r >= 2 at an
    error of at most 1/4 is no larger than (r - 1) / d. And P(X >= 1) <= d p.

    *Guarantee*: the share lies within the bounds with probability at least ``1 - error``, for a group of every size, or
    for the probability behind independent draws.

    Parameters
    ----------
    right, drawn : array-like of int
        ``0 <= right <= drawn``, elementwise; [0, 1] where nothing was drawn.
    error : array-like of float
        0 gives [0, 1].

    Examples
    --------
    >>> lower, upper = rate_bounds([9, 1], 10, 0.05)
    >>> lower.round(4).tolist(), upper.round(4).tolist()
    ([0.555, 0.0025], [0.9975, 0.445])
    """
    right, drawn, error = np.broadcast_arrays(right, drawn, np.asarray(error, dtype=float))
    half = np.minimum(error / 2, _MOST_IN_A_TAIL)
    return _least_rate(right, drawn, half), 1 - _least_rate(drawn - right, drawn, half)


def _least_rate(right: IntArray, drawn: IntArray, error: FloatArray) -> FloatArray:
    lower = beta.ppf(error, np.maximum(right, 1), np.maximum(drawn - right, 0) + 1)
    lower = np.where(right == 1, error / np.maximum(drawn, 1), lower)
    return np.where((right == 0) | (error == 0), 0.0, lower)


def symmetrise(share: FloatArray, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Interval around the raw share with the larger of the two half-widths on both sides, cut to [0, 1]."""
    half = np.maximum(share - lower, upper - share)
    return np.clip(share - half, 0, 1), np.clip(share + half, 0, 1)
