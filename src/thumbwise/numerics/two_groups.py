"""The least that two groups can be worth together, from a random sample of each: exact, whatever the shares are.

With K_h right ones of N_h in group h, worth v_h each, X_h of the n_h drawn are right: two independent hypergeometric
numbers. Outcomes x = (x_1, x_2) are put in an order, and with R the outcomes that are no lower than what was seen,

    limit  =  min { v_1 K_1 + v_2 K_2  :  P_K(X in R) > error }

is the largest lower bound with that order (Buehler, 1957): where the truth lies below the limit of some outcomes, all
of these together have probability at most ``error``. A thousandth of the error goes into exact bounds on K_1 and on
K_2, and the minimum is taken within these (Berger and Boos, 1994), which makes for fewer places to look at. The order
is settled before anything is drawn, by the numbers of items and of draws alone. It may be any; here it is that of an
approximate lower bound, the one that likelihood gives, so that the chance of R is about the same wherever the truth
lies, and little is lost by looking for the worst K.

R is an up-set, more right ones never lower an outcome. So P_K(R) grows with K_1 and with K_2, and for K_1 in a cell
[a, b] no total below v_1 a + v_2 (smallest K_2 that goes with b) is possible: cells are cut until the least of these
meets a total that is possible. What is returned is the least over cells, a bound wherever the search ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import ndtri

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.hypergeometric import ROUNDING
from thumbwise.numerics.intervals import hypergeometric_bounds, hypergeometric_sides

# Cells at first, and cells that each is cut into.
_N_CELLS, _N_CUTS = 24, 4
# Totals are as good as equal if they differ by this part of all that the groups can be worth, over the root of the
# number drawn: a few thousandths of the width of an interval.
_CLOSE = 3e-3
# Of the error, what goes into exact bounds on each group alone, outside of which no K is looked at.
_FOR_SINGLE_GROUPS = 1e-3
# Chances so far from the mean, in roots of the number drawn, sum to less than 10^-17 (Hoeffding, 1963).
_FAR = 4.5
# Halvings of the range of the multiplier that belongs to an approximate bound.
_N_HALVINGS = 36
_MULTIPLIERS = (-20.0, 20.0)
# Digits of an approximate bound that tell outcomes apart.
_DIGITS = 9


@dataclass(frozen=True)
class TwoGroups:
    """What was counted in each of two groups.

    Attributes
    ----------
    right, drawn, population : tuple of int
        Right ones among those drawn from each group.
    worth : tuple of float
        What each right one counts, above 0.
    """

    right: tuple[int, int]
    drawn: tuple[int, int]
    population: tuple[int, int]
    worth: tuple[float, float] = (1.0, 1.0)

    def mirrored(self) -> TwoGroups:
        """Right and wrong exchanged."""
        wrong = (self.drawn[0] - self.right[0], self.drawn[1] - self.right[1])
        return TwoGroups(wrong, self.drawn, self.population, self.worth)

    @property
    def most(self) -> float:
        """What both groups would be worth if all were right."""
        return self.worth[0] * self.population[0] + self.worth[1] * self.population[1]


def two_group_bounds(groups: TwoGroups, error: float) -> tuple[float, float]:
    """Bounds on what both groups are worth together, each side with half of the error.

    *Guarantee*: the truth lies within the bounds with probability at least ``1 - error``, if each group's sample is
    random, independently of the other's, for all numbers of right ones and all sizes.

    Examples
    --------
    >>> groups = TwoGroups(right=(49, 1), drawn=(50, 50), population=(500, 500))
    >>> low, high = two_group_bounds(groups, error=0.05)
    >>> round(low), round(high)  # of 1,000; one group of 100 with 50 right ones would give 407 and 593
    (461, 539)
    """
    low = least_worth(groups, error / 2)
    return low, max(low, groups.most - least_worth(groups.mirrored(), error / 2))


@lru_cache(maxsize=4096)
def least_worth(groups: TwoGroups, error: float) -> float:
    """Lower bound on what both groups are worth together; remembered, for the same is often asked for again.

    *Guarantee*: it is above the truth with probability at most ``error``.
    """
    is_open = [0 < n < size for n, size in zip(groups.drawn, groups.population, strict=True)]
    if all(is_open) and error > 0:
        return _Search(groups, error).least()
    errors = np.where(is_open, error, 0.0)
    fewest, _ = hypergeometric_sides(groups.right, groups.drawn, groups.population, errors, 0.0)
    return float(np.dot(groups.worth, fewest))


def about_least_worth(groups: TwoGroups, error: float) -> float:
    """What :func:`least_worth` is about, without a search: to compare designs by, a hundred times faster.

    *Guarantee*: none.
    """
    if not all(0 < n < size for n, size in zip(groups.drawn, groups.population, strict=True)) or error <= 0:
        return least_worth(groups, error)
    seen_1, seen_2 = (np.array([x]) for x in groups.right)
    return groups.most * float(approximate_limits(seen_1, seen_2, groups, error)[0])


@dataclass(frozen=True)
class _Search:
    """The limit of one outcome."""

    groups: TwoGroups
    error: float

    @cached_property
    def starts(self) -> IntArray:
        """For each x_1 the smallest x_2 of an outcome in R; one more than were drawn if there is none."""
        n_1, n_2 = self.groups.drawn
        seen_1, seen_2 = (np.array([x]) for x in self.groups.right)
        bar = approximate_limits(seen_1, seen_2, self.groups, self.error)[0]
        x_1 = np.arange(n_1 + 1)
        low, high = np.full(n_1 + 1, -1), np.full(n_1 + 1, n_2 + 1)
        while (high - low > 1).any():
            middle = (low + high) // 2
            is_in = approximate_limits(x_1, np.clip(middle, 0, n_2), self.groups, self.error) >= bar
            high, low = np.where(is_in & (high - low > 1), middle, high), np.where(is_in, low, middle)
        return np.asarray(np.minimum.accumulate(high))

    def chance(self, k_1: IntArray, k_2: IntArray) -> FloatArray:
        """P_K(X in R)."""
        (n_1, n_2), (size_1, size_2) = self.groups.drawn, self.groups.population
        from_1, chances_1 = chances(k_1, n_1, size_1)
        from_2, chances_2 = chances(k_2, n_2, size_2)
        tails = np.zeros((len(k_2), chances_2.shape[1] + 1))
        tails[:, :-1] = np.cumsum(chances_2[:, ::-1], axis=1)[:, ::-1]
        starts = self.starts[from_1 : from_1 + chances_1.shape[1]] - from_2
        return np.asarray((chances_1 * tails[:, np.clip(starts, 0, chances_2.shape[1])]).sum(axis=1))

    def smallest_second(self, k_1: IntArray, low: IntArray, high: IntArray) -> IntArray:
        """Smallest K_2 above ``low`` that goes with each K_1; ``high`` if there is none below."""
        low, high = low.copy(), high.copy()
        goal = (1 - _FOR_SINGLE_GROUPS) * self.error * (1 - ROUNDING)
        while len(left := np.flatnonzero(high - low > 1)):
            middle = (low[left] + high[left]) // 2
            is_likely = self.chance(k_1[left], middle) > goal
            high[left[is_likely]] = middle[is_likely]
            low[left[~is_likely]] = middle[~is_likely]
        return high

    def least(self) -> float:
        """Cut cells of K_1 until none can hold a total that is much below the best that is possible."""
        groups, (v_1, v_2) = self.groups, self.groups.worth
        single = _FOR_SINGLE_GROUPS * self.error / 2
        (first_1, first_2), (last_1, last_2) = hypergeometric_bounds(
            groups.right, groups.drawn, groups.population, single
        )
        n_cells = min(_N_CELLS, int(last_1 - first_1) + 1)
        first, last = _cut(np.array([first_1]), np.array([last_1]), n_cells)
        below, above = np.full(len(first), first_2 - 1), np.full(len(first), last_2 + 1)
        best, settled = np.inf, np.inf
        close = _CLOSE * groups.most / np.sqrt(sum(groups.drawn))
        while len(first):
            second = self.smallest_second(last, below, above)
            is_possible = second <= last_2
            lowest = np.where(is_possible, v_1 * first + v_2 * second, np.inf)
            best = min(best, float(np.where(is_possible, v_1 * last + v_2 * second, np.inf).min()))
            goes_on = (lowest < best - close) & (last > first)
            settled = min(settled, float(lowest[~goes_on].min(initial=np.inf)))
            # Within a cell K_2 lies between what goes with its last K_1 and with that of the cell before.
            before = np.concatenate([[last_2 + 1], second[:-1]])
            before = np.where(np.concatenate([[False], first[1:] == last[:-1] + 1]), before, above)
            below, above = (np.repeat(part[goes_on], _N_CUTS) for part in (second - 1, before))
            first, last = _cut(first[goes_on], last[goes_on], _N_CUTS)
            is_there = last >= first
            first, last, below, above = (part[is_there] for part in (first, last, below, above))
        return min(settled, best)


def _cut(first: IntArray, last: IntArray, n_parts: int) -> tuple[IntArray, IntArray]:
    """First and last numbers of parts of cells; a part may be empty, its last number then is below its first."""
    edges = first[:, None] + (last - first + 1)[:, None] * np.arange(n_parts + 1) // n_parts
    return edges[:, :-1].ravel(), edges[:, 1:].ravel() - 1


def chances(right: IntArray, drawn: int, population: int) -> tuple[int, FloatArray]:
    """Chances of numbers of right ones among those drawn, a row for each number of right ones in the population.

    From the ratios of neighbours, made to sum to 1: no factorial, so nothing large cancels. Columns begin with the
    number that is returned first; where neither that nor ``drawn`` bounds them, what is left out is below rounding.
    """
    k = np.asarray(right, dtype=float)[:, None]
    reach = _FAR * np.sqrt(drawn)
    first = max(0, int(drawn * k.min() / population - reach))
    last = min(drawn, int(np.ceil(drawn * k.max() / population + reach)))
    x = np.arange(first, last, dtype=float)
    up, down = np.maximum(k - x, 0) * (drawn - x), (x + 1) * (population - k - drawn + x + 1)
    is_below = down <= 0  # so few are impossible, for there are too few wrong ones
    with np.errstate(divide="ignore"):
        steps = np.where(is_below, 0.0, np.log(up / np.where(is_below, 1.0, down)))
    logs = np.zeros((len(k), last - first + 1))
    np.cumsum(steps, axis=1, out=logs[:, 1:])
    logs[:, :-1][is_below] = -np.inf
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return first, np.asarray(weights / weights.sum(axis=1, keepdims=True))


def approximate_limits(x_1: IntArray, x_2: IntArray, groups: TwoGroups, error: float) -> FloatArray:
    """The lower bound that likelihood gives for each outcome, as a part of all that the groups can be worth.

    The least v_1 N_1 p_1 + v_2 N_2 p_2 over shares whose log likelihood, that of draws with replacement in numbers that
    are as informative, is within z^2 / 2 of the best. Where a multiplier a_h takes a share from its estimate q_h,
    q_h - p_h = a_h p_h (1 - p_h), and both multipliers are in proportion to v_h N_h / n_h: one number is searched for.
    """
    goal = ndtri(error) ** 2 / 2
    sizes, drawn = np.array(groups.population, dtype=float), np.array(groups.drawn, dtype=float)
    part = sizes * groups.worth / groups.most
    informative = drawn * (sizes - 1) / (sizes - drawn)
    shares = np.stack(np.broadcast_arrays(x_1, x_2), axis=-1) / drawn
    low, high = (np.full(shares.shape[:-1], end) for end in _MULTIPLIERS)
    for _ in range(_N_HALVINGS):
        middle = (low + high) / 2
        moved = _moved(shares, np.exp(middle)[..., None] * part / informative)
        is_far = (informative * _divergence(shares, moved)).sum(axis=-1) > goal
        low, high = np.where(is_far, low, middle), np.where(is_far, middle, high)
    return np.asarray(
        np.round((part * _moved(shares, np.exp(low)[..., None] * part / informative)).sum(axis=-1), _DIGITS)
    )


def _moved(share: FloatArray, multiplier: FloatArray) -> FloatArray:
    """The p of q - p = a p (1 - p), by the root that does not cancel."""
    b = 1 + multiplier
    return np.asarray(2 * share / (b + np.sqrt(np.maximum(b * b - 4 * multiplier * share, 0.0))))


def _divergence(share: FloatArray, moved: FloatArray) -> FloatArray:
    """Of a share from a smaller one, in nats for each draw."""
    with np.errstate(divide="ignore", invalid="ignore"):
        right = np.where(share > 0, share * np.log(share / moved), 0.0)
        wrong = np.where(share < 1, (1 - share) * np.log((1 - share) / (1 - moved)), 0.0)
    return np.asarray(right + wrong)
