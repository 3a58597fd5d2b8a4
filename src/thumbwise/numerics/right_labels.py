"""The fewest right labels that a box allows: all, of a class, and as a share of a class. Arrays in, arrays out.

With n items, labels that are given, and any true classes y whose moments lie in the box,

    wrong labels           is at most n B(u)      with cost 1 where y differs from the label,
    precision of class c   is at least 1 - n B(u) / n_c     with cost 1 where the label of one of n_c items is c, not y,

for every vector u of multipliers (:mod:`thumbwise.numerics.linear_bounds`). Recall is a ratio. With R right labels of
class c, and M items of the class with another label, R / (R + M) >= r exactly where r (R + M) - R <= 0, which is linear
too: cost r - 1 where y is c and so is the label, r where only y is. So r is proved by any u with B_r(u) <= 0, and since
B_r(u) grows with r, the largest r that a given u proves is found by halving.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.numerics.linear_bounds import Answer, Units, bound_at, solve_at_any_price
from thumbwise.numerics.maxent import Problem

# Shares are printed to a thousandth. Bounds are valid wherever programs stop.
_TOL = 1e-5
_CLOSE = 5e-4
_MOST_PROGRAMS = 6
_HALVINGS = 50


@dataclass(frozen=True, eq=False)
class RightLabels:
    """Labels of the items of a game, one a pattern.

    Attributes
    ----------
    labels : ndarray of shape (n_patterns,)
        Class numbers.
    problem : Problem
        The box, on these items.
    n_items : int
    used : ndarray of shape (n_used,)
        Moments that the box says something about; the multipliers of the others are 0.
    """

    labels: IntArray
    problem: Problem
    n_items: int
    used: IntArray

    @property
    def n_classes(self) -> int:
        return self.problem.n_classes

    @cached_property
    def units(self) -> Units:
        """Patterns of the items, at no cost; with the moments that are used only."""
        nothing = np.zeros((len(self.labels), self.n_classes))
        return Units.of_game(self.problem.take(self.used), nothing, self.n_items)

    def multipliers(self, of_used: FloatArray) -> FloatArray:
        """Of all moments, from those of the used ones."""
        multipliers = np.zeros(len(self.problem.shares))
        multipliers[self.used] = of_used
        return multipliers

    @cached_property
    def _is_label(self) -> AnyArray:
        """Whether each class is the label, of each unit."""
        return np.asarray(self.labels[self.units.patterns][:, None] == np.arange(self.n_classes))

    def wrong(self) -> Answer:
        """The largest share of wrong labels."""
        answer = solve_at_any_price(replace(self.units, costs=(~self._is_label).astype(float)), tol=_TOL)
        return replace(answer, multipliers=self.multipliers(answer.multipliers))

    def precision(self, c: int) -> tuple[int, float | None, FloatArray]:
        """Items with the label, the least share of them that are of the class, and the multipliers that prove it."""
        units, has_label = self.units, self._is_label[:, c]
        n_labeled = round(float(units.counts @ has_label))
        if n_labeled == 0:
            return 0, None, np.zeros(len(self.problem.shares))
        costs = has_label[:, None] & (np.arange(self.n_classes) != c)
        answer = solve_at_any_price(replace(units, costs=costs.astype(float)), tol=_TOL * n_labeled / self.n_items)
        share = float(np.clip(1 - answer.bound * self.n_items / n_labeled, 0, 1))
        return n_labeled, share, self.multipliers(answer.multipliers)

    def recall(self, c: int, n_right: float, n_wrong: float) -> tuple[float, FloatArray]:
        """The least share of the items of a class that have its label, and the multipliers that prove it.

        Parameters
        ----------
        c : int
            Number of the class.
        n_right, n_wrong : float
            Right labels of the class, at least, and wrong labels of all classes, at most: where the search begins.
        """
        best, multipliers = 0.0, np.zeros(len(self.used))
        if n_right <= 0:
            return best, self.multipliers(multipliers)
        ratio, search = _Ratio(self.units, self._is_label[:, c], c), _Search(-n_right / self.n_items)
        at = n_right / (n_right + n_wrong)
        for _ in range(_MOST_PROGRAMS):
            answer = ratio.solve(at)
            proved = ratio.largest_share(answer.multipliers)
            if proved > best:
                best, multipliers = proved, answer.multipliers
            search.add(at, answer.bound)
            if search.ceiling - best < _CLOSE:
                break
            at = search.next(best)
        return best, self.multipliers(multipliers)


class _Search:
    """Where a convex growing function crosses 0, from its values: it lies below its chords, and above them beyond.

    So a chord from below to above 0 crosses it too early, and one between two values below 0, prolonged, too late. The
    first value is that at 0.
    """

    def __init__(self, at_zero: float) -> None:
        self._below = [(0.0, at_zero)]
        self._above: tuple[float, float] | None = None

    def add(self, place: float, value: float) -> None:
        if value > 0:
            self._above = (place, value)
        else:
            self._below.append((place, value))

    @property
    def ceiling(self) -> float:
        """No crossing lies above."""
        highest = 1.0 if self._above is None else self._above[0]
        return min(highest, _crossing(*self._below[-2:])) if len(self._below) > 1 else highest

    def next(self, best: float) -> float:
        """An early and a late crossing in turn, beyond what is proved already."""
        last = self._below[-1]
        is_late = self._above is None or last[0] >= self._above[0] or self._above[0] - self.ceiling > _CLOSE
        early = best if self._above is None else _crossing(last, self._above)
        return self.ceiling if is_late else max(early, best)


def _crossing(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Where the line through two points is 0; 1 if it does not rise."""
    (a, low), (b, high) = first, second
    return a - low * (b - a) / (high - low) if high > low else 1.0


@dataclass(frozen=True, eq=False)
class _Ratio:
    """Right labels of a class over items of the class.

    Attributes
    ----------
    units : Units
        At no cost.
    has_label : ndarray of shape (n_units,)
        Whether the label is that of the class.
    c : int
        Number of the class.
    """

    units: Units
    has_label: AnyArray
    c: int

    def at(self, share: float) -> Units:
        """Costs that add up to ``share`` times the items of the class less those with the right label."""
        costs = np.zeros_like(self.units.costs)
        costs[:, self.c] = share - self.has_label
        return replace(self.units, costs=costs)

    def solve(self, share: float) -> Answer:
        return solve_at_any_price(self.at(share), tol=_TOL)

    def largest_share(self, multipliers: FloatArray) -> float:
        """The largest share, to a part in 2^50 and from below, that some multipliers prove; 0 if they prove none."""
        low, high = 0.0, 1.0
        if bound_at(multipliers, self.at(high)) <= 0:
            return high
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if bound_at(multipliers, self.at(middle)) <= 0 else (low, middle)
        return low
