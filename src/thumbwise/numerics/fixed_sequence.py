"""Fixed sequences of exact tests: how far one may go along a ladder of sets before too many of a set are wrong.

A ladder is a sequence of sets of items, fixed before the labels are seen that test it. Each set has a number of wrong
ones, and the hypothesis that they are too many. The sets are tested in order, each at the whole error, until one test
fails; what was passed before is claimed.

*Proof* that all claims hold together with probability at least ``1 - error``, however many sets there are: a false
claim is made only if the test of the *first* set of the sequence that has too many wrong ones is passed. Which set that
is does not depend on the draw, and its test is passed with probability at most ``error``. (Maurer, Hothorn and
Lehmacher 1995; for risks of predictions Angelopoulos, Bates, Candes, Jordan and Lei, Learn then Test, 2021.)

The test of a set may use how many items were drawn from it, which is random: given that number, these are a random
sample of the set, and a bound of ``error`` for each number is one for all of them. What a hypothesis says, where the
sequence starts and which sets it has may not use it. That is why wrong ones that gold shows are not taken off what may
be wrong in a set: then it would be the draw that decides which set is the first with too many.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.hypergeometric import ROUNDING, log_tail
from thumbwise.numerics.intervals import rate_bounds

BoolArray = npt.NDArray[np.bool_]


def few_wrong(
    wrong: npt.ArrayLike, drawn: npt.ArrayLike, size: npt.ArrayLike, allowed: npt.ArrayLike, error: float
) -> BoolArray:
    """Whether a random sample shows that at most so many of a set are wrong.

    With W wrong ones among ``size``, those among ``drawn`` are hypergeometric. The test is passed if P(X <= wrong) is
    at most ``error`` for W = ``allowed`` + 1, and so for every larger W.

    *Guarantee*: where more than ``allowed`` are wrong, it is passed with probability at most ``error``, for every
    number that is drawn.

    Examples
    --------
    >>> few_wrong([0, 0, 1], [58, 59, 59], 10**6, 50_000, 0.05).tolist()
    [False, True, False]
    """
    given = np.broadcast_arrays(wrong, drawn, size, allowed)
    w, d, n, a = (part.astype(np.int64).ravel() for part in given)
    right_if_false = n - a - 1
    passes = right_if_false < d - w  # more right ones were drawn than there would be
    is_open = ~passes
    r, d, n, k = (part[is_open] for part in (d - w, d, n, right_if_false))
    passes[is_open] = log_tail(r, d, n, k) <= np.log(min(error, 0.5)) - ROUNDING
    return passes.reshape(given[0].shape)


def seldom_missed(missed: npt.ArrayLike, drawn: npt.ArrayLike, share: npt.ArrayLike, error: float) -> BoolArray:
    """Whether a random sample of a group of unknown size shows that at most this share of it is missed.

    The upper bound of :func:`thumbwise.numerics.intervals.rate_bounds` is compared, at ``error`` on its side.

    *Guarantee*: where a larger share is missed, it is passed with probability at most ``error``, for a group of every
    size; an error above 1/4 counts as 1/4.

    Examples
    --------
    >>> seldom_missed([0, 0], [58, 59], 0.05, 0.05).tolist()
    [False, True]
    """
    return np.asarray(rate_bounds(missed, drawn, 2 * error)[1] <= np.asarray(share))


def passed_in_order(passes: BoolArray, start: int) -> BoolArray:
    """Which sets are claimed: those from ``start`` on, up to the first that fails.

    Examples
    --------
    >>> passed_in_order(np.array([False, True, True, False, True]), 1).tolist()
    [False, True, True, False, False]
    """
    claimed = np.zeros(len(passes), dtype=bool)
    claimed[start:] = np.logical_and.accumulate(passes[start:])
    return claimed


def most_passing(drawn: IntArray, size: IntArray, allowed: IntArray, error: float) -> IntArray:
    """With how many wrong ones drawn the test of each set is still passed; -1 where it never is.

    The more are wrong, the harder it is: halving finds the number.

    Examples
    --------
    >>> most_passing(np.array([28, 29, 46, 61]), np.full(4, 10**6), np.full(4, 10**5), 0.05).tolist()
    [-1, 0, 1, 2]
    """
    low, high = np.full(len(drawn), -1), np.array(drawn, dtype=np.int64)
    while len(still := np.flatnonzero(low < high)):
        middle = (low[still] + high[still] + 1) // 2
        passes = few_wrong(middle, drawn[still], size[still], allowed[still], error)
        low[still] = np.where(passes, middle, low[still])
        high[still] = np.where(passes, high[still], middle - 1)
    return low


def most_promising(passing: IntArray, drawn: IntArray, size: IntArray, wrong_rate: FloatArray) -> int:
    """The set whose size times the chance to pass its test is largest, if so large a share of it is wrong.

    The chance is binomial: what this decides is a matter of power, and no guarantee rests on it.
    """
    return int(np.argmax(size * binom.cdf(passing, drawn, np.clip(wrong_rate, 0, 1))))


def fewest_labels(share: float, error: float) -> int:
    """How many labels, all of them right, show that this share of a large set is right.

    Examples
    --------
    >>> fewest_labels(0.95, 0.05), fewest_labels(0.9, 0.05)
    (59, 29)
    """
    return int(np.ceil(np.log(error) / np.log(share) - 1e-9))
