"""The fewest right labels that a box allows: all, of a class, and as a share of a class. Arrays in, arrays out.

With n items, labels that are given, and any true classes y whose moments lie in the box,

    wrong labels           is at most n B(u)      with cost 1 where y differs from the label,
    precision of class c   is at least 1 - n B(u) / n_c     with cost 1 where the label of one of n_c items is c, not y,

for every vector u of multipliers (:mod:`thumbwise.numerics.linear_bounds`). Recall is a ratio. With R right labels of
class c, and M items of the class with another label, R / (R + M) >= r exactly where r (R + M) - R <= 0, which is linear
too: cost r - 1 where y is c and so is the label, r where only y is. So r is proved by any u with B_r(u) <= 0; and B_r(u)
grows with r, so that for a given u the largest such r is found by halving.
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
_CLOSE = 2e-4
_MOST_PROGRAMS = 8
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
    """

    labels: IntArray
    problem: Problem
    n_items: int

    @property
    def n_classes(self) -> int:
        return self.problem.n_classes

    @cached_property
    def units(self) -> Units:
        """Patterns of the items, at no cost."""
        return Units.of_game(self.problem, np.zeros((len(self.labels), self.n_classes)), self.n_items)

    @cached_property
    def _is_label(self) -> AnyArray:
        """Whether each class is the label, of each unit."""
        return np.asarray(self.labels[self.units.patterns][:, None] == np.arange(self.n_classes))

    def wrong(self) -> Answer:
        """The largest share of wrong labels."""
        return solve_at_any_price(replace(self.units, costs=(~self._is_label).astype(float)), tol=_TOL)

    def precision(self, c: int) -> tuple[int, float | None, FloatArray]:
        """Items with the label, the least share of them that are of the class, and the multipliers that prove it."""
        units, has_label = self.units, self._is_label[:, c]
        n_labeled = int(round(float(units.counts @ has_label)))
        if n_labeled == 0:
            return 0, None, np.zeros(len(units.least))
        costs = has_label[:, None] & (np.arange(self.n_classes) != c)
        answer = solve_at_any_price(replace(units, costs=costs.astype(float)), tol=_TOL * n_labeled / self.n_items)
        return n_labeled, float(np.clip(1 - answer.bound * self.n_items / n_labeled, 0, 1)), answer.multipliers

    def recall(self, c: int) -> tuple[float, FloatArray]:
        """The least share of the items of a class that have its label, and the multipliers that prove it.

        Programs are solved at some shares, each where a straight line through the last ones says that their value is 0,
        until the share that is proved comes close to one that no proof can reach.
        """
        ratio = _Ratio(self.units, self._is_label[:, c], c)
        best, multipliers = 0.0, np.zeros(len(self.units.least))
        low, high, at = (0.0, -1.0), (1.0, 1.0), 0.5
        for _ in range(_MOST_PROGRAMS):
            answer = ratio.solve(at)
            proved = ratio.largest_share(answer.multipliers)
            if proved > best:
                best, multipliers = proved, answer.multipliers
            if answer.bound <= 0:
                low = (at, answer.bound)
            else:
                high = (at, answer.bound)
            if high[0] - best < _CLOSE or abs(answer.bound) == 0:
                break
            at = _between(low, high, best)
        return best, multipliers


def _between(low: tuple[float, float], high: tuple[float, float], best: float) -> float:
    """Where a line through two points is 0, kept off the ends."""
    (a, below), (b, above) = low, high
    first = max(a, best)
    crossing = a + (b - a) * below / (below - above) if below < above else first
    margin = 0.02 * (b - first)
    return float(np.clip(crossing, first + margin, b - margin))


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
