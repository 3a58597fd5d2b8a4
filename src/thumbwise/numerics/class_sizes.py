"""How many items are of a class, from gold drawn within each class and a verdict on every item.

Class sizes cannot be counted in gold that was drawn class by class. But a verdict that was made without labels is known
on every item, so that the number V of items that it marks as the class is known; and gold tells how often it marks
items of the class, and of each other class. If `size` items were of the class, and the others of the other classes,

    V = marked ones among the `size` + marked ones among the n_items - size,

and both must lie within what gold says. Take gold items to be further items, beside the n_items:

1. *A class of known size.* Gold is a random part of its items, so with M further items of a class, exact hypergeometric
   bounds from the m marked ones among n drawn hold for those among M + n; less m, for those among M: from least(M)
   to most(M), each but for a share of the error. As M grows by one, either grows by 0 or 1.
2. *The other classes*, whose sizes are not known, but for their sum. Of two classes the other one has all the rest.
   Otherwise, if least_d(M) >= slope * M - c_d for every M and each class d, sizes that sum to M have together at least
   slope * M - (sum of the c_d) marked ones, however they share M. This holds for every slope, so the best may be taken.
   The smallest c_d is found in cells of M, outward: from M = a to b, slope * M - least(M) is at most
   slope * b - least(a), and at most b - least(b) - (1 - slope) * a. The same for the ones that are not marked.
3. *Candidates.* A size is kept if V lies between the sums of both. The truth is dropped only if a bound fails. For
   sizes from a to b, the class has at least least(a) marked ones and the others at least those of n_items - b: if V
   is below, all of them are dropped at once, and the same from above. What cannot be dropped is cut, down to one size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.intervals import hypergeometric_bounds

# Of a number of items, the fewest and the most marked ones.
Marks: TypeAlias = "Callable[[IntArray], tuple[IntArray, IntArray]]"

# Parts that a range of sizes is cut into.
_N_PARTS = 64
# Cells of sizes of the other classes are so many times narrower than they are far out.
_FINENESS = 200
_SLOPES = np.sin(np.linspace(0, np.pi / 2, 129)) ** 2


def class_size_bounds(
    marked: npt.ArrayLike,
    drawn: npt.ArrayLike,
    verdict_total: int,
    n_items: int,
    error: float,
    *,
    of: int = 0,
    is_outside: bool = False,
) -> tuple[int, int]:
    """Bounds on the number of items that are of class ``of``, from gold drawn at random within each class.

    *Guarantee*: the number lies within the bounds with probability at least ``1 - error``, if gold is a random sample
    of each class and the verdict was made without gold labels. Every class with gold takes the same share of the error,
    half of it on each side. The bounds for several classes do not hold together unless the error is divided among them.

    If no number agrees with gold and verdicts, which a random sample brings about with probability at most ``error``,
    all are kept.

    Parameters
    ----------
    marked, drawn : array-like of int, (n_classes,)
        Gold items of each class, and how many of those the verdict says to be of class ``of``: right for that class,
        wrong for the others. A class may have no gold.
    verdict_total : int
        Items that the verdict says to be of the class.
    n_items : int
    error : float
        0 gives the bounds that are certain.
    is_outside : bool
        Gold items are no part of the items, but come class by class from the same source (items of a class could be
        exchanged with gold items of the class). By default they are a part of the items; then the others are further
        items, of which less are marked, and the gold items of the class are added in the end.

    Examples
    --------
    >>> class_size_bounds(marked=[45, 5], drawn=[50, 50], verdict_total=3000, n_items=10_000, error=0.05)
    (876, 3690)
    """
    marked, drawn = np.asarray(marked), np.asarray(drawn)
    known = 0 if is_outside else int(drawn[of])
    if not is_outside:
        verdict_total, n_items = verdict_total - int(marked.sum()), n_items - int(drawn.sum())
    tails = error / max(1, int(np.count_nonzero(drawn)))
    others = np.arange(len(drawn)) != of
    own = _marks_of_class(marked[of], drawn[of], tails)
    rest = _marks_of_rest(marked[others], drawn[others], n_items, tails)
    ends = [_outermost_kept(own, rest, verdict_total, n_items, from_above) for from_above in (False, True)]
    low, high = (0, n_items) if ends[0] is None or ends[1] is None else (ends[0], ends[1])
    return known + low, known + high


def _marks_of_class(marked: int, drawn: int, error: float) -> Marks:
    """Among further items of one class."""

    def marks(sizes: IntArray) -> tuple[IntArray, IntArray]:
        fewest, most = hypergeometric_bounds(marked, drawn, drawn + sizes, error)
        return fewest - marked, most - marked

    return marks


def _marks_of_rest(marked: IntArray, drawn: IntArray, n_items: int, error: float) -> Marks:
    """Among further items of all the other classes, however many each has."""
    if len(drawn) == 1:
        return _marks_of_class(marked[0], drawn[0], error)
    fewest = _sum_of_lines(marked, drawn, n_items, error)
    fewest_unmarked = _sum_of_lines(drawn - marked, drawn, n_items, error)

    def marks(sizes: IntArray) -> tuple[IntArray, IntArray]:
        return _highest_line(fewest, sizes), sizes - _highest_line(fewest_unmarked, sizes)

    return marks


def _sum_of_lines(marked: IntArray, drawn: IntArray, n_items: int, error: float) -> FloatArray:
    """For each slope, a sum over classes of c with least(M) >= slope * M - c for all M, and hardly larger than that."""
    first, last = _cells(n_items)
    total = np.zeros(len(_SLOPES))
    pairs, n_times = np.unique(np.stack([marked, drawn]), axis=1, return_counts=True)
    for m, n, times in zip(*pairs, n_times, strict=True):
        least = _marks_of_class(m, n, error)(np.stack([first, last]))[0]
        by_first = np.outer(_SLOPES, last) - least[0]
        by_last = (last - least[1]) - np.outer(1 - _SLOPES, first)
        total += times * np.minimum(by_first, by_last).max(axis=1)
    return total


def _highest_line(offsets: FloatArray, sizes: IntArray) -> IntArray:
    """A number of items is whole; what rounding may have added is far below a millionth."""
    lines = np.multiply.outer(_SLOPES, sizes) - offsets.reshape(-1, *[1] * sizes.ndim)
    return np.asarray(np.maximum(np.ceil(lines.max(axis=0) - 1e-6), 0)).astype(np.int64)


def _cells(n_items: int) -> tuple[IntArray, IntArray]:
    """First and last numbers of cells from 0 to ``n_items``: of one number each up to the fineness, then wider."""
    first = [0]
    while (new := first[-1] + max(1, first[-1] // _FINENESS)) <= n_items:
        first.append(new)
    return np.array(first), np.append(np.array(first[1:], dtype=np.int64) - 1, n_items)


def _outermost_kept(own: Marks, rest: Marks, verdict_total: int, n_items: int, from_above: bool) -> int | None:
    """The smallest size that is kept, or the largest; None if there is none."""
    open_ranges = [(0, n_items)]
    is_checked = False
    while open_ranges:
        low, high = open_ranges.pop()
        if low == high and is_checked:
            return low
        edges = np.unique(np.linspace(low, high + 1, min(_N_PARTS, high - low + 1) + 1).astype(np.int64))
        first, last = edges[:-1], edges[1:] - 1
        (least, _), (_, most) = np.swapaxes(own(np.stack([first, last])), 0, 1)
        (_, most_of_rest), (least_of_rest, _) = np.swapaxes(rest(n_items - np.stack([first, last])), 0, 1)
        is_open = (least + least_of_rest <= verdict_total) & (most + most_of_rest >= verdict_total)
        kept = list(zip(first[is_open].tolist(), last[is_open].tolist(), strict=True))
        open_ranges += kept if from_above else kept[::-1]
        is_checked = True
    return None
