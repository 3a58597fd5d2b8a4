"""The largest mean cost that a labeling in a box can have: a linear program, and multipliers that prove its value.

A unit is a set of items with the same pattern and the same costs. For *every* vector u of multipliers

    B(u) = (1/n) * [ sum_units count * max_c (cost[c] + s[c])  -  sum_m min(u_m * least_m, u_m * most_m)  +  known ],

with s[c] = sum_m u_m * feature_m(pattern, c), moments as sums over items that lie between least and most, and the cost
of items whose class is known, is at least the mean cost of every labeling whose moments lie in the box
(weak duality), so what the solver returns is only a suggestion for u. Arrays in, arrays out.

At the optimum all but a few units, fewer than there are moments, have one class. So the program is solved by sifting:
every unit starts with the class that is best at a first guess of u, linear programs over few (unit, other class)
columns correct that, and columns that would pay at the new u join until none is left. No cost is ever rounded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.maxent import Problem, scores
from thumbwise.numerics.shared_features import as_rows

# Largest multipliers to try, in multiples of the spread of the costs.
PENALTIES = (10.0, 1e3, 1e5)
# Columns of the first linear program, and at most as many more in each that follows. (Measured: decisions, no. 5.)
_N_COLUMNS = 4000
# A first guess comes from one unit in so many, to this tolerance or after so many programs.
_THINNING = 8
_ROUGH = 1e-5
_FEW = 10
# Programs without a labeling in the box after which the box is taken for empty, or the price for too low.
_PATIENCE = 15
# Noise that tells equal costs apart in the guess, as a share of the spread of the costs.
_SHAKE = 1e-3
# Items by which moments may miss their bounds in all; HiGHS promises 1e-7 for each.
_SLACK = 1e-4


@dataclass(frozen=True, eq=False)
class Units:
    """Items grouped by pattern and costs, and the box.

    Attributes
    ----------
    patterns, counts : ndarray of shape (n_units,)
    costs : ndarray of shape (n_units, n_classes)
        What it costs if the truth is each class.
    features : sparse array of shape (n_patterns * n_classes, n_moments)
    least, most : ndarray of shape (n_moments,)
        Bounds of each moment as a sum over the items of the units, not as an average.
    known_cost : float
        What the items cost, in all, whose class is known; they belong to no unit.
    n_items : int
        Items of the units and known ones together.
    """

    patterns: IntArray
    counts: IntArray | FloatArray
    costs: FloatArray
    features: sp.csr_array
    least: FloatArray
    most: FloatArray
    known_cost: float
    n_items: int

    @classmethod
    def of_game(cls, problem: Problem, costs: FloatArray, n_items: int) -> Units:
        """The patterns of the items of a game, with ``costs[pattern, class]``; no unit if there are no items."""
        shown = np.flatnonzero(problem.masses > 0) if n_items else np.zeros(0, dtype=np.int64)
        sizes = problem.shares * n_items
        return cls(
            patterns=shown,
            counts=problem.masses[shown] * n_items,
            costs=costs[shown],
            features=as_rows(problem.features),
            least=sizes * problem.lower,
            most=sizes * problem.upper,
            known_cost=0.0,
            n_items=max(1, n_items),
        )

    @property
    def spread(self) -> float:
        """Largest difference between costs."""
        return float(np.ptp(self.costs)) if self.costs.size else 0.0

    def negated(self) -> Units:
        return replace(self, costs=-self.costs, known_cost=-self.known_cost)

    def scores(self, multipliers: FloatArray) -> FloatArray:
        """Cost plus multipliers of each class, shape (n_units, n_classes)."""
        per_pattern = scores(multipliers, self.features, self.costs.shape[1])
        return np.asarray(per_pattern[self.patterns] + self.costs)


def group_items(inverse: IntArray, costs: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Distinct (pattern, cost row): pattern, number of items and costs of each, in an order that items do not set."""
    if not len(inverse):
        return inverse, np.zeros(0, dtype=np.int64), costs
    codes: IntArray = inverse.astype(np.int64)
    first, counts = np.arange(len(codes)), np.ones(len(codes), dtype=np.int64)
    for column in costs.T:
        ranks = np.unique(column, return_inverse=True)[1]
        pairs = codes * (int(ranks.max()) + 1) + ranks
        _, first, codes, counts = np.unique(pairs, return_index=True, return_inverse=True, return_counts=True)
    return inverse[first].astype(np.int64), counts, costs[first]


