"""The game that a plan plays: intervals for gold that is not there yet, around rates that some labeling has."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.assess.planned_panel import PlannedPanel
from thumbwise.box.budget import split_error
from thumbwise.box.designs.plain import exact_intervals
from thumbwise.box.gold import GoldCounts, Intervals
from thumbwise.box.moments.linear import Moments
from thumbwise.numerics.maxent import Problem
from thumbwise.numerics.solver import Solution, solve_dual

_TOL = 1e-7


@dataclass(frozen=True, eq=False)
class GoldState:
    """What gold says, or is expected to say.

    Attributes
    ----------
    counts : GoldCounts
        Of the moments that are shares; ``counts.right`` is that of today.
    right : ndarray of shape (n_shares,)
        Expected right ones, not whole numbers.
    n_gold : int
        Labels that the learned opinion has learned from.
    """

    counts: GoldCounts
    right: FloatArray
    n_gold: int

    def forget(self, moments: AnyArray) -> GoldState:
        """As if some moments had never been counted: what was their part of the budget is for the others."""
        keep = ~moments
        counts = replace(
            self.counts,
            drawn=self.counts.drawn * keep,
            expected=self.counts.expected * keep,
        )
        return replace(self, counts=counts, right=self.right * keep)


@dataclass(frozen=True, eq=False)
class PlannedGame:
    """A game whose bounds come from states of gold.

    Attributes
    ----------
    problem : Problem
        On the items that bounds are about. Moments are shares, and last the log loss of the learned opinion, if any.
    rates : ndarray of shape (n_moments,)
        Moments of one labeling, to which intervals are stretched if need be.
    panel : PlannedPanel
    error : float
    n_pool : int
    is_subset, is_kept : bool
        Whether gold is part of the pool, and whether gold items keep their label.
    """

    problem: Problem
    rates: FloatArray
    panel: PlannedPanel
    error: float
    n_pool: int
    is_subset: bool
    is_kept: bool

    def solve_exactly(self, state: GoldState) -> Solution:
        """As a fit would: the bounds of the state as they are."""
        return solve_dual(self.problem.with_bounds(*self.intervals(state)))

    def solve(
        self, state: GoldState, start: FloatArray | Solution | None = None, curvature: FloatArray | None = None
    ) -> Solution:
        """With intervals that were stretched to the rates, so that some labeling satisfies them.

        The bound of the learned opinion is stretched only where none does otherwise.
        """
        lower, upper = self.intervals(state)
        is_known = (self.problem.shares > 0) & self._is_seen(state)
        lower = np.where(is_known, np.minimum(lower, self.rates), lower)
        widest = np.where(is_known, np.maximum(upper, self.rates), upper)
        upper = np.append(widest[: len(state.right)], upper[len(state.right) :])
        solution = solve_dual(self.problem.with_bounds(lower, upper), tol=_TOL, start=start, curvature=curvature)
        if solution.is_infeasible:
            solution = solve_dual(self.problem.with_bounds(lower, widest), tol=_TOL, start=start)
        return solution

    def solve_known(self, start: FloatArray | Solution) -> Solution:
        """With every moment at its rate, and the log loss of the learned opinion at most there."""
        known = self.problem.shares > 0
        lower, upper = np.where(known, self.rates, 0.0), np.where(known, self.rates, 1.0)
        if self.panel.learned is not None:
            lower[-1] = self.panel.learned.least
        return solve_dual(self.problem.with_bounds(lower, upper), tol=_TOL, start=start)

    def intervals(self, state: GoldState) -> Intervals:
        """Exact intervals on the items of the game; between two whole numbers of right ones, in proportion."""
        counts, right = state.counts, state.right
        errors = split_error(self.error * (1 - self.panel.error_for_learned(state.n_gold)), counts)
        whole = np.floor(right + 1e-9).astype(np.int64)
        part = np.clip(right - whole, 0, 1)
        below = exact_intervals(_with_right(counts, whole, self.is_subset), errors)
        above = below
        if part.any():
            above = exact_intervals(_with_right(counts, np.minimum(whole + 1, counts.drawn), self.is_subset), errors)
        lower, upper = ((1 - part) * low + part * high for low, high in zip(below, above, strict=True))
        if self.is_kept:
            rates = self.rates[: len(right)]
            lower, upper = (_without_gold(bound, counts, right, rates) for bound in (lower, upper))
        is_empty = self.problem.shares[: len(right)] == 0
        return self._with_learned(state, np.where(is_empty, 0.0, lower), np.where(is_empty, 1.0, upper))

    def _with_learned(self, state: GoldState, lower: FloatArray, upper: FloatArray) -> Intervals:
        """And the bounds of the learned opinion; nothing is known of it where it is not used."""
        learned = self.panel.learned
        if learned is None:
            return lower, upper
        least, most = learned.least, learned.most
        if learned.is_used(state.n_gold):
            most = learned.bound_with(state.n_gold)
        if self.is_kept:
            n_left = max(1, self.n_pool - state.n_gold)
            least, most = ((bound * self.n_pool - learned.loss * state.n_gold) / n_left for bound in (least, most))
        return np.append(lower, least), np.append(upper, most)

    def _is_seen(self, state: GoldState) -> AnyArray:
        seen = state.counts.drawn > 0
        learned = self.panel.learned
        return seen if learned is None else np.append(seen, learned.is_used(state.n_gold))


def pose_without_bounds(moments: Moments, counts: IntArray) -> Problem:
    """The game without any bounds, on patterns that so many items show."""
    n_items = counts.sum()
    return Problem.build(
        moments.features, counts / n_items, moments.sizes / n_items, np.zeros(len(moments)), np.ones(len(moments))
    )


def _without_gold(bound: FloatArray, counts: GoldCounts, right: FloatArray, rates: FloatArray) -> FloatArray:
    """Bounds on the share of right ones among the items that are not gold; where none is left, the rate."""
    left = counts.pool - counts.drawn
    rest = np.clip((bound * counts.pool - right) / np.maximum(left, 1), 0, 1)
    return np.where(left > 0, rest, rates)


def _with_right(counts: GoldCounts, right: IntArray, is_subset: bool) -> GoldCounts:
    return replace(counts, right=right, outside=np.zeros_like(right) if is_subset else right)
