"""The game of adversarial multi-class learning on patterns. Arrays in, arrays out.

The learner mixes the rules with weights w on the simplex: g_t = sum_j w_j * (one-hot vote of rule j on pattern t, or
the uniform distribution where j abstains). The adversary picks a labeling z whose accuracies lie in [lower, upper]. Let
right_j(z) be the share of all items on which j votes and z agrees, share_j that on which j votes, and C[j, l] the share
on which j and l vote and agree, less 1/k of that on which both vote. Then the mean Brier loss of g against z is

    1 - 1/k + w' C w + (2/k) share . w - 2 w . right(z),

so the adversary minimises w . right(z): a linear program. By its dual, for every w on the simplex and every u,

    1 - 1/k + w' C w + (2/k) share . w
      - 2 * ( sum_t mass_t * min_c s_t[c] + sum_j share_j * min(u_j * lower_j, u_j * upper_j) ),

where s_t[c] sums w - u over the rules that vote c on t, bounds the mean Brier loss against every labeling in the box.
Minimised over w and u together it is the value of the game: one convex quadratic program.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import clarabel
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.patterns import Patterns

_EMPTY_BOX = {"DualInfeasible", "AlmostDualInfeasible"}
_SOLVED = {"Solved", "AlmostSolved"}
# Weights move by the root of a gap, so the solver aims this much lower than the gap that is asked for.
_AIM = 1e-2


@dataclass(frozen=True, eq=False)
class BrierGame:
    """Votes on patterns, and an interval for the accuracy of each rule that votes.

    Attributes
    ----------
    cells : sparse array of shape (n_cells, n_rules)
        One row per pattern and class with a vote: 1 for the rules that vote so. The classes of a pattern that nobody
        votes for are one cell without votes, for the adversary gains the same by each. Cells of a pattern are adjacent.
    owners : ndarray of shape (n_cells,)
        Pattern of each cell.
    masses : ndarray of shape (n_patterns,)
        Share of the items that show each pattern; sums to 1.
    lower, upper : ndarray of shape (n_rules,)
        Bounds on accuracies; below 0 or above 1 they do not bind.
    """

    cells: sp.csr_array
    owners: IntArray
    masses: FloatArray
    lower: FloatArray
    upper: FloatArray
    n_classes: int

    @classmethod
    def build(cls, patterns: Patterns, rules: npt.NDArray[np.bool_], lower: FloatArray, upper: FloatArray) -> BrierGame:
        """The game of some rules, none of which may abstain everywhere."""
        voted = patterns.votes_per_class > 0
        table = np.column_stack([~voted.all(axis=1), voted])
        number = np.cumsum(table.ravel()) - 1
        columns = (np.cumsum(rules) - 1)[patterns.rules]
        places = number[patterns.owners * table.shape[1] + patterns.classes + 1]
        owners = np.nonzero(table)[0]
        cells = sp.csr_array((np.ones(len(places)), (places, columns)), shape=(len(owners), int(rules.sum())))
        return cls(cells, owners, patterns.counts / patterns.n_items, lower, upper, patterns.n_classes)

    @property
    def n_rules(self) -> int:
        return len(self.lower)

    @cached_property
    def vote_masses(self) -> FloatArray:
        """Mass of the pattern of each vote."""
        return np.repeat(self.masses[self.owners], np.diff(self.cells.indptr))

    @cached_property
    def shares(self) -> FloatArray:
        """Share of the items that each rule votes on."""
        return np.asarray(np.bincount(self.cells.indices, self.vote_masses, minlength=self.n_rules), dtype=float)

    @cached_property
    def agreement(self) -> FloatArray:
        """C of the formula, positive semidefinite: votes as one-hot vectors less their mean, multiplied."""
        roots, rules = np.sqrt(self.vote_masses), self.cells.indices
        starts = self.cells.indptr[np.append(self.first, len(self.owners))]
        by_cell = sp.csr_array((roots, rules, self.cells.indptr), shape=self.cells.shape)
        by_pattern = sp.csr_array((roots, rules, starts), shape=(len(self.masses), self.n_rules))
        agree, both = by_cell.T @ by_cell, by_pattern.T @ by_pattern
        return np.asarray(agree.toarray() - both.toarray() / self.n_classes)

    @cached_property
    def first(self) -> IntArray:
        """First cell of each pattern."""
        return np.flatnonzero(np.diff(self.owners, prepend=-1))

    def loss(self, weights: FloatArray, gain: float) -> float:
        """Mean Brier loss, from w . right(z) or a lower bound on it."""
        own = weights @ self.agreement @ weights + 2 / self.n_classes * self.shares @ weights
        return float(1 - 1 / self.n_classes + own - 2 * gain)

    def bound(self, weights: FloatArray, prices: FloatArray) -> float:
        """Largest loss that the dual admits at ``prices`` u; below 0 it proves that the box is empty."""
        cheapest = np.minimum.reduceat(self.cells @ (weights - prices), self.first)
        kept = np.minimum(prices * self.lower, prices * self.upper)
        return self.loss(weights, float(self.masses @ cheapest + self.shares @ kept))


@dataclass(frozen=True, eq=False)
class Play:
    """Weights of the rules, and what is known about them.

    Attributes
    ----------
    bound : float
        No labeling in the box gives the weights a larger mean Brier loss.
    gap : float
        How far the bound may be above the value of the game; not a number if unknown.
    is_empty : bool
        No labeling is in the box, and the rest means nothing.
    """

    weights: FloatArray
    bound: float
    gap: float
    n_iter: int
    is_converged: bool = True
    is_empty: bool = False


def solve_exact(game: BrierGame, *, tol: float, max_iter: int) -> Play:
    """Solve the game as one quadratic program by an interior-point method, to a gap of ``tol``.

    Variables are the weights w, the difference d = w - u that the patterns see, the two sides of u >= 0 and u <= 0,
    and the cheapest class of each pattern. Only d meets the patterns, which keeps the linear systems sparse.
    """
    n_rules = game.n_rules
    answer = clarabel.DefaultSolver(*_quadratic_program(game), _settings(_AIM * tol, max_iter)).solve()
    status = str(answer.status)
    if status in _EMPTY_BOX:
        return Play(np.full(n_rules, np.nan), -np.inf, np.nan, answer.iterations, is_empty=True)
    point, multipliers = np.nan_to_num(answer.x), np.nan_to_num(answer.z)
    raw, seen = point[:n_rules], point[n_rules : 2 * n_rules]
    lowest = answer.obj_val_dual + 1 - 1 / game.n_classes
    # Of a weight and the multiplier of its sign, one is 0 at the optimum: the smaller one, unless both are. (A
    # coordinate of -1 is projected to 0 whatever the others are.)
    weights = project_to_simplex(np.where(raw > multipliers[1 + n_rules : 1 + 2 * n_rules], raw, -1))
    bound = game.bound(weights, weights - seen)
    if bound - lowest > tol:
        weights = project_to_simplex(raw)
        bound = game.bound(weights, weights - seen)
    gap = max(0.0, bound - lowest)
    return Play(weights, bound, gap, answer.iterations, status in _SOLVED and gap <= tol, bound < -tol)


def _quadratic_program(game: BrierGame) -> tuple[sp.csc_array, FloatArray, sp.csc_array, FloatArray, list[Any]]:
    """Minimise x'Px/2 + q'x with b - Ax in the cones, for x = (w, d, u above 0, u below 0, cheapest)."""
    p, n_cells, n_patterns = game.n_rules, len(game.owners), len(game.masses)
    j, ones, cell = np.arange(p), np.ones(p), np.arange(n_cells)
    entries = [
        (np.zeros(p, dtype=np.int64), j, ones),  # the weights sum to 1
        *((1 + j, side * p + j, sign * ones) for side, sign in enumerate((1, -1, -1, 1))),  # w - d - above + below = 0
        *((1 + side * p + j, column * p + j, -ones) for side, column in ((1, 0), (2, 2), (3, 3))),  # not negative
        (1 + 4 * p + cell, 4 * p + game.owners, np.ones(n_cells)),  # cheapest of a pattern <= d of each of its cells
        (1 + 4 * p + np.repeat(cell, np.diff(game.cells.indptr)), p + game.cells.indices, -game.cells.data),
    ]
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    size = 4 * p + n_patterns
    limits = sp.csc_array((values, (rows, columns)), shape=(1 + 4 * p + n_cells, size))
    upper_half = np.triu_indices(p)
    quadratic = sp.csc_array((2 * game.agreement[upper_half], upper_half), shape=(size, size))
    linear = np.concatenate(
        [
            2 / game.n_classes * game.shares,
            np.zeros(p),
            -2 * game.shares * game.lower,
            2 * game.shares * game.upper,
            -2 * game.masses,
        ]
    )
    right = np.zeros(1 + 4 * p + n_cells)
    right[0] = 1
    cones = [clarabel.ZeroConeT(1 + p), clarabel.NonnegativeConeT(3 * p + n_cells)]
    return quadratic, linear, limits, right, cones


def _settings(tol: float, max_iter: int) -> Any:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = max_iter
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tol
    settings.direct_solve_method = "qdldl"  # one thread, hence the same digits on every machine with the same build
    return settings


class WorstLabeling:
    """The adversary's linear program, made once and solved for many weights.

    A cell's variable is its mass in units of the mean mass of a pattern, so that all coefficients are -1, 0 or 1 and
    the solver's tolerances mean the same for all sizes. The first cell of each pattern takes what the others leave.
    """

    def __init__(self, game: BrierGame) -> None:
        self._n_patterns = len(game.masses)
        sizes = self._n_patterns * game.masses
        others = np.delete(np.arange(len(game.owners)), game.first)
        owners = game.owners[others]
        first = game.cells[game.first]
        self._base = first.T @ sizes
        self._change = (game.cells[others] - first[owners]).T.tocsr()
        # Where only one other cell is left, its sum is bounded by the variable's own bound.
        several = np.bincount(owners, minlength=self._n_patterns) > 1
        sums = _rows_of(owners, self._n_patterns)[several]
        scale = self._n_patterns * game.shares
        self._limits = LinearConstraint(
            sp.vstack([self._change, sums], format="csc"),
            np.concatenate([scale * game.lower - self._base, np.full(sums.shape[0], -np.inf)]),
            np.concatenate([scale * game.upper - self._base, sizes[several]]),
        )
        self._bounds = Bounds(0, sizes[owners])

    def solve(self, weights: FloatArray) -> FloatArray | None:
        """right(z) of the labeling in the box that is worst for the weights; None if the box is empty."""
        cost = self._change.T @ weights
        answer = milp(cost, constraints=self._limits, bounds=self._bounds, options={"presolve": False})
        if answer.x is None:
            return None
        return np.asarray((self._base + self._change @ answer.x) / self._n_patterns)


def _rows_of(columns: IntArray, n_rows: int) -> sp.csr_array:
    """1 in row ``columns[i]`` of column i."""
    places = columns, np.arange(len(columns))
    return sp.csr_array((np.ones(len(columns)), places), shape=(n_rows, len(columns)))


def descend(game: BrierGame, *, n_steps: int, step: float) -> Play:
    """Projected subgradient steps on the simplex, a linear program each; the weights of the least worst case are kept.

    The start is a weight of 1 for every rule, off the simplex, as in the authors' runs; it is not a candidate itself.
    """
    labeling = WorstLabeling(game)
    weights = np.ones(game.n_rules)
    best, least, n_done = weights, np.inf, 0
    right = labeling.solve(weights)
    while right is not None and n_done < n_steps:
        slope = 2 * (game.agreement @ weights + game.shares / game.n_classes - right)
        weights = project_to_simplex(weights - step * slope)
        right = labeling.solve(weights)
        worst = np.inf if right is None else game.loss(weights, float(weights @ right))
        if worst < least:
            best, least = weights, worst
        n_done += 1
    return Play(best, least, np.nan, n_done, right is not None, np.isinf(least))


def project_to_simplex(point: FloatArray) -> FloatArray:
    """Nearest distribution: max(point - t, 0) with the t at which it sums to 1."""
    falling = np.sort(point)[::-1]
    # The t for the largest 1, 2, ... coordinates alone; right is the last that leaves the smallest of them positive.
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(point) + 1)
    return np.asarray(np.maximum(point - excess[falling > excess][-1], 0))