def bound_at(multipliers: FloatArray, units: Units) -> float:
    """B(u): no labeling in the box has a larger mean cost, whatever the multipliers."""
    return _value(multipliers, units, units.scores(multipliers).max(axis=1))


def _value(multipliers: FloatArray, units: Units, best: FloatArray) -> float:
    pay = np.minimum(multipliers * units.least, multipliers * units.most)
    return float((units.counts @ best - pay.sum() + units.known_cost) / units.n_items)


@dataclass(frozen=True, eq=False)
class Answer:
    """A bound with its proof.

    Attributes
    ----------
    multipliers : ndarray of shape (n_moments,)
    bound : float
        ``bound_at(multipliers, units)``.
    attained : float
        Mean cost of a labeling that was found in the box, up to the tolerance of HiGHS; -inf if none was.
    n_programs : int
        Linear programs solved.
    """

    multipliers: FloatArray
    bound: float
    attained: float
    n_programs: int

    @property
    def gap(self) -> float:
        """The largest mean cost is at most this much below the bound."""
        return max(0.0, self.bound - self.attained)


def solve_largest(units: Units, *, penalty: float = 10.0, tol: float = 1e-9, max_iter: int = 100) -> Answer:
    """Find multipliers that make the bound as small as possible.

    Parameters
    ----------
    units : Units
    penalty : float
        Largest absolute multiplier, in multiples of the spread of the costs: the price at which the program may miss a
        bound of the box. If it pays at the end, nothing is ``attained``: the box is empty or the price too low.
    tol : float
        Gap at which to stop, relative to the spread of the costs.
    max_iter : int
        Most linear programs.
    """
    if not len(units.counts):
        certain = units.known_cost / units.n_items
        return Answer(np.zeros(len(units.least)), certain, certain, 0)
    return _sift(units, _shaken(units), penalty, tol, max_iter)


def solve_at_any_price(units: Units, *, tol: float = 1e-9) -> Answer:
    """The same, with a higher price where no labeling in the box was met at a lower one; the smallest bound of all."""
    answer = solve_largest(units, penalty=PENALTIES[0], tol=tol)
    for penalty in PENALTIES[1:]:
        if np.isfinite(answer.attained):
            break
        later = solve_largest(units, penalty=penalty, tol=tol)
        answer = later if later.bound <= answer.bound or np.isfinite(later.attained) else answer
    return answer


def _sift(units: Units, shaken: Units, penalty: float, tol: float, max_iter: int) -> Answer:
    """Choose base classes and first columns by the shaken costs, then solve with the true ones."""
    spread = units.spread
    price = penalty * (spread or 1.0)
    guess = _guess(shaken, penalty)
    at_guess = shaken.scores(guess)
    base = at_guess.argmax(axis=1)
    columns = _closest(at_guess, base)
    best = Answer(guess, bound_at(guess, units), -np.inf, 0)
    for n_programs in range(1, max_iter + 1):
        multipliers, attained = _solve_columns(units, base, columns, price)
        now = units.scores(multipliers)
        bound = _value(multipliers, units, now.max(axis=1))
        if bound < best.bound:
            best = replace(best, multipliers=multipliers, bound=bound)
        best = replace(best, attained=max(best.attained, attained), n_programs=n_programs)
        new = _paying(now, base, columns, units.counts, tol * spread)
        is_hopeless = n_programs >= _PATIENCE and not np.isfinite(best.attained)
        if best.gap <= tol * spread or not len(new) or is_hopeless:
            break
        columns = np.concatenate([columns, new])
    return best


def _shaken(units: Units) -> Units:
    """Costs with a little noise, always the same, so that classes that cost the same do not tie.

    Without it, items that cost nothing whatever their class would all start with the first class, far from the box.
    With noise of this distribution the best classes at multipliers u are a draw from the softmax of s(u) / scale, the
    family of the game, so that some u of that scale puts them into the box.
    """
    if units.costs[:, 1:].size <= _N_COLUMNS:
        return units
    noise = np.random.default_rng(0).gumbel(scale=_SHAKE * (units.spread or 1.0), size=units.costs.shape)
    return replace(units, costs=units.costs + noise)


def _guess(units: Units, penalty: float) -> FloatArray:
    """Multipliers for a sample of the units, at equal steps of the number of items; zeros where no guess is needed."""
    n_units, k = units.costs.shape
    if n_units * (k - 1) <= _N_COLUMNS:
        return np.zeros(len(units.least))
    size = max(n_units // _THINNING, _N_COLUMNS // (2 * (k - 1)), 1)
    ends = np.cumsum(units.counts)
    drawn = np.searchsorted(ends, (np.arange(size) + 0.5) * (ends[-1] / size), side="right")
    places, n_drawn = np.unique(drawn, return_counts=True)
    counts = n_drawn * (ends[-1] / size)
    sample = replace(units, patterns=units.patterns[places], counts=counts, costs=units.costs[places])
    return _sift(sample, sample, penalty, _ROUGH, _FEW).multipliers


def _closest(now: FloatArray, base: IntArray) -> IntArray:
    """The columns, numbered unit * n_classes + class, that fall least short of their unit's base class."""
    n_units, k = now.shape
    short = now[np.arange(n_units), base][:, None] - now
    short[np.arange(n_units), base] = np.inf
    n_columns = min(_N_COLUMNS, n_units * (k - 1))
    return np.asarray(np.argpartition(short.ravel(), n_columns - 1)[:n_columns])


def _paying(now: FloatArray, base: IntArray, columns: IntArray, counts: FloatArray | IntArray, tol: float) -> IntArray:
    """Columns that would raise the value of the program most: one a unit, where its best class is not offered yet."""
    n_units, k = now.shape
    offered = now[np.arange(n_units), base].copy()
    np.maximum.at(offered, columns // k, now.ravel()[columns])
    gain = now.max(axis=1) - offered
    units = np.flatnonzero(gain > 0.1 * tol)
    if len(units) > _N_COLUMNS:
        units = units[np.argpartition(-(gain * counts)[units], _N_COLUMNS)[:_N_COLUMNS]]
    return np.asarray(units * k + now[units].argmax(axis=1))


def _solve_columns(units: Units, base: IntArray, columns: IntArray, price: float) -> tuple[FloatArray, float]:
    """Best labeling that differs from the base classes in some columns only: its multipliers and its mean cost.

    Everything is counted in items, so that HiGHS' absolute tolerances are tiny whatever the number of items. A moment
    may miss its bounds at a price per item, so that the program always has a solution.
    """
    k, n_moments = units.costs.shape[1], len(units.least)
    owners = columns // k
    first = units.patterns[owners].astype(np.int64) * k  # the item's pattern may come as a narrow integer
    change = sp.csr_array((units.features[first + columns % k] - units.features[first + base[owners]]).T)
    gains = units.costs.ravel()[columns] - units.costs[owners, base[owners]]
    start = _base_totals(units, base)
    several, sums = _shared_units(owners, 2 * n_moments)
    miss = sp.eye_array(n_moments)
    answer = linprog(
        np.concatenate([-gains, np.full(2 * n_moments, price)]),
        sp.vstack([sp.block_array([[change, -miss, None], [-change, None, -miss]]), sums], format="csr"),
        np.concatenate([units.most - start, start - units.least, units.counts[several]]),
        bounds=[(0.0, limit) for limit in [*units.counts[owners].tolist(), *[None] * (2 * n_moments)]],
        method="highs",
    )
    if answer.x is None:  # HiGHS gave up: multipliers of zero prove something too
        return np.zeros(n_moments), -np.inf
    prices, moved, missed = answer.ineqlin.marginals, answer.x[: len(columns)], answer.x[len(columns) :].sum()
    base_cost = units.counts @ units.costs[np.arange(len(base)), base] + units.known_cost
    attained = float((base_cost + gains @ moved) / units.n_items) if missed <= _SLACK else -np.inf
    return np.asarray(prices[:n_moments] - prices[n_moments : 2 * n_moments]), attained


def _base_totals(units: Units, base: IntArray) -> FloatArray:
    """Moments of the base classes, in items."""
    n_cells = units.features.shape[0]
    cells = units.patterns.astype(np.int64) * units.costs.shape[1] + base
    return np.asarray(units.features.T @ np.bincount(cells, units.counts.astype(float), minlength=n_cells))


def _shared_units(owners: IntArray, n_slacks: int) -> tuple[IntArray, sp.csr_array]:
    """Units with more than one column, and a row for each that adds its columns up; others are held by their bound."""
    _, places, n_columns = np.unique(owners, return_inverse=True, return_counts=True)
    several = np.flatnonzero(n_columns > 1)
    rank = np.full(len(n_columns), -1)
    rank[several] = np.arange(len(several))
    used = np.flatnonzero(rank[places] >= 0)
    shape = (len(several), len(owners) + n_slacks)
    rows = sp.csr_array((np.ones(len(used)), (rank[places[used]], used)), shape=shape)
    return np.unique(owners)[several], rows
